//! `deploy`: a charm goes up, an application runs it.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use bytes::Bytes;
use indicatif::{ProgressBar, ProgressStyle};
use periapt_client::rest::RestError;
use periapt_model::charm::repository::CHANNEL;
use periapt_model::charm::{Archive, CharmInfo, CharmMetadata};
use periapt_model::config::ConfigError;
use periapt_model::{ApplicationName, MachineId};
use periapt_wire::rest;

use super::resources::Paths;
use super::storage::wanted;
use super::{Context, bundle, constraints, grants, repository, settings};
use crate::arguments::{Deploy, by_name};
use crate::failure::{Exit, Failure, Outcome};
use crate::output::text;
use crate::session::ModelSession;

pub async fn deploy(context: &Context, arguments: Deploy) -> Outcome {
    let source = &arguments.repository;
    let is_path = is_path(&arguments.path);
    let of_file = source.place.is_none() && (source.channel.is_none() || is_path);
    if is_path && of_file && source.channel.is_some() {
        context
            .output
            .say("--channel is ignored: files have no channel");
    }
    let is_named = !of_file || is_name(&arguments.path);
    if !is_named && arguments.revision.is_some() {
        return Err(without_revisions(&arguments.path));
    }
    if of_file && bundle::find(&arguments.path).is_some() {
        return bundle::deploy(context, arguments).await;
    }
    if !arguments.overlay.is_empty() || arguments.dry_run {
        return Err(
            Failure::usage(format!("{} is not a bundle", arguments.path.display()))
                .why("--overlay and --dry-run can only be used with bundles")
                .advice("give the path of a bundle's .yaml file"),
        );
    }
    let named: Option<ApplicationName> = arguments
        .application
        .as_deref()
        .map(str::parse)
        .transpose()?;
    let (bytes, channel) = match is_named {
        true => {
            let name = arguments.path.to_string_lossy();
            let place = match &source.place {
                Some(place) => Some(place.clone()),
                None => {
                    let here = ModelSession::open(&context.files, &arguments.model).await?;
                    repository::of_controller(here.client()).await?
                }
            };
            let place = place.ok_or_else(|| repository::nowhere(&name))?;
            let channel = source.channel.clone();
            let channel = channel.unwrap_or_else(|| CHANNEL.to_owned());
            let taken = repository::take(&place, &name, &channel, arguments.revision).await?;
            (taken.archive, Some(channel))
        }
        false => (read_archive(&arguments.path)?, None),
    };
    // Whatever can be refused is refused before the charm goes up: an upload compiles, and a
    // revision that nobody wants would stay.
    let archive = check_archive(&arguments.path, &bytes)?;
    let application = match named {
        Some(name) => name,
        None => archive.metadata.name.parse()?,
    };
    let placement = arguments.placement.machines();
    for remark in arguments.placement.remarks() {
        context.output.say(&remark);
    }
    let constraints = constraints::read(&arguments.constraints)?;
    let config = settings::from_words(&arguments.config, application.as_str())?;
    for (name, value) in &config {
        let checked = archive.config.coerce(name, value);
        checked.map_err(|error| unfit_option(&application, &error))?;
    }
    let count = units(
        &archive.metadata,
        arguments.num_units,
        !placement.is_empty(),
    )?;
    wanted::require_one_unit(&arguments.attach_storage, count)?;
    let storage = by_name(arguments.storage)?;
    let paths = Paths::parse(&arguments.resource)?;
    let files = paths.read(application.as_str(), &archive.metadata.resources)?;
    let here = ModelSession::open(&context.files, &arguments.model).await?;
    require_room(&here, &application, &placement).await?;
    let asked = [(application.as_str(), &archive.metadata, &storage)];
    wanted::require_storage(&here, asked).await?;
    wanted::require_there(&here, &arguments.attach_storage).await?;
    let charm = upload(context, &here, &archive.metadata.name, bytes).await?;
    let mut capabilities = arguments.decisions.choices(arguments.trust);
    grants::decide(context, &here, &application, &charm, &mut capabilities).await?;
    let deploy = rest::Deploy {
        resources: files.upload(context, &here).await?,
        config,
        charm: charm.url.to_string(),
        units: count,
        application,
        placement,
        channel,
        trust: arguments.trust,
        constraints: constraints.to_string(),
        storage,
        attach_storage: arguments.attach_storage,
        capabilities,
    };
    let deployed = here.client().deploy(&here.model, &deploy).await?;
    let units = text::count(deployed.units.len() as u64, "unit");
    let name = &deployed.name;
    context.output.say(&match deployed.subordinate {
        true => format!(
            "Deployed \"{name}\"; to give it units, run: periapt integrate {name} APPLICATION"
        ),
        false => format!("Deployed \"{name}\" with {units}"),
    });
    Ok(())
}

/// A path has no revisions to choose from.
fn without_revisions(path: &Path) -> Failure {
    let advice = match bundle::find(path) {
        Some(_) => {
            "leave out --revision, and write revision: NUMBER beside the charm's name in the bundle"
        }
        None => {
            "leave out --revision, or deploy by name from a charm repository: periapt deploy NAME --repository DIR|URL --revision NUMBER"
        }
    };
    Failure::usage("--revision cannot be used with a path")
        .why(format!(
            "{} is a file or folder, and only charm repositories have revisions",
            path.display()
        ))
        .advice(advice)
}

/// The archive, read as the controller will read it.
pub fn check_archive(path: &Path, bytes: &Bytes) -> Outcome<Archive> {
    Archive::read(bytes).map_err(|error| {
        Failure::usage(format!("{} is not a charm", path.display()))
            .why(format!("{error} ({})", error.refusal()))
            .advice(error.refusal().advice())
    })
}

pub(super) fn unfit_option(application: &ApplicationName, error: &ConfigError) -> Failure {
    Failure::usage(format!("invalid configuration for \"{application}\""))
        .why(format!("{error} ({})", error.refusal()))
        .advice("correct --config; nothing was uploaded")
}

/// Asks whether the name is free and the machines are there. Somebody may come in between; the
/// controller decides.
async fn require_room(
    here: &ModelSession,
    application: &ApplicationName,
    placement: &[MachineId],
) -> Outcome {
    match here.client().application(&here.model, application).await {
        Err(RestError::Problem(problem)) if problem.status == 404 => {}
        Err(error) => return Err(error.into()),
        Ok(_) => {
            return Err(Failure::new(
                Exit::Conflict,
                format!("application \"{application}\" already exists"),
            )
            .why(format!(
                "model \"{}\" has an application with this name",
                here.model
            ))
            .advice(format!(
                "deploy it under another name, or periapt refresh {application}"
            )));
        }
    }
    for machine in placement {
        here.client().machine(&here.model, machine).await?;
    }
    Ok(())
}

/// How many units to begin with. Those of a subordinate come with its relations.
fn units(charm: &CharmMetadata, wanted: Option<u32>, placed: bool) -> Outcome<u32> {
    if !charm.subordinate {
        return Ok(wanted.unwrap_or(1));
    }
    if wanted.is_some_and(|count| count > 0) || placed {
        return Err(
            Failure::usage(format!("\"{}\" cannot be deployed with units", charm.name))
                .why("its charm is a subordinate: each unit it is related to gets one of its units")
                .advice("leave out -n and --to, then periapt integrate it with an application"),
        );
    }
    Ok(0)
}

/// Whether this is written as a path, whether or not anything is there.
fn is_path(path: &Path) -> bool {
    let text = path.to_string_lossy();
    let ends = [".charm", ".yaml", ".yml"];
    text.contains('/') || text == "." || ends.iter().any(|end| text.ends_with(*end))
}

/// Whether this is the name of a charm rather than a path: nothing is there.
fn is_name(path: &Path) -> bool {
    let name = path.to_str().map(str::parse::<ApplicationName>);
    matches!(name, Some(Ok(_))) && !path.exists()
}

/// Uploads a charm; the audit log calls it by `name`.
pub async fn upload(
    context: &Context,
    here: &ModelSession,
    name: &str,
    archive: Bytes,
) -> Outcome<CharmInfo> {
    let size = archive.len() as u64;
    let (bar, progress) = progress(context, size, "compiling");
    let uploaded = here
        .client()
        .upload_charm(&here.model, archive, Some(name), progress)
        .await;
    if let Some(bar) = bar {
        bar.finish_and_clear();
    }
    let charm = uploaded?;
    context
        .output
        .say(&format!("Uploaded {} ({})", charm.url, text::bytes(size)));
    Ok(charm)
}

/// Told how many bytes of how many have gone.
pub type Progress = Arc<dyn Fn(u64, u64) + Send + Sync>;

/// A bar on a terminal for what goes up; `then` is what is waited for once it is there.
pub fn progress(
    context: &Context,
    size: u64,
    then: &'static str,
) -> (Option<ProgressBar>, Option<Progress>) {
    let bar = context.output.progress().then(|| {
        let bar = ProgressBar::new(size);
        if let Ok(style) =
            ProgressStyle::with_template("Uploading {bar:30} {bytes}/{total_bytes} {msg}")
        {
            bar.set_style(style);
        }
        bar
    });
    let progress = bar.clone().map(|bar| {
        Arc::new(move |sent, total| {
            bar.set_position(sent);
            if sent == total {
                bar.set_message(then);
            }
        }) as Progress
    });
    (bar, progress)
}

/// The bytes of the charm at `path`.
pub fn read_archive(path: &Path) -> Outcome<Bytes> {
    let file = find_archive(path)?;
    let bytes = std::fs::read(&file)
        .map_err(|error| Failure::file("cannot read the charm", &file, &error))?;
    Ok(bytes.into())
}

/// The `.charm` file itself, or the one in a project.
fn find_archive(path: &Path) -> Outcome<PathBuf> {
    let metadata = std::fs::metadata(path).map_err(|error| {
        Failure::file(
            format!("there is no charm at {}", path.display()),
            path,
            &error,
        )
        .advice("give the path of a .charm file, or of a project with a packed charm")
    })?;
    if metadata.is_file() {
        return Ok(path.to_owned());
    }
    let mut found = Vec::new();
    for folder in ["", "build", "dist"] {
        let Ok(entries) = std::fs::read_dir(path.join(folder)) else {
            continue;
        };
        let files = entries.filter_map(Result::ok).map(|entry| entry.path());
        found.extend(
            files.filter(|file| {
                file.extension().is_some_and(|end| end == "charm") && file.is_file()
            }),
        );
        if !found.is_empty() {
            break;
        }
    }
    found.sort();
    match found.as_slice() {
        [one] => Ok(one.clone()),
        [] => Err(Failure::new(
            Exit::NotFound,
            format!("there is no charm in {}", path.display()),
        )
        .why("the folder has no .charm file, and neither does its build or dist folder")
        .advice(format!("periapt charm pack {}", path.display()))),
        several => {
            let names: Vec<String> = several
                .iter()
                .map(|file| file.display().to_string())
                .collect();
            Err(
                Failure::usage(format!("there are several charms in {}", path.display()))
                    .why(names.join(", "))
                    .advice("give the path of one of them"),
            )
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;
    use crate::arguments::{Arguments, Command, General};
    use crate::files::ClientFiles;
    use crate::output::Output;

    #[tokio::test]
    async fn what_a_path_or_a_bundle_cannot_have_is_refused_before_a_controller_is_asked() {
        let folder = tempfile::tempdir().unwrap();
        let bundle = folder.path().join("bundle.yaml");
        std::fs::write(&bundle, "applications: {}").unwrap();
        let bundle = bundle.display().to_string();
        let bundle = bundle.as_str();
        let context = Context {
            output: Output::new(&General::default()),
            files: ClientFiles::at(folder.path()),
        };
        for (words, told) in [
            (["./site.charm", "--revision", "0"], "--revision cannot be"),
            ([bundle, "--revision", "0"], "--revision cannot be"),
            ([bundle, "--num-units", "3"], "--num-units and --to cannot"),
            ([bundle, "--to", "0"], "--num-units and --to cannot"),
        ] {
            let line = ["periapt", "deploy"].into_iter().chain(words);
            let Command::Deploy(arguments) = Arguments::try_parse_from(line).unwrap().command
            else {
                panic!("{words:?}")
            };
            let failure = deploy(&context, arguments).await.unwrap_err();
            assert_eq!(failure.exit, Exit::Usage, "{failure}");
            assert_eq!(failure.to_string().lines().count(), 3, "{failure}");
            assert!(failure.to_string().contains(told), "{failure}");
        }
    }

    fn charm(subordinate: bool) -> CharmMetadata {
        CharmMetadata {
            name: "x".to_owned(),
            subordinate,
            ..CharmMetadata::default()
        }
    }

    #[test]
    fn a_path_is_told_from_a_name_by_how_it_is_written() {
        for path in ["./site", "/tmp/site", "site.charm", "bundle.yaml", "."] {
            assert!(is_path(Path::new(path)), "{path}");
        }
        assert!(!is_path(Path::new("site")));
    }

    #[test]
    fn a_subordinate_begins_without_units() {
        assert_eq!(units(&charm(false), None, false), Ok(1));
        assert_eq!(units(&charm(false), Some(0), true), Ok(0));
        assert_eq!(units(&charm(true), None, false), Ok(0));
        assert_eq!(units(&charm(true), Some(0), false), Ok(0));
        for (wanted, placed) in [(Some(2), false), (None, true)] {
            let failure = units(&charm(true), wanted, placed).unwrap_err();
            assert_eq!(failure.exit, Exit::Usage);
            assert_eq!(failure.to_string().lines().count(), 3);
        }
    }
}

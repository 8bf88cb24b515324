//! `refresh`: an application moves to another revision of its charm.
//!
//! A charm has two numbers: one in the model, counted by uploads, and one in its charm repository. A revision
//! alone is the model's, as `status` shows it; with a channel or a repository it is the repository's.

use std::path::PathBuf;

use periapt_model::ApplicationName;
use periapt_model::charm::CharmInfo;
use periapt_model::charm::repository::CHANNEL;
use periapt_wire::rest;

use super::deploy::{check_archive, read_archive, unfit_option, upload};
use super::resources::{Files, Paths};
use super::storage::wanted;
use super::{Context, grants, repository, settings};
use crate::arguments::{Refresh, Repository, by_name};
use crate::failure::{Exit, Failure, Outcome};
use crate::session::ModelSession;

pub async fn refresh(context: &Context, arguments: Refresh) -> Outcome {
    let application: ApplicationName = arguments.application.parse()?;
    let paths = Paths::parse(&arguments.resource)?;
    let config = settings::from_words(&arguments.config, application.as_str())?;
    let storage = by_name(arguments.storage)?;
    let file = match &arguments.path {
        Some(path) => Some(read_archive(path)?),
        None => None,
    };
    let here = ModelSession::open(&context.files, &arguments.model).await?;
    // Nothing is uploaded for an application that is not there.
    let before = here.client().application(&here.model, &application).await?;
    let source = &arguments.repository;
    // A revision alone is the model's own.
    let alone = arguments.revision.is_some() && source.place.is_none() && source.channel.is_none();
    let from = match file.is_none() && !alone {
        true => repository_of(&here, source, &before).await?,
        false => None,
    };
    let (archive, channel) = match (file, from) {
        // A file follows no channel.
        (Some(bytes), _) => (Some(bytes), Some(String::new())),
        (None, Some((place, channel))) => {
            let name = &before.charm_name;
            let taken = repository::take(&place, name, &channel, arguments.revision).await?;
            (Some(taken.archive), Some(channel))
        }
        (None, None) => (None, None),
    };
    let says = !paths.is_empty() || !config.is_empty() || !storage.is_empty();
    let moves = says || arguments.force_units || !arguments.decisions.is_empty();
    let mut capabilities = arguments.decisions.choices(arguments.trust);
    // Files are read before a charm is uploaded, so that one that cannot be read leaves no revision behind.
    let (url, files) = match (archive, arguments.revision) {
        (Some(bytes), _) => {
            let mut files = Files::default();
            if says {
                let charm = PathBuf::from(&before.charm_name);
                let path = arguments.path.as_ref().unwrap_or(&charm);
                let archive = check_archive(path, &bytes)?;
                files = paths.read(application.as_str(), &archive.metadata.resources)?;
                for (name, value) in &config {
                    let checked = archive.config.coerce(name, value);
                    checked.map_err(|error| unfit_option(&application, &error))?;
                }
                let asked = [(application.as_str(), &archive.metadata, &storage)];
                wanted::require_storage(&here, asked).await?;
            }
            let charm = upload(context, &here, &before.charm_name, bytes).await?;
            grants::decide_next(context, &here, &before, &charm, &mut capabilities).await?;
            (Some(charm.url.to_string()), files)
        }
        (None, Some(revision)) => {
            let command = format!("refresh {application}");
            let charm = of_model(context, &here, &before, revision, &command).await?;
            grants::decide_next(context, &here, &before, &charm, &mut capabilities).await?;
            let files = paths.read(application.as_str(), &charm.metadata.resources)?;
            (Some(charm.url.to_string()), files)
        }
        (None, None) if !paths.is_empty() => {
            let declared = here.client().resources(&here.model, &application).await?;
            (Some(before.charm.clone()), paths.read_of(&declared)?)
        }
        (None, None) if moves => (Some(before.charm.clone()), Files::default()),
        (None, None) if arguments.trust => (None, Files::default()),
        (None, None) => return Err(unsaid(&before)),
    };
    // A charm that cannot be taken leaves the trust as it was.
    if arguments.trust {
        let request = rest::SetTrust { trust: true };
        here.client()
            .set_trust(&here.model, &application, &request)
            .await?;
    }
    let Some(url) = url else {
        return Ok(());
    };
    let same_channel = channel.as_ref().is_none_or(|to| *to == before.channel);
    if before.charm == url && same_channel && !moves {
        context
            .output
            .say(&format!("\"{application}\" already runs {url}"));
        return Ok(());
    }
    let refresh = rest::Refresh {
        capabilities,
        resources: files.upload(context, &here).await?,
        charm: url,
        config,
        storage,
        force_units: arguments.force_units,
        channel,
    };
    let after = here
        .client()
        .refresh(&here.model, &application, &refresh)
        .await?;
    if grants::held(context, &after) {
        return Ok(());
    }
    context
        .output
        .say(&format!("Refreshed \"{application}\" to {}", after.charm));
    Ok(())
}

/// The repository that a refresh takes the charm from, and the channel there: what was said, else where the application
/// has its charm from. None for one that follows no channel, or whose controller has no repository.
async fn repository_of(
    here: &ModelSession,
    source: &Repository,
    application: &rest::ApplicationInfo,
) -> Outcome<Option<(String, String)>> {
    let followed = Some(application.channel.clone()).filter(|channel| !channel.is_empty());
    let place = match &source.place {
        Some(place) => Some(place.clone()),
        None if source.channel.is_some() || followed.is_some() => {
            repository::of_controller(here.client()).await?
        }
        None => None,
    };
    if place.is_none() && source.channel.is_some() {
        return Err(repository::nowhere(&application.charm_name));
    }
    let channel = source.channel.clone().or(followed);
    Ok(place.map(|place| (place, channel.unwrap_or_else(|| CHANNEL.to_owned()))))
}

/// Nothing says what an application is to be refreshed to.
fn unsaid(application: &rest::ApplicationInfo) -> Failure {
    let name = &application.name;
    let why = match application.channel.as_str() {
        "" => "its charm does not come from a charm repository".to_owned(),
        channel => format!(
            "its charm is from channel \"{channel}\", but the controller has no charm repository"
        ),
    };
    Failure::usage(format!("nothing to refresh \"{name}\" to"))
        .why(why)
        .advice(format!(
            "periapt refresh {name} --path ./FILE.charm, --revision NUMBER or --repository DIR|URL"
        ))
}

/// The charm of an application at a revision of the model's own. `command` is what takes the charm
/// repository's instead, where the application follows a channel.
pub(super) async fn of_model(
    context: &Context,
    here: &ModelSession,
    application: &rest::ApplicationInfo,
    revision: u32,
    command: &str,
) -> Outcome<CharmInfo> {
    let charms = here.client().charms(&here.model).await?;
    let mut own: Vec<CharmInfo> = charms
        .into_iter()
        .filter(|charm| charm.name == application.charm_name)
        .collect();
    let channel = application.channel.as_str();
    let elsewhere = (!channel.is_empty())
        .then(|| format!("periapt {command} --channel {channel} --revision {revision}"));
    if let Some(index) = own.iter().position(|charm| charm.revision == revision) {
        let found = own.swap_remove(index);
        if let Some(elsewhere) = elsewhere {
            context.output.say(&format!(
                "--revision {revision} is the model's {}; for the charm repository's: {elsewhere}",
                found.url
            ));
        }
        return Ok(found);
    }
    own.sort_unstable_by_key(|charm| charm.revision);
    let there: Vec<String> = own.iter().map(|charm| charm.revision.to_string()).collect();
    let advice = match elsewhere {
        Some(elsewhere) => {
            format!("name one of these, or take it from the charm repository: {elsewhere}")
        }
        None => format!(
            "name one of these, or upload another: periapt refresh {} --path ./FILE.charm",
            application.name
        ),
    };
    Err(Failure::new(
        Exit::NotFound,
        format!(
            "charm \"{}\" has no revision {revision} in this model",
            application.charm_name
        ),
    )
    .why(format!("the model has {}", there.join(", ")))
    .advice(advice))
}

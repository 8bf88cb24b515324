//! Bundles: `deploy` of a file of applications, `export-bundle`, `diff-bundle`.
//!
//! A bundle is worked out here, from what the API tells of the model, and applied by the same
//! calls as anybody's: nothing of it is known to the controller.

mod apply;
mod charms;
mod current;
mod difference;
mod export;
mod files;

use std::path::{Path, PathBuf};

use periapt_model::bundle::{Bundle, BundleError, PlanError, Step};

use super::Context;
use super::storage::wanted;
use crate::arguments::Deploy;
use crate::failure::{Failure, Outcome};
use crate::session::ModelSession;

pub use difference::diff;
pub use export::export;

/// The name a bundle's file has in a folder.
const FILE: &str = "bundle.yaml";

/// A bundle's file, read with its overlays.
pub struct BundleFile {
    pub bundle: Bundle,
    /// Paths of charms are relative to it.
    pub folder: PathBuf,
}

/// The file of the bundle at `path`; none when something else is there.
pub fn find(path: &Path) -> Option<PathBuf> {
    if path.is_dir() {
        let file = path.join(FILE);
        return file.is_file().then_some(file);
    }
    let yaml = path
        .extension()
        .is_some_and(|end| end == "yaml" || end == "yml");
    yaml.then(|| path.to_owned())
}

impl BundleFile {
    pub fn read(path: &Path, overlays: &[PathBuf]) -> Outcome<Self> {
        let file = find(path).ok_or_else(|| {
            Failure::usage(format!("there is no bundle at {}", path.display()))
                .why("a bundle is a YAML file, or a folder with a bundle.yaml")
                .advice("give the path of the bundle's file")
        })?;
        let text = read(&file)?;
        let overlays: Vec<String> = overlays
            .iter()
            .map(|path| read(path))
            .collect::<Outcome<_>>()?;
        let overlays: Vec<&str> = overlays.iter().map(String::as_str).collect();
        let bundle = Bundle::parse(&text, &overlays).map_err(|error| invalid(&file, &error))?;
        let folder = file.parent().map(Path::to_owned).unwrap_or_default();
        Ok(Self { bundle, folder })
    }
}

fn read(path: &Path) -> Outcome<String> {
    std::fs::read_to_string(path)
        .map_err(|error| Failure::file("the bundle cannot be read", path, &error))
}

fn invalid(path: &Path, error: &BundleError) -> Failure {
    Failure::usage(format!("{} is no bundle to deploy", path.display()))
        .why(format!("{error} ({})", error.code()))
        .advice("correct the file, then deploy it again: nothing was changed")
}

fn unplanned(error: &PlanError) -> Failure {
    Failure::usage("the bundle cannot be deployed")
        .why(error.to_string())
        .advice("correct the bundle, then deploy it again: nothing was changed")
}

/// Deploys what the model does not have yet of a bundle.
pub async fn deploy(context: &Context, arguments: Deploy) -> Outcome {
    if arguments.application.is_some() || !arguments.config.is_empty() {
        return Err(Failure::usage("a bundle names its applications itself")
            .why("an application's name and --config are for a charm")
            .advice("change the bundle, or lay an --overlay over it"));
    }
    let file = BundleFile::read(&arguments.path, &arguments.overlay)?;
    for key in &file.bundle.ignored {
        context
            .output
            .say(&format!("{key} means nothing here and is ignored"));
    }
    let here = ModelSession::open(&context.files, &arguments.model).await?;
    let mut charms = charms::Charms::read(&file, &here).await?;
    let model = current::read(&here).await?;
    let mut bundle = charms.typed(file.bundle)?;
    let mut files = files::read(&mut bundle, &file.folder, &charms.known())?;
    let steps = bundle
        .plan(&model.model, &charms.known())
        .map_err(|error| unplanned(&error))?;
    require_storage(&here, &steps, &charms).await?;
    if steps.is_empty() {
        context
            .output
            .say("The model has all of the bundle; nothing to do");
        return Ok(());
    }
    if arguments.dry_run {
        return context.output.value(&plan(&steps));
    }
    if !arguments.trust {
        require_no_trust(&steps)?;
    }
    apply::apply(context, &here, steps, &mut charms, &mut files).await
}

/// Refuses to trust an application because a file says so.
fn require_no_trust(steps: &[Step]) -> Outcome {
    let trusted = steps.iter().filter_map(|step| match step {
        Step::Deploy {
            application,
            trust: true,
            ..
        }
        | Step::Trust { application } => Some(application.as_str()),
        _ => None,
    });
    let trusted: Vec<&str> = trusted.collect();
    if trusted.is_empty() {
        return Ok(());
    }
    Err(
        Failure::usage("the bundle wants applications to be trusted with the cloud's credential")
            .why(format!("it says so of {}", trusted.join(", ")))
            .advice("deploy it with --trust if you trust them; nothing was changed"),
    )
}

/// Whether all that is deployed can be given its storage.
async fn require_storage(here: &ModelSession, steps: &[Step], charms: &charms::Charms) -> Outcome {
    let known = charms.known();
    let asked = steps.iter().filter_map(|step| match step {
        Step::Deploy {
            application,
            storage,
            ..
        } => {
            let (charm, _) = known.get(application)?;
            Some((application.as_str(), charm, storage))
        }
        _ => None,
    });
    wanted::require_storage(here, asked).await
}

/// The plan as a person reads it.
fn plan(steps: &[Step]) -> String {
    let count = crate::output::text::count(steps.len() as u64, "step");
    let lines = steps
        .iter()
        .enumerate()
        .map(|(index, step)| format!("{:>3}. {}", index + 1, apply::told(step)));
    std::iter::once(format!("{count}, none taken yet:"))
        .chain(lines)
        .collect::<Vec<_>>()
        .join("\n")
}

//! Bundles: `deploy` of a file of applications, `export-bundle`, `diff-bundle`.
//!
//! The controller plans and applies a bundle. Here are the files that it does not see: they are read, told to it by
//! their digests, and uploaded before anything is applied.

mod apply;
mod beside;
mod export;

use std::path::{Path, PathBuf};

use periapt_model::bundle::{Bundle, BundleError};
use periapt_wire::rest::{BundlePlan, DeployBundle};

use super::Context;
use crate::arguments::{Deploy, DiffBundle};
use crate::failure::{Failure, Outcome};
use crate::session::ModelSession;

use beside::Beside;
pub use export::export;

/// The name a bundle's file has in a folder.
const FILE: &str = "bundle.yaml";

/// A bundle's file, read with its overlays.
pub struct BundleFile {
    /// What the controller is sent, without what is beside the bundle.
    request: DeployBundle,
    bundle: Bundle,
    /// Paths of charms are relative to it.
    folder: PathBuf,
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
    fn read(path: &Path, overlays: &[PathBuf]) -> Outcome<Self> {
        let file = find(path).ok_or_else(|| {
            Failure::usage(format!("there is no bundle at {}", path.display()))
                .why("a bundle is a YAML file, or a folder with a bundle.yaml")
                .advice("give the path of a bundle file")
        })?;
        let text = read(&file)?;
        let overlays: Vec<String> = overlays
            .iter()
            .map(|path| read(path))
            .collect::<Outcome<_>>()?;
        let texts: Vec<&str> = overlays.iter().map(String::as_str).collect();
        let bundle = Bundle::parse(&text, &texts).map_err(|error| invalid(&file, &error))?;
        let folder = file.parent().map(Path::to_owned).unwrap_or_default();
        let request = DeployBundle {
            bundle: text,
            overlays,
            ..DeployBundle::default()
        };
        Ok(Self {
            request,
            bundle,
            folder,
        })
    }
}

fn read(path: &Path) -> Outcome<String> {
    std::fs::read_to_string(path)
        .map_err(|error| Failure::file("cannot read the bundle", path, &error))
}

fn invalid(path: &Path, error: &BundleError) -> Failure {
    Failure::usage(format!("{} is not a deployable bundle", path.display()))
        .why(format!("{error} ({})", error.code()))
        .advice("correct the file and deploy it again; nothing was changed")
}

/// What is said of one application, where there are several.
fn of_one_charm(arguments: &Deploy) -> Option<Failure> {
    let several = |flags: &str| {
        Failure::usage(format!("{flags} cannot be used with bundles"))
            .why("a bundle has several applications")
    };
    if arguments.application.is_some() || !arguments.config.is_empty() {
        return Some(
            Failure::usage("a bundle names its own applications")
                .why("an application name and --config apply only to charms")
                .advice("change the bundle, or use an --overlay"),
        );
    }
    if arguments.num_units.is_some() || !arguments.placement.to.is_empty() {
        return Some(
            several("--num-units and --to")
                .advice("write num_units and to in the bundle or an overlay"),
        );
    }
    if !arguments.resource.is_empty() {
        return Some(
            several("--resource")
                .advice("deploy the bundle, then periapt attach-resource APPLICATION NAME=FILE"),
        );
    }
    if !arguments.constraints.is_empty() {
        return Some(several("--constraints").advice(
            "write them into the bundle, or set them for the model: periapt set-model-constraints KEY=VALUE",
        ));
    }
    if !arguments.decisions.is_empty() {
        return Some(
            several("--grant, --grant-all and --deny")
                .advice("write grants and denies in the bundle or an overlay"),
        );
    }
    if !arguments.storage.is_empty() || !arguments.attach_storage.is_empty() {
        return Some(several("--storage and --attach-storage").advice(
            "write it in the bundle or an overlay, as in storage: {data: \"loop,1,10G\"}",
        ));
    }
    None
}

/// Has the controller do what is missing of a bundle.
pub async fn deploy(context: &Context, arguments: Deploy) -> Outcome {
    if let Some(failure) = of_one_charm(&arguments) {
        return Err(failure);
    }
    let file = BundleFile::read(&arguments.path, &arguments.overlay)?;
    let beside = Beside::read(&file.bundle, &file.folder)?;
    let here = ModelSession::open(&context.files, &arguments.model).await?;
    // Whatever can be refused is refused before anything goes up: an upload compiles, and a revision that nobody
    // wants would stay.
    let mut request = DeployBundle {
        dry_run: true,
        ..beside.told(file.request)
    };
    let plan = here.client().deploy_bundle(&here.model, &request).await?;
    for key in &plan.ignored {
        let told = format!("{key} has no effect here and is ignored");
        context.output.say(&told);
    }
    if arguments.dry_run {
        if plan.changes.is_empty() {
            nothing_to_do(context);
            return Ok(());
        }
        return context.output.value(&told(&plan));
    }
    request.dry_run = false;
    request.trust = arguments.trust;
    apply::apply(context, &here, request, &plan, beside).await
}

fn nothing_to_do(context: &Context) {
    context
        .output
        .say("The model already matches the bundle; nothing to do");
}

/// The plan as a person reads it.
fn told(plan: &BundlePlan) -> String {
    let count = crate::output::text::count(plan.changes.len() as u64, "step");
    let lines = plan.changes.iter().enumerate();
    let lines = lines.map(|(index, change)| format!("{:>3}. {}", index + 1, change.words));
    std::iter::once(format!("{count}, none taken yet:"))
        .chain(lines)
        .collect::<Vec<_>>()
        .join("\n")
}

/// `diff-bundle`: what differs between a bundle and the model, both ways.
pub async fn diff(context: &Context, arguments: DiffBundle) -> Outcome {
    let file = BundleFile::read(&arguments.path, &arguments.overlay)?;
    let beside = Beside::read(&file.bundle, &file.folder)?;
    let here = ModelSession::open(&context.files, &arguments.model).await?;
    let request = DeployBundle {
        dry_run: true,
        ..beside.told(file.request)
    };
    let plan = here.client().deploy_bundle(&here.model, &request).await?;
    context.output.yaml(&plan.difference)
}

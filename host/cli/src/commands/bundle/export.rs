//! `export-bundle`: the model as a bundle.

use periapt_model::ApplicationName;
use periapt_model::bundle::{Bundle, BundleApplication};

use super::current;
use crate::arguments::{ExportBundle, Target};
use crate::commands::Context;
use crate::failure::{Failure, Outcome};
use crate::session::ModelSession;

/// Prints the bundle, or writes it to a file. Charms are named as the model names them
/// (`local:site-0`): a model that has them can be given the bundle.
pub async fn export(context: &Context, arguments: ExportBundle) -> Outcome {
    let here = ModelSession::open(&context.files, &arguments.model).await?;
    let bundle = bundle(&here).await?;
    let target = Target {
        output: arguments.filename,
    };
    context.output.to(&target)?.yaml(&bundle)?;
    if let Some(file) = &target.output {
        context.output.say(&format!("Wrote {}", file.display()));
    }
    Ok(())
}

async fn bundle(here: &ModelSession) -> Outcome<Bundle> {
    let current = current::read(here).await?;
    if current.applications.is_empty() {
        return Err(Failure::usage("there is nothing to export")
            .why("the model has no applications")
            .advice("periapt deploy CHARM"));
    }
    let application = |(name, info): (&ApplicationName, &periapt_wire::rest::ApplicationInfo)| {
        let known = current.model.applications.get(name);
        let exported = BundleApplication {
            charm: info.charm.clone(),
            num_units: (!info.subordinate).then(|| known.map_or(0, |known| known.units)),
            to: Vec::new(),
            options: known
                .map(|known| known.settings.clone())
                .unwrap_or_default(),
            expose: info.exposed,
        };
        (name.clone(), exported)
    };
    Ok(Bundle {
        applications: current.applications.iter().map(application).collect(),
        relations: current
            .model
            .relations
            .iter()
            .filter_map(|key| current::ends(key))
            .collect(),
        ..Bundle::default()
    })
}

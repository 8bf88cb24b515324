//! `export-bundle`: the model as a bundle.

use periapt_model::ApplicationName;
use periapt_model::bundle::{Bundle, BundleApplication};

use super::current;
use crate::arguments::ExportBundle;
use crate::commands::Context;
use crate::failure::{Failure, Outcome};
use crate::session::ModelSession;

/// Prints the bundle, or writes it to a file. Charms are named as the model names them
/// (`local:site-0`): a model that has them can be given the bundle.
pub async fn export(context: &Context, arguments: ExportBundle) -> Outcome {
    let here = ModelSession::open(&context.files, &arguments.model).await?;
    let bundle = bundle(&here).await?;
    match &arguments.filename {
        Some(file) => {
            let text = serde_saphyr::to_string(&bundle).map_err(|error| {
                Failure::failed("the bundle cannot be written").why(error.to_string())
            })?;
            std::fs::write(file, text)
                .map_err(|error| Failure::file("the bundle cannot be written", file, &error))?;
            context.output.say(&format!("Wrote {}", file.display()));
            Ok(())
        }
        None => context.output.yaml(&bundle),
    }
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
    let pair = |relation: &periapt_wire::rest::RelationInfo| {
        let mut ends = relation.key.split(' ').map(str::to_owned);
        Some([ends.next()?, ends.next()?])
    };
    Ok(Bundle {
        applications: current.applications.iter().map(application).collect(),
        relations: current.relations.iter().filter_map(pair).collect(),
        ..Bundle::default()
    })
}

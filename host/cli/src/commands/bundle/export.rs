//! `export-bundle`: the model as a bundle.

use std::path::Path;

use periapt_model::ApplicationName;
use periapt_model::bundle::{Bundle, BundleApplication};

use super::current;
use crate::arguments::ExportBundle;
use crate::commands::Context;
use crate::failure::{Failure, Outcome};
use crate::session::ModelSession;

/// Prints the bundle, or writes it to a file; with `--charms` the charms are saved too, and the
/// bundle can be deployed anywhere.
pub async fn export(context: &Context, arguments: ExportBundle) -> Outcome {
    let here = ModelSession::open(&context.files, &arguments.model).await?;
    let mut bundle = bundle(&here).await?;
    if let Some(folder) = &arguments.charms {
        save_charms(
            context,
            &here,
            &mut bundle,
            folder,
            arguments.filename.as_deref(),
        )
        .await?;
    }
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

async fn save_charms(
    context: &Context,
    here: &ModelSession,
    bundle: &mut Bundle,
    folder: &Path,
    bundle_file: Option<&Path>,
) -> Outcome {
    std::fs::create_dir_all(folder)
        .map_err(|error| Failure::file("the folder cannot be made", folder, &error))?;
    // The bundle names charms relative to itself.
    let base = bundle_file.and_then(Path::parent).map(std::path::absolute);
    for application in bundle.applications.values_mut() {
        let charm = here.client().charm(&here.model, &application.charm).await?;
        let archive = here.client().blob(&here.model, &charm.sha256).await?;
        let file = folder.join(format!("{}-{}.charm", charm.name, charm.revision));
        std::fs::write(&file, &archive)
            .map_err(|error| Failure::file("the charm cannot be written", &file, &error))?;
        let absolute = std::path::absolute(&file)
            .map_err(|error| Failure::file("the charm cannot be found", &file, &error))?;
        let relative = match &base {
            Some(Ok(base)) => absolute.strip_prefix(base).map(Path::to_owned).ok(),
            _ => None,
        };
        application.charm = match relative {
            Some(relative) => format!("./{}", relative.display()),
            None => absolute.display().to_string(),
        };
        context.output.say(&format!("Saved {}", file.display()));
    }
    Ok(())
}

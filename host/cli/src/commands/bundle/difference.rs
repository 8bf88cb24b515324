//! `diff-bundle`: what differs between a bundle and the model, both ways.

use std::collections::{BTreeMap, BTreeSet};

use periapt_model::bundle::{
    Bundle, BundleApplication, BundleResource, CurrentModel, CurrentResource,
};
use periapt_model::config::Value;
use periapt_model::reach::{ExposedEndpoints, Exposure};
use periapt_model::relation::Pair;
use periapt_model::{ApplicationName, charm::CharmMetadata};
use serde::Serialize;

use super::{BundleFile, charms, current, files, unplanned};
use crate::arguments::DiffBundle;
use crate::commands::Context;
use crate::failure::Outcome;
use crate::session::ModelSession;

/// The keys are those of Juju's `diff-bundle`.
#[derive(Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Difference {
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    applications: BTreeMap<ApplicationName, ApplicationDifference>,
    #[serde(skip_serializing_if = "Option::is_none")]
    relations: Option<RelationDifference>,
}

#[derive(Debug, Default, PartialEq, Serialize)]
struct ApplicationDifference {
    /// `bundle` or `model`: where there is no such application.
    #[serde(skip_serializing_if = "Option::is_none")]
    missing: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    charm: Option<Sides<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    num_units: Option<Sides<u32>>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    options: BTreeMap<String, Sides<Option<Value>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    expose: Option<Sides<Option<ExposedEndpoints>>>,
    /// Revisions, and SHA-256 of files.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    resources: BTreeMap<String, Sides<Option<String>>>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    annotations: BTreeMap<String, Sides<Option<String>>>,
}

#[derive(Debug, PartialEq, Serialize)]
struct Sides<T> {
    bundle: T,
    model: T,
}

#[derive(Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
struct RelationDifference {
    #[serde(skip_serializing_if = "Vec::is_empty")]
    bundle_additions: Vec<[String; 2]>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    model_additions: Vec<[String; 2]>,
}

pub async fn diff(context: &Context, arguments: DiffBundle) -> Outcome {
    let file = BundleFile::read(&arguments.path, &arguments.overlay)?;
    let here = ModelSession::open(&context.files, &arguments.model).await?;
    let charms = charms::Charms::read(&file, &here).await?;
    let mut bundle = charms.typed(file.bundle)?;
    files::read(&mut bundle, &file.folder, &charms.known())?;
    let current = current::read(&here).await?;
    let pairs = pairs(&bundle, &charms.known())?;
    let difference = between(&bundle, &current.model, &charms.known(), &pairs);
    context.output.yaml(&difference)
}

fn pairs(
    bundle: &Bundle,
    charms: &BTreeMap<ApplicationName, (CharmMetadata, String)>,
) -> Outcome<BTreeSet<String>> {
    // A revision is one of this model, which is compared later.
    let mut bundle = bundle.clone();
    for application in bundle.applications.values_mut() {
        application.resources.clear();
    }
    let steps = bundle
        .plan(&CurrentModel::default(), charms)
        .map_err(|error| unplanned(&error))?;
    let pair = |step| match step {
        periapt_model::bundle::Step::Integrate { pair } => Some(Pair::to_string(&pair)),
        _ => None,
    };
    Ok(steps.into_iter().filter_map(pair).collect())
}

fn between(
    bundle: &Bundle,
    model: &CurrentModel,
    charms: &BTreeMap<ApplicationName, (CharmMetadata, String)>,
    pairs: &BTreeSet<String>,
) -> Difference {
    let names: BTreeSet<&ApplicationName> = bundle
        .applications
        .keys()
        .chain(model.applications.keys())
        .collect();
    let mut applications = BTreeMap::new();
    for name in names {
        let found = application(name, bundle, model, charms);
        if found != ApplicationDifference::default() {
            applications.insert(name.clone(), found);
        }
    }
    let ends = |key: &String| current::ends(key);
    let bundle_additions: Vec<_> = pairs
        .difference(&model.relations)
        .filter_map(ends)
        .collect();
    let model_additions: Vec<_> = model.relations.difference(pairs).filter_map(ends).collect();
    let relations = RelationDifference {
        bundle_additions,
        model_additions,
    };
    Difference {
        applications,
        relations: (relations != RelationDifference::default()).then_some(relations),
    }
}

fn application(
    name: &ApplicationName,
    bundle: &Bundle,
    model: &CurrentModel,
    charms: &BTreeMap<ApplicationName, (CharmMetadata, String)>,
) -> ApplicationDifference {
    let missing = |missing| ApplicationDifference {
        missing: Some(missing),
        ..ApplicationDifference::default()
    };
    let (wanted, there) = match (bundle.applications.get(name), model.applications.get(name)) {
        (Some(wanted), Some(there)) => (wanted, there),
        (None, _) => return missing("bundle"),
        (_, None) => return missing("model"),
    };
    let charm = charms.get(name);
    let subordinate = charm.is_some_and(|(charm, _)| charm.subordinate);
    let digest = charm.map(|(_, digest)| digest.clone()).unwrap_or_default();
    let units = wanted.num_units.unwrap_or(1);
    let options: BTreeSet<&String> = wanted.options.keys().chain(there.settings.keys()).collect();
    ApplicationDifference {
        missing: None,
        charm: (digest != there.charm_digest).then(|| Sides {
            bundle: digest,
            model: there.charm_digest.clone(),
        }),
        num_units: (!subordinate && units != there.units).then_some(Sides {
            bundle: units,
            model: there.units,
        }),
        options: options
            .into_iter()
            .filter(|option| wanted.options.get(*option) != there.settings.get(*option))
            .map(|option| {
                let sides = Sides {
                    bundle: wanted.options.get(option).cloned(),
                    model: there.settings.get(option).cloned(),
                };
                (option.clone(), sides)
            })
            .collect(),
        expose: exposed(wanted, &there.exposed),
        resources: resources(wanted, &there.resources),
        annotations: annotations(&wanted.annotations, &there.annotations),
    }
}

/// Files are compared by what is in them, and revisions by their numbers.
fn resources(
    wanted: &BundleApplication,
    there: &BTreeMap<String, CurrentResource>,
) -> BTreeMap<String, Sides<Option<String>>> {
    let names: BTreeSet<&String> = wanted.resources.keys().chain(there.keys()).collect();
    let sides = names.into_iter().map(|name| {
        let attached = there.get(name);
        let (bundle, model) = match wanted.resources.get(name) {
            Some(BundleResource::Revision(revision)) => (
                Some(revision.to_string()),
                attached.map(|attached| attached.revision.to_string()),
            ),
            Some(BundleResource::File(_)) => (
                wanted.digests.get(name).cloned(),
                attached.map(|attached| attached.sha256.clone()),
            ),
            None => (None, attached.map(|attached| attached.revision.to_string())),
        };
        (name.clone(), Sides { bundle, model })
    });
    sides
        .filter(|(_, sides)| sides.bundle != sides.model)
        .collect()
}

fn annotations(
    wanted: &BTreeMap<String, String>,
    there: &BTreeMap<String, String>,
) -> BTreeMap<String, Sides<Option<String>>> {
    let keys: BTreeSet<&String> = wanted.keys().chain(there.keys()).collect();
    let keys = keys.into_iter();
    keys.filter(|key| wanted.get(*key) != there.get(*key))
        .map(|key| {
            let sides = Sides {
                bundle: wanted.get(key).cloned(),
                model: there.get(key).cloned(),
            };
            (key.clone(), sides)
        })
        .collect()
}

/// To whom, where that differs. A bundle that exposes and does not say to whom is content with any.
fn exposed(
    wanted: &BundleApplication,
    there: &ExposedEndpoints,
) -> Option<Sides<Option<ExposedEndpoints>>> {
    let endpoints = &wanted.exposed_endpoints;
    let same = match endpoints.is_empty() {
        true => wanted.expose != there.is_empty(),
        false => Exposure::read(endpoints).is_ok_and(|wanted| wanted.shown() == *there),
    };
    // All of it to everybody is a word of its own.
    let everybody = || Exposure::read(&ExposedEndpoints::new()).map(|whole| whole.shown());
    let shown = |endpoints: &ExposedEndpoints| (!endpoints.is_empty()).then(|| endpoints.clone());
    (!same).then(|| Sides {
        bundle: match endpoints.is_empty() {
            true => wanted.expose.then(everybody).and_then(Result::ok),
            false => shown(endpoints),
        },
        model: shown(there),
    })
}

#[cfg(test)]
mod tests;

//! A model as a bundle, and a bundle as text.

use std::collections::BTreeMap;

use super::difference::ends;
use super::{Bundle, BundleApplication, BundleError, BundleResource, CurrentModel};
use crate::name::ApplicationName;
use crate::reach::{ExposedEndpoints, Exposure};
use crate::storage::Asked;

/// What an export says of an application beyond what a comparison looks at.
#[derive(Clone, Debug, Default)]
pub struct Exported {
    /// As the model names it, `local:site-0`; by its name alone where its revision is told.
    pub charm: String,
    /// The channel of the charm repository that it follows, where its revision is told.
    pub channel: Option<String>,
    /// The charm repository's revision that its charm is, where it can be taken from there again.
    pub revision: Option<u32>,
    pub subordinate: bool,
    /// What its units have.
    pub storage: BTreeMap<String, Asked>,
}

impl Bundle {
    /// The bundle of a model. An application of which nothing is said in `exported` is left out.
    pub fn of_model(
        model: &CurrentModel,
        exported: &BTreeMap<ApplicationName, Exported>,
    ) -> Bundle {
        // All of it to everybody is a word of its own.
        let everybody = Exposure::read(&ExposedEndpoints::new()).map(|whole| whole.shown());
        let mut applications = BTreeMap::new();
        for (name, current) in &model.applications {
            let Some(exported) = exported.get(name) else {
                continue;
            };
            let all = everybody.as_ref() == Ok(&current.exposed);
            let resources = current.resources.iter();
            let application = BundleApplication {
                charm: exported.charm.clone(),
                channel: exported.channel.clone(),
                revision: exported.revision,
                released: None,
                num_units: (!exported.subordinate).then_some(current.units),
                to: Vec::new(),
                options: current.settings.clone(),
                expose: all,
                exposed_endpoints: match all {
                    true => ExposedEndpoints::new(),
                    false => current.exposed.clone(),
                },
                resources: resources
                    .map(|(name, attached)| {
                        let revision = BundleResource::Revision(attached.revision);
                        (name.clone(), revision)
                    })
                    .collect(),
                storage: exported.storage.clone(),
                digests: BTreeMap::new(),
                annotations: current.annotations.clone(),
                constraints: current.constraints.clone(),
                trust: current.trust,
                grants: current.grants.clone(),
                denies: current.denies.clone(),
            };
            applications.insert(name.clone(), application);
        }
        let relations = model.relations.iter();
        Bundle {
            applications,
            relations: relations.filter_map(|key| ends(key)).collect(),
            ..Bundle::default()
        }
    }

    /// Its file.
    ///
    /// # Errors
    /// It cannot be written as YAML.
    pub fn text(&self) -> Result<String, BundleError> {
        serde_saphyr::to_string(self).map_err(|error| BundleError::Unreadable {
            message: error.to_string(),
            line: None,
        })
    }
}

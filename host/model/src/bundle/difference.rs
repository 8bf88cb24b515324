//! What differs between a bundle and a model, both ways: what one has and the other has not.
//!
//! A plan says what is to be done and never removes anything; a difference says everything, so a model that holds a
//! bundle may still differ from it.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::{
    Bundle, BundleApplication, BundleResource, CurrentApplication, CurrentModel, CurrentResource,
    PlanError,
};
use crate::charm::CharmMetadata;
use crate::config::Value;
use crate::name::ApplicationName;
use crate::reach::{ExposedEndpoint, ExposedEndpoints, Exposure};

/// The keys are those of Juju's `diff-bundle`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "kebab-case")]
pub struct BundleDifference {
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[schema(value_type = BTreeMap<String, ApplicationDifference>)]
    pub applications: BTreeMap<ApplicationName, ApplicationDifference>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub relations: Option<RelationDifference>,
}

/// What differs of an application.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct ApplicationDifference {
    /// Where there is no such application.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub missing: Option<Missing>,
    /// SHA-256 of the charms.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub charm: Option<TextSides>,
    /// The channels of the charm repository that are followed, where the bundle names one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub channel: Option<TextSides>,
    /// The charm repository's revisions of two charms that differ, where both are known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub revision: Option<RevisionSides>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub num_units: Option<UnitSides>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub options: BTreeMap<String, OptionSides>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expose: Option<ExposedSides>,
    /// Revisions, and SHA-256 of files.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub resources: BTreeMap<String, TextSides>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub annotations: BTreeMap<String, TextSides>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub constraints: Option<TextSides>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trust: Option<TrustSides>,
}

/// Which of the two does not have something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Missing {
    Bundle,
    Model,
}

/// Two texts; null for none.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct TextSides {
    pub bundle: Option<String>,
    pub model: Option<String>,
}

/// Two revisions of a charm repository.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct RevisionSides {
    pub bundle: u32,
    pub model: u32,
}

/// Two numbers of units.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct UnitSides {
    pub bundle: u32,
    pub model: u32,
}

/// Two values of an option; null where it is not set.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct OptionSides {
    #[schema(value_type = Option<crate::config::ConfigValue>)]
    pub bundle: Option<Value>,
    #[schema(value_type = Option<crate::config::ConfigValue>)]
    pub model: Option<Value>,
}

/// To whom an application is exposed, by endpoint; null for nobody.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct ExposedSides {
    #[schema(value_type = Option<BTreeMap<String, ExposedEndpoint>>)]
    pub bundle: Option<ExposedEndpoints>,
    #[schema(value_type = Option<BTreeMap<String, ExposedEndpoint>>)]
    pub model: Option<ExposedEndpoints>,
}

/// Whether an application is trusted.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct TrustSides {
    pub bundle: bool,
    pub model: bool,
}

/// Relations that only one of the two has.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "kebab-case")]
pub struct RelationDifference {
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schema(value_type = Vec<Vec<String>>)]
    pub bundle_additions: Vec<[String; 2]>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schema(value_type = Vec<Vec<String>>)]
    pub model_additions: Vec<[String; 2]>,
}

/// What a comparison has to know of a charm.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct ComparedCharm {
    pub sha256: String,
    pub subordinate: bool,
}

impl BundleDifference {
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

impl ComparedCharm {
    /// As they are known for a plan.
    pub fn all(
        charms: &BTreeMap<ApplicationName, (CharmMetadata, String)>,
    ) -> BTreeMap<ApplicationName, ComparedCharm> {
        let compared = |(name, (charm, sha256)): (&ApplicationName, &(CharmMetadata, String))| {
            let charm = ComparedCharm {
                sha256: sha256.clone(),
                subordinate: charm.subordinate,
            };
            (name.clone(), charm)
        };
        charms.iter().map(compared).collect()
    }
}

/// The two ends in a relation's key.
pub(super) fn ends(key: &str) -> Option<[String; 2]> {
    let (requirer, provider) = key.split_once(' ')?;
    Some([requirer.to_owned(), provider.to_owned()])
}

impl Bundle {
    /// Keys of its relations, with the endpoints that it leaves to be found.
    ///
    /// # Errors
    /// Endpoints that do not fit.
    pub fn pairs(
        &self,
        charms: &BTreeMap<ApplicationName, (CharmMetadata, String)>,
    ) -> Result<BTreeSet<String>, PlanError> {
        let relations = self.relations.iter();
        relations
            .map(|ends| super::plan::pair(ends, charms).map(|pair| pair.to_string()))
            .collect()
    }

    /// What differs between it, with the keys of its relations, and the model.
    pub fn difference(
        &self,
        model: &CurrentModel,
        charms: &BTreeMap<ApplicationName, ComparedCharm>,
        pairs: &BTreeSet<String>,
    ) -> BundleDifference {
        let names = self.applications.keys().chain(model.applications.keys());
        let names: BTreeSet<&ApplicationName> = names.collect();
        let mut applications = BTreeMap::new();
        for name in names {
            let found = self.of_application(name, model, charms.get(name));
            if found != ApplicationDifference::default() {
                applications.insert(name.clone(), found);
            }
        }
        let only = |one: &BTreeSet<String>, other: &BTreeSet<String>| {
            let keys = one.difference(other);
            keys.filter_map(|key| ends(key)).collect()
        };
        let relations = RelationDifference {
            bundle_additions: only(pairs, &model.relations),
            model_additions: only(&model.relations, pairs),
        };
        BundleDifference {
            applications,
            relations: (relations != RelationDifference::default()).then_some(relations),
        }
    }

    fn of_application(
        &self,
        name: &ApplicationName,
        model: &CurrentModel,
        charm: Option<&ComparedCharm>,
    ) -> ApplicationDifference {
        let missing = |missing| ApplicationDifference {
            missing: Some(missing),
            ..ApplicationDifference::default()
        };
        let (wanted, there) = match (self.applications.get(name), model.applications.get(name)) {
            (Some(wanted), Some(there)) => (wanted, there),
            (None, _) => return missing(Missing::Bundle),
            (_, None) => return missing(Missing::Model),
        };
        let subordinate = charm.is_some_and(|charm| charm.subordinate);
        let digest = charm.map(|charm| charm.sha256.clone()).unwrap_or_default();
        let differs = digest != there.charm_digest;
        let units = wanted.num_units.unwrap_or(1);
        let constraints = wanted.spelled_constraints();
        ApplicationDifference {
            missing: None,
            charm: differs.then(|| TextSides {
                bundle: Some(digest),
                model: Some(there.charm_digest.clone()),
            }),
            channel: channels(wanted, there),
            revision: differs.then(|| revisions(wanted, there)).flatten(),
            num_units: (!subordinate && units != there.units).then_some(UnitSides {
                bundle: units,
                model: there.units,
            }),
            options: options(&wanted.options, &there.settings),
            expose: exposed(wanted, &there.exposed),
            resources: resources(wanted, &there.resources),
            annotations: texts(&wanted.annotations, &there.annotations),
            constraints: (constraints != there.constraints).then(|| TextSides {
                bundle: Some(constraints),
                model: Some(there.constraints.clone()),
            }),
            trust: (wanted.trust != there.trust).then_some(TrustSides {
                bundle: wanted.trust,
                model: there.trust,
            }),
        }
    }
}

/// A bundle that names no channel is content with any.
fn channels(wanted: &BundleApplication, there: &CurrentApplication) -> Option<TextSides> {
    let channel = wanted.channel.as_ref();
    let channel = channel.filter(|channel| **channel != there.channel)?;
    Some(TextSides {
        bundle: Some(channel.clone()),
        model: Some(there.channel.clone()).filter(|channel| !channel.is_empty()),
    })
}

fn revisions(wanted: &BundleApplication, there: &CurrentApplication) -> Option<RevisionSides> {
    let (bundle, model) = wanted.released.zip(there.revision)?;
    Some(RevisionSides { bundle, model })
}

fn options(
    wanted: &BTreeMap<String, Value>,
    there: &BTreeMap<String, Value>,
) -> BTreeMap<String, OptionSides> {
    let names: BTreeSet<&String> = wanted.keys().chain(there.keys()).collect();
    let differing = names.into_iter();
    let differing = differing.filter(|name| wanted.get(*name) != there.get(*name));
    differing
        .map(|name| {
            let sides = OptionSides {
                bundle: wanted.get(name).cloned(),
                model: there.get(name).cloned(),
            };
            (name.clone(), sides)
        })
        .collect()
}

/// Files are compared by what is in them, and revisions by their numbers.
fn resources(
    wanted: &BundleApplication,
    there: &BTreeMap<String, CurrentResource>,
) -> BTreeMap<String, TextSides> {
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
        (name.clone(), TextSides { bundle, model })
    });
    sides
        .filter(|(_, sides)| sides.bundle != sides.model)
        .collect()
}

fn texts(
    wanted: &BTreeMap<String, String>,
    there: &BTreeMap<String, String>,
) -> BTreeMap<String, TextSides> {
    let keys: BTreeSet<&String> = wanted.keys().chain(there.keys()).collect();
    let keys = keys.into_iter();
    keys.filter(|key| wanted.get(*key) != there.get(*key))
        .map(|key| {
            let sides = TextSides {
                bundle: wanted.get(key).cloned(),
                model: there.get(key).cloned(),
            };
            (key.clone(), sides)
        })
        .collect()
}

/// To whom, where that differs. A bundle that exposes and does not say to whom is content with any.
fn exposed(wanted: &BundleApplication, there: &ExposedEndpoints) -> Option<ExposedSides> {
    let endpoints = &wanted.exposed_endpoints;
    let same = match endpoints.is_empty() {
        true => wanted.expose != there.is_empty(),
        false => Exposure::read(endpoints).is_ok_and(|wanted| wanted.shown() == *there),
    };
    // All of it to everybody is a word of its own.
    let everybody = || Exposure::read(&ExposedEndpoints::new()).map(|whole| whole.shown());
    let shown = |endpoints: &ExposedEndpoints| (!endpoints.is_empty()).then(|| endpoints.clone());
    (!same).then(|| ExposedSides {
        bundle: match endpoints.is_empty() {
            true => wanted.expose.then(everybody).and_then(Result::ok),
            false => shown(endpoints),
        },
        model: shown(there),
    })
}

#[cfg(test)]
mod tests;

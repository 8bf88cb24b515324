//! What is missing in a model so that it holds a bundle.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use thiserror::Error;

use super::{Bundle, BundleApplication, BundleResource};
use crate::charm::CharmMetadata;
use crate::charm::capability::Pattern;
use crate::charm::capability::grant::Choices;
use crate::config::Values;
use crate::constraints::{ConstraintError, Constraints};
use crate::name::{ApplicationName, NameError};
use crate::reach::{ExposedEndpoints, Exposure};
use crate::relation::{EndpointError, EndpointName, Pair};
use crate::storage::Asked;

/// The model as a bundle sees it.
#[derive(Clone, Debug, Default)]
pub struct CurrentModel {
    pub applications: BTreeMap<ApplicationName, CurrentApplication>,
    /// Keys of its relations, `front:website site:website`.
    pub relations: BTreeSet<String>,
}

#[derive(Clone, Debug, Default)]
pub struct CurrentApplication {
    /// SHA-256 of the charm's archive.
    pub charm_digest: String,
    /// The channel of a charm repository that it follows; empty for none.
    pub channel: String,
    /// The repository's revision that its charm is, once somebody read the repository; none for a charm of elsewhere.
    pub revision: Option<u32>,
    pub units: u32,
    /// What was set, without defaults.
    pub settings: Values,
    /// To whom; empty for one that is not exposed.
    pub exposed: ExposedEndpoints,
    /// What is attached, by name of the resource.
    pub resources: BTreeMap<String, CurrentResource>,
    /// What is noted of it.
    pub annotations: BTreeMap<String, String>,
    pub constraints: String,
    pub trust: bool,
    /// What people granted it and denied it of its charm's capabilities.
    pub grants: Vec<Pattern>,
    pub denies: Vec<Pattern>,
}

/// A file that is attached to an application.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CurrentResource {
    pub revision: u64,
    pub sha256: String,
}

/// One thing to do. Steps come in an order in which each can be taken.
#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    Deploy {
        application: ApplicationName,
        /// Of the charm repository, for a charm from there.
        revision: Option<u32>,
        units: u32,
        options: Values,
        storage: BTreeMap<String, Asked>,
        to: Vec<String>,
        constraints: String,
        trust: bool,
        capabilities: Choices,
    },
    Refresh {
        application: ApplicationName,
        /// Of the charm repository, where the charm changes to one from there.
        revision: Option<u32>,
        /// That it follows from then on, where it does not yet.
        channel: Option<String>,
        capabilities: Choices,
    },
    Attach {
        application: ApplicationName,
        resource: String,
    },
    Configure {
        application: ApplicationName,
        set: Values,
    },
    AddUnits {
        application: ApplicationName,
        count: u32,
        to: Vec<String>,
    },
    Expose {
        application: ApplicationName,
        /// Empty for all of it to everybody.
        endpoints: ExposedEndpoints,
    },
    Annotate {
        application: ApplicationName,
        set: BTreeMap<String, String>,
    },
    /// Before units are added, whose machines have these.
    Constrain {
        application: ApplicationName,
        constraints: String,
    },
    Trust {
        application: ApplicationName,
    },
    Integrate {
        pair: Pair,
    },
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Step::Deploy {
                application,
                revision,
                units,
                ..
            } => {
                let from = from_repository(*revision);
                write!(f, "deploy {application}{from} with {}", count_of(*units))
            }
            Step::Refresh {
                application,
                revision,
                channel,
                ..
            } => {
                let revision = revision.map(|revision| format!("repository revision {revision}"));
                let channel = channel.as_ref().map(|channel| format!("channel {channel}"));
                let to: Vec<String> = revision.into_iter().chain(channel).collect();
                match to.is_empty() {
                    true => write!(f, "refresh {application}"),
                    false => write!(f, "refresh {application} to {}", to.join(" and ")),
                }
            }
            Step::Attach {
                application,
                resource,
            } => write!(f, "attach {resource} to {application}"),
            Step::Annotate { application, set } => {
                let names: Vec<&str> = set.keys().map(String::as_str).collect();
                write!(f, "annotate {application}: {}", names.join(", "))
            }
            Step::Configure { application, set } => {
                let names: Vec<&str> = set.keys().map(String::as_str).collect();
                write!(f, "configure {application}: {}", names.join(", "))
            }
            Step::AddUnits {
                application, count, ..
            } => write!(f, "add {} to {application}", count_of(*count)),
            Step::Expose {
                application,
                endpoints,
            } => {
                let names = endpoints.keys().map(String::as_str);
                let names: Vec<&str> = names.filter(|name| !name.is_empty()).collect();
                match names.as_slice() {
                    [] => write!(f, "expose {application}"),
                    names => write!(f, "expose {application}: {}", names.join(", ")),
                }
            }
            Step::Constrain {
                application,
                constraints,
            } => write!(f, "constrain {application}: {constraints}"),
            Step::Trust { application } => write!(f, "trust {application}"),
            Step::Integrate { pair } => write!(f, "integrate {pair}"),
        }
    }
}

/// Why a bundle cannot be planned.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum PlanError {
    #[error("the charm of \"{0}\" is unknown")]
    NoCharm(ApplicationName),
    #[error(
        "the bundle names revision {revision} of resource \"{resource}\" of \"{application}\", which the model does not have; give the path of a file instead"
    )]
    NoRevision {
        application: ApplicationName,
        resource: String,
        revision: u64,
    },
    #[error("the constraints of \"{application}\" are invalid: {error}")]
    Constraints {
        application: ApplicationName,
        error: ConstraintError,
    },
    #[error(
        "\"{0}\" is a subordinate and cannot have constraints: its units run on the machines of their principals"
    )]
    Subordinate(ApplicationName),
    #[error("{why}")]
    Relation {
        /// As the bundle has it.
        relation: String,
        why: RelationError,
    },
}

/// Why two ends make no relation.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum RelationError {
    #[error(transparent)]
    Name(#[from] NameError),
    #[error(transparent)]
    Endpoint(#[from] EndpointError),
}

impl Bundle {
    /// The steps that are missing. `charms` has the charm of each application of the bundle, with
    /// the digest of its archive.
    pub fn plan(
        &self,
        model: &CurrentModel,
        charms: &BTreeMap<ApplicationName, (CharmMetadata, String)>,
    ) -> Result<Vec<Step>, PlanError> {
        let mut steps = Vec::new();
        for (name, wanted) in &self.applications {
            let (charm, digest) = charms
                .get(name)
                .ok_or_else(|| PlanError::NoCharm(name.clone()))?;
            let application = name.clone();
            // A subordinate's units come and go with those of its principals.
            let units = match wanted.num_units {
                _ if charm.subordinate => 0,
                Some(units) => units,
                None => 1,
            };
            let constraints = constraints(name, wanted, charm)?;
            let Some(current) = model.applications.get(name) else {
                steps.push(Step::Deploy {
                    application: application.clone(),
                    revision: wanted.released,
                    units,
                    options: wanted.options.clone(),
                    storage: wanted.storage.clone(),
                    to: wanted.to.clone(),
                    constraints,
                    trust: wanted.trust,
                    capabilities: wanted.choices(),
                });
                // Files go up with the deployment.
                attach(name, wanted, &BTreeMap::new())?;
                steps.extend(expose(
                    application.clone(),
                    wanted,
                    &ExposedEndpoints::new(),
                ));
                steps.extend(annotate(application, wanted, &BTreeMap::new()));
                continue;
            };
            let changes = current.charm_digest != *digest;
            let channel = wanted.channel.as_ref();
            let channel = channel.filter(|channel| **channel != current.channel);
            if changes || channel.is_some() {
                steps.push(Step::Refresh {
                    application: application.clone(),
                    revision: wanted.released.filter(|_| changes),
                    channel: channel.cloned(),
                    // The same charm from another channel needs nothing new.
                    capabilities: match changes {
                        true => wanted.choices(),
                        false => Choices::default(),
                    },
                });
            }
            steps.extend(attach(name, wanted, &current.resources)?);
            let differs =
                |(option, value): &(&String, _)| current.settings.get(*option) != Some(*value);
            let set: Values = wanted
                .options
                .iter()
                .filter(differs)
                .map(|(option, value)| (option.clone(), value.clone()))
                .collect();
            if !set.is_empty() {
                steps.push(Step::Configure {
                    application: application.clone(),
                    set,
                });
            }
            if !constraints.is_empty() && constraints != current.constraints {
                steps.push(Step::Constrain {
                    application: application.clone(),
                    constraints,
                });
            }
            if wanted.trust && !current.trust {
                steps.push(Step::Trust {
                    application: application.clone(),
                });
            }
            if units > current.units {
                steps.push(Step::AddUnits {
                    application: application.clone(),
                    count: units - current.units,
                    to: wanted
                        .to
                        .iter()
                        .skip(current.units as usize)
                        .cloned()
                        .collect(),
                });
            }
            steps.extend(expose(application.clone(), wanted, &current.exposed));
            steps.extend(annotate(application, wanted, &current.annotations));
        }
        // A file of the largest size names tens of thousands: each is looked up, not searched for.
        let mut known = BTreeSet::new();
        for ends in &self.relations {
            let pair = pair(ends, charms)?;
            let key = pair.to_string();
            if !model.relations.contains(&key) && known.insert(key) {
                steps.push(Step::Integrate { pair });
            }
        }
        Ok(steps)
    }
}

/// The relation of two ends, with the endpoints that are left to be found.
pub(super) fn pair(
    ends: &[String; 2],
    charms: &BTreeMap<ApplicationName, (CharmMetadata, String)>,
) -> Result<Pair, PlanError> {
    let wrong = |why: RelationError| PlanError::Relation {
        relation: ends.join(" "),
        why,
    };
    let read = |end: &String| {
        end.parse::<EndpointName>()
            .map_err(|error| wrong(error.into()))
    };
    let charm = |end: &EndpointName| {
        let known = charms.get(&end.application);
        let known = known.map(|(charm, _)| charm);
        known.ok_or_else(|| PlanError::NoCharm(end.application.clone()))
    };
    let (first, second) = (read(&ends[0])?, read(&ends[1])?);
    let found = Pair::find((&first, charm(&first)?), (&second, charm(&second)?));
    found.map_err(|error| wrong(error.into()))
}

/// What is said of an application's machines, in its one spelling.
fn constraints(
    application: &ApplicationName,
    wanted: &BundleApplication,
    charm: &CharmMetadata,
) -> Result<String, PlanError> {
    let said = Constraints::said(&wanted.constraints);
    let said = said.map_err(|error| PlanError::Constraints {
        application: application.clone(),
        error,
    })?;
    match charm.subordinate && !said.is_empty() {
        true => Err(PlanError::Subordinate(application.clone())),
        false => Ok(said.to_string()),
    }
}

/// The files that are not attached yet. A revision is one that is attached already: no other is kept.
fn attach(
    application: &ApplicationName,
    wanted: &BundleApplication,
    current: &BTreeMap<String, CurrentResource>,
) -> Result<Vec<Step>, PlanError> {
    let mut steps = Vec::new();
    for (resource, given) in &wanted.resources {
        let there = current.get(resource);
        match given {
            BundleResource::Revision(revision)
                if there.is_none_or(|there| there.revision != *revision) =>
            {
                return Err(PlanError::NoRevision {
                    application: application.clone(),
                    resource: resource.clone(),
                    revision: *revision,
                });
            }
            BundleResource::Revision(_) => {}
            BundleResource::File(_) => {
                if there.map(|there| &there.sha256) != wanted.digests.get(resource) {
                    steps.push(Step::Attach {
                        application: application.clone(),
                        resource: resource.clone(),
                    });
                }
            }
        }
    }
    Ok(steps)
}

/// What is to be noted of an application and is not, or otherwise.
fn annotate(
    application: ApplicationName,
    wanted: &BundleApplication,
    current: &BTreeMap<String, String>,
) -> Option<Step> {
    let missing = wanted.annotations.iter();
    let missing = missing.filter(|(key, text)| current.get(*key) != Some(*text));
    let set: BTreeMap<String, String> = missing
        .map(|(key, text)| (key.clone(), text.clone()))
        .collect();
    (!set.is_empty()).then_some(Step::Annotate { application, set })
}

/// How an application is to be exposed, unless it is. One that is to be so without saying to whom is
/// left with the addresses that it is exposed to.
fn expose(
    application: ApplicationName,
    wanted: &BundleApplication,
    current: &ExposedEndpoints,
) -> Option<Step> {
    let endpoints = &wanted.exposed_endpoints;
    let missing = match endpoints.is_empty() {
        true => wanted.expose && current.is_empty(),
        // What is misspelt is the controller's to refuse.
        false => Exposure::read(endpoints).map_or(true, |wanted| {
            let wanted = wanted.shown().into_iter();
            wanted
                .into_iter()
                .any(|(name, to)| current.get(&name) != Some(&to))
        }),
    };
    missing.then(|| Step::Expose {
        application,
        endpoints: endpoints.clone(),
    })
}

/// Which revision of the charm repository is deployed, where it is one.
pub(super) fn from_repository(revision: Option<u32>) -> String {
    match revision {
        Some(revision) => format!(" from repository revision {revision}"),
        None => String::new(),
    }
}

fn count_of(units: u32) -> String {
    match units {
        1 => "1 unit".to_owned(),
        more => format!("{more} units"),
    }
}

//! The file: `applications`, `machines`, `relations`, and overlays over them.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use thiserror::Error;

use super::released::read_revision;
use crate::charm::capability::Pattern;
use crate::charm::capability::grant::Choices;
use crate::config::Values;
use crate::constraints::Constraints;
use crate::hook::commit::Refused;
use crate::name::ApplicationName;
use crate::reach::ExposedEndpoints;
use crate::refusal::Refusal;
use crate::relation::EndpointName;
use crate::storage::{Asked, is_storage_name};

/// A bundle, its overlays applied.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Bundle {
    #[serde(skip_serializing_if = "String::is_empty")]
    pub name: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub description: String,
    pub applications: BTreeMap<ApplicationName, BundleApplication>,
    /// Machines that units are placed on, by the number the bundle gives them.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub machines: BTreeSet<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub relations: Vec<[String; 2]>,
    /// Keys of the file that mean nothing here, as `applications.site.bindings`.
    #[serde(skip)]
    pub ignored: BTreeSet<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct BundleApplication {
    /// A path, relative to the bundle's file, or the name of a charm.
    pub charm: String,
    /// The channel of the charm repository that it follows; the default one where none is named.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub channel: Option<String>,
    /// A revision of the charm repository, whatever its channel is at.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub revision: Option<u32>,
    /// The repository's revision that its charm is, once somebody read the repository.
    #[serde(skip)]
    pub released: Option<u32>,
    /// None for a subordinate.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub num_units: Option<u32>,
    /// Where units go, one entry a unit: a machine of the bundle, or `new`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub to: Vec<String>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub options: Values,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub expose: bool,
    /// Instead of all of it to everybody.
    #[serde(
        rename = "exposed-endpoints",
        skip_serializing_if = "BTreeMap::is_empty"
    )]
    pub exposed_endpoints: ExposedEndpoints,
    /// Files beside the charm, by name of the resource.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub resources: BTreeMap<String, BundleResource>,
    /// What each unit is given of the charm's storage, once it is deployed: `loop,1,10G`.
    #[serde(skip_serializing_if = "BTreeMap::is_empty", serialize_with = "as_text")]
    pub storage: BTreeMap<String, Asked>,
    /// SHA-256 of the files among them, once somebody read them.
    #[serde(skip)]
    pub digests: BTreeMap<String, String>,
    /// What is to be noted of it.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub annotations: BTreeMap<String, String>,
    /// What its machines have to be like; empty where nothing is said.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub constraints: String,
    /// Trust it with the cloud's credential.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub trust: bool,
    /// Capabilities that it is granted; with `trust` all that its charm declares.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub grants: Vec<Pattern>,
    /// Capabilities that it is denied.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub denies: Vec<Pattern>,
}

impl BundleApplication {
    /// What is decided about what its charm declares.
    pub(super) fn choices(&self) -> Choices {
        Choices {
            grant: self.grants.clone(),
            grant_all: self.trust,
            deny: self.denies.clone(),
        }
    }

    /// Its constraints in their one spelling; as they are written where they are none, which
    /// [`plan`](super::Bundle::plan) refuses.
    pub fn spelled_constraints(&self) -> String {
        match self.constraints.parse::<Constraints>() {
            Ok(constraints) => constraints.to_string(),
            Err(_) => self.constraints.clone(),
        }
    }
}

/// What a bundle gives an application for a resource.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum BundleResource {
    /// That is attached to the application already.
    Revision(u64),
    /// A path, relative to the bundle's file.
    File(String),
}

/// What is wrong with a bundle's file.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum BundleError {
    #[error("the bundle cannot be read: {message}")]
    Unreadable { message: String, line: Option<u64> },
    #[error("a bundle needs applications")]
    Empty,
    #[error("application \"{0}\" names no charm")]
    NoCharm(String),
    #[error(
        "application \"{application}\" has revision {revision}, but revisions are whole numbers from 0"
    )]
    NotARevision {
        application: String,
        /// As the file has it.
        revision: String,
    },
    #[error(
        "application \"{application}\" has revision {revision} of \"{charm}\", but only charms of a charm repository have revisions"
    )]
    RevisionOfFile {
        application: String,
        charm: String,
        revision: u32,
    },
    #[error("relation {0} is not a pair of endpoints")]
    NotAPair(String),
    #[error("relation {relation} names \"{application}\", which the bundle does not have")]
    UnknownApplication {
        relation: String,
        application: String,
    },
    #[error(
        "application \"{application}\" is placed on machine \"{machine}\", which the bundle does not have"
    )]
    UnknownMachine {
        application: String,
        machine: String,
    },
    #[error("application \"{application}\" has {places} placements for {units} units")]
    TooManyPlacements {
        application: String,
        places: usize,
        units: u32,
    },
    #[error("application \"{application}\" asks for storage \"{storage}\": {why}")]
    Storage {
        application: String,
        storage: String,
        why: String,
    },
    #[error("the overlay removes application \"{0}\", which the bundle does not have")]
    NothingToRemove(String),
}

impl BundleError {
    pub fn refusal(&self) -> Refusal {
        match self {
            BundleError::Unreadable { .. } => Refusal::BundleUnreadable,
            BundleError::Empty => Refusal::BundleEmpty,
            BundleError::NoCharm(_) => Refusal::BundleCharmMissing,
            BundleError::NotARevision { .. } | BundleError::RevisionOfFile { .. } => {
                Refusal::BundleRevisionInvalid
            }
            BundleError::NotAPair(_) | BundleError::UnknownApplication { .. } => {
                Refusal::BundleRelationInvalid
            }
            BundleError::UnknownMachine { .. } | BundleError::TooManyPlacements { .. } => {
                Refusal::BundlePlacementInvalid
            }
            BundleError::Storage { .. } => Refusal::BundleStorageInvalid,
            BundleError::NothingToRemove(_) => Refusal::BundleOverlayInvalid,
        }
    }

    pub fn code(&self) -> &'static str {
        self.refusal().code()
    }
}

/// A file as written: an overlay may leave out everything, and removes what it sets to null.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Written {
    name: String,
    description: String,
    applications: BTreeMap<ApplicationName, Option<WrittenApplication>>,
    machines: BTreeMap<String, Option<serde_json::Value>>,
    relations: Vec<WrittenRelation>,
    #[serde(flatten)]
    other: BTreeMap<String, serde_json::Value>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct WrittenApplication {
    charm: Option<String>,
    #[serde(deserialize_with = "said")]
    channel: Option<Option<String>>,
    #[serde(deserialize_with = "said")]
    revision: Option<Option<serde_json::Value>>,
    #[serde(alias = "scale")]
    num_units: Option<u32>,
    #[serde(deserialize_with = "one_or_many")]
    to: Option<Vec<String>>,
    options: BTreeMap<String, Option<crate::config::Value>>,
    expose: Option<bool>,
    #[serde(rename = "exposed-endpoints")]
    exposed_endpoints: Option<ExposedEndpoints>,
    resources: BTreeMap<String, Option<BundleResource>>,
    storage: BTreeMap<String, Option<crate::config::Value>>,
    annotations: BTreeMap<String, Option<crate::config::Value>>,
    constraints: Option<String>,
    trust: Option<bool>,
    grants: Option<Vec<Pattern>>,
    denies: Option<Vec<Pattern>>,
    #[serde(flatten)]
    other: BTreeMap<String, serde_json::Value>,
}

/// `[a, b]`, or one to many: `[[a], [b, c]]`.
#[derive(Deserialize)]
#[serde(untagged)]
enum WrittenRelation {
    Pair([String; 2]),
    Many([OneOrMany; 2]),
    Other(serde_json::Value),
}

#[derive(Deserialize)]
#[serde(untagged)]
enum OneOrMany {
    One(String),
    Number(u64),
    Many(Vec<String>),
}

impl OneOrMany {
    fn all(self) -> Vec<String> {
        match self {
            OneOrMany::One(one) => vec![one],
            OneOrMany::Number(number) => vec![number.to_string()],
            OneOrMany::Many(many) => many,
        }
    }
}

/// Tells what is null, which takes back what an earlier file set, from what is left out.
fn said<'de, D, T>(reader: D) -> Result<Option<Option<T>>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    Option::<T>::deserialize(reader).map(Some)
}

fn one_or_many<'de, D: Deserializer<'de>>(reader: D) -> Result<Option<Vec<String>>, D::Error> {
    Ok(Option::<OneOrMany>::deserialize(reader)?.map(OneOrMany::all))
}

fn as_text<S: Serializer>(storage: &BTreeMap<String, Asked>, writer: S) -> Result<S::Ok, S::Error> {
    writer.collect_map(
        storage
            .iter()
            .map(|(name, asked)| (name, asked.to_string())),
    )
}

impl Bundle {
    /// Reads a bundle and lays the overlays over it, in their order.
    pub fn parse(text: &str, overlays: &[&str]) -> Result<Bundle, BundleError> {
        let mut bundle = Bundle::default();
        bundle.lay(read(text)?)?;
        for overlay in overlays {
            bundle.lay(read(overlay)?)?;
        }
        bundle.ignore_channels_of_files();
        bundle.check()?;
        Ok(bundle)
    }

    fn lay(&mut self, written: Written) -> Result<(), BundleError> {
        if !written.name.is_empty() {
            self.name = written.name;
        }
        if !written.description.is_empty() {
            self.description = written.description;
        }
        self.ignored.extend(written.other.into_keys());
        self.machines.extend(written.machines.into_keys());
        for (name, application) in written.applications {
            match application {
                Some(application) => self.lay_application(name, application)?,
                None => self.remove(&name)?,
            }
        }
        for relation in written.relations {
            for pair in pairs(relation)? {
                if !self.relations.contains(&pair) {
                    self.relations.push(pair);
                }
            }
        }
        Ok(())
    }

    fn lay_application(
        &mut self,
        name: ApplicationName,
        written: WrittenApplication,
    ) -> Result<(), BundleError> {
        let ignored = written.other.into_keys();
        self.ignored
            .extend(ignored.map(|key| format!("applications.{name}.{key}")));
        let application = self.applications.entry(name.clone()).or_default();
        if let Some(charm) = written.charm {
            application.charm = charm;
        }
        if let Some(channel) = written.channel {
            application.channel = channel;
        }
        if let Some(revision) = written.revision {
            let read = revision.map(|given| read_revision(&name, &given));
            application.revision = read.transpose()?;
        }
        application.num_units = written.num_units.or(application.num_units);
        if let Some(to) = written.to {
            application.to = to;
        }
        application.expose = written.expose.unwrap_or(application.expose);
        application.trust = written.trust.unwrap_or(application.trust);
        if let Some(grants) = written.grants {
            application.grants = grants;
        }
        if let Some(denies) = written.denies {
            application.denies = denies;
        }
        if let Some(constraints) = written.constraints {
            application.constraints = constraints;
        }
        if let Some(endpoints) = written.exposed_endpoints {
            application.exposed_endpoints = endpoints;
        }
        for (resource, given) in written.resources {
            match given {
                Some(given) => application.resources.insert(resource, given),
                None => application.resources.remove(&resource),
            };
        }
        for (storage, given) in written.storage {
            let wrong = |why: String| BundleError::Storage {
                application: name.to_string(),
                storage: storage.clone(),
                why,
            };
            // What stands in braces without quotes ends at its first comma.
            if !is_storage_name(&storage) {
                let why = "no storage has such a name; put quotes around what has commas";
                return Err(wrong(why.to_owned()));
            }
            let asked = given.map(|given| given.to_string().parse::<Asked>());
            match asked
                .transpose()
                .map_err(|error: Refused| wrong(error.why))?
            {
                Some(asked) => application.storage.insert(storage, asked),
                None => application.storage.remove(&storage),
            };
        }
        for (key, value) in written.annotations {
            match value {
                Some(value) => application.annotations.insert(key, value.to_string()),
                None => application.annotations.remove(&key),
            };
        }
        for (option, value) in written.options {
            match value {
                Some(value) => application.options.insert(option, value),
                None => application.options.remove(&option),
            };
        }
        Ok(())
    }

    /// Takes an application away, with its relations.
    fn remove(&mut self, name: &ApplicationName) -> Result<(), BundleError> {
        if self.applications.remove(name).is_none() {
            return Err(BundleError::NothingToRemove(name.to_string()));
        }
        self.relations
            .retain(|pair| pair.iter().all(|end| application_of(end) != name.as_str()));
        Ok(())
    }

    fn check(&self) -> Result<(), BundleError> {
        if self.applications.is_empty() {
            return Err(BundleError::Empty);
        }
        for (name, application) in &self.applications {
            if application.charm.is_empty() {
                return Err(BundleError::NoCharm(name.to_string()));
            }
            if let Some(revision) = application.revision
                && !application.is_named()
            {
                return Err(application.revision_of_file(name, revision));
            }
            let units = application.num_units.unwrap_or(0);
            if application.to.len() > units as usize {
                return Err(BundleError::TooManyPlacements {
                    application: name.to_string(),
                    places: application.to.len(),
                    units,
                });
            }
            let unknown = |place: &&String| *place != "new" && !self.machines.contains(*place);
            if let Some(machine) = application.to.iter().find(unknown) {
                return Err(BundleError::UnknownMachine {
                    application: name.to_string(),
                    machine: machine.clone(),
                });
            }
        }
        for pair in &self.relations {
            for end in pair {
                let name: EndpointName = end
                    .parse()
                    .map_err(|_| BundleError::NotAPair(pair.join(" ")))?;
                if !self.applications.contains_key(&name.application) {
                    return Err(BundleError::UnknownApplication {
                        relation: pair.join(" "),
                        application: name.application.to_string(),
                    });
                }
            }
        }
        Ok(())
    }
}

fn read(text: &str) -> Result<Written, BundleError> {
    serde_saphyr::from_str(text).map_err(|error| BundleError::Unreadable {
        message: error.to_string(),
        line: error.location().map(|location| location.line()),
    })
}

fn pairs(written: WrittenRelation) -> Result<Vec<[String; 2]>, BundleError> {
    match written {
        WrittenRelation::Pair(pair) => Ok(vec![pair]),
        WrittenRelation::Many([first, second]) => {
            let (first, second) = (first.all(), second.all());
            let [one] = first.as_slice() else {
                return Err(BundleError::NotAPair(first.join(" ")));
            };
            Ok(second
                .into_iter()
                .map(|other| [one.clone(), other])
                .collect())
        }
        WrittenRelation::Other(other) => Err(BundleError::NotAPair(other.to_string())),
    }
}

fn application_of(end: &str) -> &str {
    end.split_once(':')
        .map_or(end, |(application, _)| application)
}

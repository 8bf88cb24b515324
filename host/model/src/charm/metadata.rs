//! What a charm says of itself: name, endpoints, storage, resources, containers.
//!
//! The shape is that of Juju's `metadata.yaml`, which `charmcraft.yaml` shares. Keys that only
//! build tools read (`parts`, `bases`, `links`, ...) are skipped; values that later parts of
//! the controller interpret (`assumes`) are kept as data.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Deserializer, Serialize};

use super::url::check_name;
use crate::bounds::{CHARM_CONTAINERS, CHARM_RESOURCES, RESOURCE_FILE_NAME_BYTES};
use crate::relation::JUJU_INFO;
use crate::storage::{CountRange, locations_are_sound, mib_of};

#[cfg(test)]
mod tests;

/// Metadata of a charm, checked by [`CharmMetadata::check`].
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "kebab-case")]
pub struct CharmMetadata {
    pub name: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub display_name: String,
    #[serde(default)]
    #[schema(required = true)]
    pub summary: String,
    #[serde(default)]
    #[schema(required = true)]
    pub description: String,
    #[serde(default)]
    #[schema(required = true)]
    pub subordinate: bool,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub provides: BTreeMap<String, Endpoint>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub requires: BTreeMap<String, Endpoint>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub peers: BTreeMap<String, Endpoint>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub storage: BTreeMap<String, Storage>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub resources: BTreeMap<String, Resource>,
    /// What the charm runs by itself, by class.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub payloads: BTreeMap<String, PayloadClass>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub containers: BTreeMap<String, Container>,
    /// Features the charm needs of the controller, as written.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub assumes: Vec<serde_json::Value>,
    /// Names of networks the charm can bind beyond its endpoints.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub extra_bindings: BTreeMap<String, serde_json::Value>,
}

/// Whether a relation spans applications or stays inside one principal's container.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Scope {
    #[default]
    Global,
    Container,
}

impl std::fmt::Display for Scope {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Scope::Global => "global",
            Scope::Container => "container",
        })
    }
}

/// One end of a relation a charm can take part in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "kebab-case")]
pub struct Endpoint {
    pub interface: String,
    pub scope: Scope,
    /// At most so many relations at a time; none means no limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
    pub optional: bool,
}

impl<'de> Deserialize<'de> for Endpoint {
    /// Reads `{interface: ..., scope: ..., limit: ..., optional: ...}` or the short form, the
    /// interface alone.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Written {
            Short(String),
            Long {
                interface: String,
                #[serde(default)]
                scope: Scope,
                #[serde(default)]
                limit: Option<u32>,
                #[serde(default)]
                optional: bool,
            },
        }
        Ok(match Written::deserialize(deserializer)? {
            Written::Short(interface) => Endpoint {
                interface,
                scope: Scope::Global,
                limit: None,
                optional: false,
            },
            Written::Long {
                interface,
                scope,
                limit,
                optional,
            } => Endpoint {
                interface,
                scope,
                limit: limit.filter(|limit| *limit > 0),
                optional,
            },
        })
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum StorageKind {
    Filesystem,
    Block,
}

/// Storage the charm can be given.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "kebab-case")]
pub struct Storage {
    #[serde(rename = "type")]
    pub kind: StorageKind,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
    #[serde(default)]
    pub shared: bool,
    #[serde(default)]
    pub read_only: bool,
    /// Size with its unit, as written (`1G`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub minimum_size: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub location: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub multiple: Option<Multiple>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub properties: Vec<String>,
}

/// How many instances of a storage a unit may hold: `2`, `0-3`, `1-`, `1+`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Multiple {
    pub range: Count,
}

/// A count as written; YAML reads `2` as a number and `0-3` as text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(untagged)]
pub enum Count {
    Exactly(u32),
    Range(String),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ResourceKind {
    File,
    OciImage,
}

/// A file or image the operator provides beside the charm.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "kebab-case")]
pub struct Resource {
    #[serde(rename = "type")]
    pub kind: ResourceKind,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub filename: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub upstream_source: Option<String>,
}

impl Resource {
    /// What its file is called for the charm: as declared, else as the resource itself.
    pub fn file_name<'a>(&'a self, name: &'a str) -> &'a str {
        let declared = self.filename.as_deref();
        declared.filter(|file| is_file_name(file)).unwrap_or(name)
    }
}

/// Whether it is the name of one file, and no path.
fn is_file_name(name: &str) -> bool {
    let is_dots = name == "." || name == "..";
    let plain = |c: char| c != '/' && c != '\\' && !c.is_control();
    !name.is_empty()
        && !is_dots
        && !RESOURCE_FILE_NAME_BYTES.exceeded_by(name.len())
        && name.chars().all(plain)
}

/// What payloads of one class are.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "kebab-case")]
pub struct PayloadClass {
    /// As the charm calls it, `docker` or `process`.
    #[serde(rename = "type")]
    pub kind: String,
}

/// A workload container of a charm for Kubernetes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "kebab-case")]
pub struct Container {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resource: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub mounts: Vec<Mount>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Mount {
    pub storage: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub location: Option<String>,
}

impl CharmMetadata {
    /// The endpoints, with the one that every charm provides.
    pub fn endpoints(&self) -> BTreeSet<String> {
        let declared = self.provides.keys().chain(self.requires.keys());
        let declared = declared.chain(self.peers.keys()).cloned();
        declared.chain([JUJU_INFO.to_owned()]).collect()
    }

    /// What can be bound to a network, opened to and exposed by itself: endpoints and extra bindings.
    pub fn bindings(&self) -> BTreeSet<String> {
        let mut bindings = self.endpoints();
        bindings.extend(self.extra_bindings.keys().cloned());
        bindings
    }

    /// Checks what the shape alone does not say. The error is a sentence for the author.
    pub fn check(&self) -> Result<(), String> {
        check_name(&self.name).map_err(|error| error.to_string())?;
        let roles = [
            ("provides", &self.provides),
            ("requires", &self.requires),
            ("peers", &self.peers),
        ];
        let mut seen = BTreeMap::new();
        for (role, endpoints) in roles {
            for (name, endpoint) in endpoints {
                check_word("endpoint", name)?;
                check_word("interface", &endpoint.interface)?;
                if role != "requires" && (name == "juju" || name.starts_with("juju-")) {
                    return Err(format!(
                        "endpoint \"{name}\" is reserved: choose a name without \"juju-\""
                    ));
                }
                if let Some(other) = seen.insert(name.as_str(), role) {
                    return Err(format!(
                        "endpoint \"{name}\" stands under {other} and under {role}; a name is used once"
                    ));
                }
            }
        }
        if self.subordinate
            && !self
                .requires
                .values()
                .any(|endpoint| endpoint.scope == Scope::Container)
        {
            return Err(
                "a subordinate charm needs an endpoint under requires with \"scope: container\""
                    .to_owned(),
            );
        }
        for (name, storage) in &self.storage {
            check_word("storage", name)?;
            let wrong = |why| format!("storage \"{name}\": {why}");
            CountRange::of(storage.multiple.as_ref()).map_err(wrong)?;
            if let Some(size) = &storage.minimum_size {
                mib_of(size).map_err(wrong)?;
            }
        }
        locations_are_sound(&self.storage)?;
        self.resources
            .keys()
            .try_for_each(|name| check_word("resource", name))?;
        if CHARM_RESOURCES.exceeded_by(self.resources.len()) {
            return Err(format!(
                "{} resources, {} at most",
                self.resources.len(),
                CHARM_RESOURCES.most
            ));
        }
        for (name, resource) in &self.resources {
            if let Some(file) = &resource.filename
                && !is_file_name(file)
            {
                return Err(format!(
                    "resource \"{name}\" has the file name \"{file}\"; write the name of a file, without folders"
                ));
            }
        }
        for (class, declared) in &self.payloads {
            check_word("payload", class)?;
            check_word("the type of a payload", &declared.kind)?;
        }
        if CHARM_CONTAINERS.exceeded_by(self.containers.len()) {
            return Err(format!(
                "{} containers, {} at most",
                self.containers.len(),
                CHARM_CONTAINERS.most
            ));
        }
        for (name, container) in &self.containers {
            check_word("container", name)?;
            if let Some(resource) = &container.resource
                && !self.resources.contains_key(resource)
            {
                return Err(format!(
                    "container \"{name}\" uses resource \"{resource}\", which is not under resources"
                ));
            }
            for mount in &container.mounts {
                if !self.storage.contains_key(&mount.storage) {
                    return Err(format!(
                        "container \"{name}\" mounts storage \"{}\", which is not under storage",
                        mount.storage
                    ));
                }
            }
        }
        Ok(())
    }
}

fn check_word(kind: &str, word: &str) -> Result<(), String> {
    let sound = word.len() <= 64
        && word.starts_with(|c: char| c.is_ascii_alphabetic())
        && word
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c));
    if sound {
        Ok(())
    } else {
        Err(format!(
            "{kind} \"{word}\" is not a valid name: start with a letter, go on with letters, digits, dashes, dots or underscores, 64 at most"
        ))
    }
}

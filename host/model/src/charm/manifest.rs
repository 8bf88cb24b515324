//! The YAML files of a charm read together: `metadata.yaml` or `charmcraft.yaml`,
//! `config.yaml`, `actions.yaml`, `capabilities.yaml`, `metrics.yaml`.
//!
//! A separate file wins over the same part of `charmcraft.yaml`, which is what Juju's tooling
//! does when it packs.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use thiserror::Error;

use super::actions::{self, Actions};
use super::capability::Declaration;
use super::capability::read::{Asked, Capabilities};
use super::metadata::CharmMetadata;
use super::metrics::{self, Metrics};
use super::{Access, Workload};
use crate::Refusal;
use crate::config::{ConfigOption, Kind, Schema, Value};

#[cfg(test)]
mod tests;

/// The texts of the files that are present.
#[derive(Clone, Copy, Debug, Default)]
pub struct ManifestFiles<'a> {
    pub metadata: Option<&'a str>,
    pub charmcraft: Option<&'a str>,
    pub config: Option<&'a str>,
    pub actions: Option<&'a str>,
    pub capabilities: Option<&'a str>,
    pub metrics: Option<&'a str>,
}

impl ManifestFiles<'_> {
    /// File names in the order of the fields above.
    pub const NAMES: [&'static str; 6] = [
        "metadata.yaml",
        "charmcraft.yaml",
        "config.yaml",
        "actions.yaml",
        "capabilities.yaml",
        "metrics.yaml",
    ];
}

/// What the files say, checked.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Manifest {
    pub metadata: CharmMetadata,
    pub config: Schema,
    pub actions: Actions,
    /// What the charm asks for beyond what every charm has, each with its reason.
    pub declared: Declaration,
    /// Directories that a principal and its subordinates share, by name.
    pub shared: BTreeMap<String, Access>,
    /// What the services of its containers may have.
    pub workload: BTreeMap<String, Workload>,
    pub metrics: Metrics,
}

/// A file that does not say what a charm must say.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum ManifestError {
    #[error("the charm has neither metadata.yaml nor charmcraft.yaml at its root")]
    Missing,
    #[error("{file}: {reason}")]
    Metadata { file: &'static str, reason: String },
    #[error("{file}: {reason}")]
    Config { file: &'static str, reason: String },
    #[error("{file}: {reason}")]
    Metrics { file: &'static str, reason: String },
    #[error("{file}: {reason}")]
    Actions { file: &'static str, reason: String },
    /// `hint` is what to do, as a part of the sentence.
    #[error(
        "{file}: capability \"{name}\" is not one this version can grant; it can grant {known}{hint}"
    )]
    Capability {
        file: &'static str,
        name: String,
        known: String,
        hint: String,
    },
    #[error("{file}: capability \"{name}\": {reason}")]
    CapabilityInvalid {
        file: &'static str,
        name: &'static str,
        reason: String,
    },
}

impl ManifestError {
    pub fn refusal(&self) -> Refusal {
        match self {
            ManifestError::Missing => Refusal::CharmMetadataMissing,
            ManifestError::Metadata { .. } => Refusal::CharmMetadataInvalid,
            ManifestError::Config { .. } => Refusal::CharmConfigInvalid,
            ManifestError::Metrics { .. } => Refusal::CharmMetricsInvalid,
            ManifestError::Actions { .. } => Refusal::CharmActionsInvalid,
            ManifestError::Capability { .. } => Refusal::CharmCapabilityUnknown,
            ManifestError::CapabilityInvalid { .. } => Refusal::CharmCapabilityInvalid,
        }
    }
}

/// The parts of `charmcraft.yaml` that stand elsewhere in the older layout.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Parts {
    config: Option<OptionsFile>,
    actions: Option<Actions>,
    capabilities: Option<Asked>,
}

#[derive(Deserialize)]
struct OptionsFile {
    #[serde(default)]
    options: Option<BTreeMap<String, OptionEntry>>,
}

#[derive(Deserialize)]
struct OptionEntry {
    #[serde(rename = "type", default)]
    kind: Option<Kind>,
    #[serde(default)]
    description: Option<String>,
    #[serde(default)]
    default: Option<Value>,
}

impl Manifest {
    /// Reads and checks the files of a charm.
    pub fn read(files: ManifestFiles<'_>) -> Result<Self, ManifestError> {
        let [
            metadata_file,
            charmcraft_file,
            config_file,
            actions_file,
            capabilities_file,
            metrics_file,
        ] = ManifestFiles::NAMES;
        let (file, text) = match (files.metadata, files.charmcraft) {
            (Some(text), _) => (metadata_file, text),
            (None, Some(text)) => (charmcraft_file, text),
            (None, None) => return Err(ManifestError::Missing),
        };
        let metadata: CharmMetadata =
            yaml(text).map_err(|reason| ManifestError::Metadata { file, reason })?;
        metadata
            .check()
            .map_err(|reason| ManifestError::Metadata { file, reason })?;

        let parts: Parts = match (files.charmcraft, files.metadata) {
            (Some(text), _) => yaml(text).map_err(|reason| ManifestError::Metadata {
                file: charmcraft_file,
                reason,
            })?,
            // `capabilities` may stand in the older layout's main file too; its config and
            // actions may not.
            (None, Some(text)) => {
                let parts: Parts =
                    yaml(text).map_err(|reason| ManifestError::Metadata { file, reason })?;
                Parts {
                    config: None,
                    actions: None,
                    ..parts
                }
            }
            (None, None) => Parts::default(),
        };

        let (file, options) = match files.config {
            Some(text) => {
                let file = config_file;
                (
                    file,
                    yaml_or_empty(text).map_err(|reason| ManifestError::Config { file, reason })?,
                )
            }
            None => (charmcraft_file, parts.config),
        };
        let config = schema(options).map_err(|reason| ManifestError::Config { file, reason })?;

        let (file, declared) = match files.actions {
            Some(text) => {
                let file = actions_file;
                (
                    file,
                    yaml_or_empty(text)
                        .map_err(|reason| ManifestError::Actions { file, reason })?,
                )
            }
            None => (charmcraft_file, parts.actions),
        };
        let actions = declared.unwrap_or_default();
        actions::check(&actions).map_err(|reason| ManifestError::Actions { file, reason })?;

        let (file, asked) = match files.capabilities {
            Some(text) => {
                let file = capabilities_file;
                (
                    file,
                    yaml_or_empty(text)
                        .map_err(|reason| ManifestError::Metadata { file, reason })?,
                )
            }
            None => (
                if files.charmcraft.is_some() {
                    charmcraft_file
                } else {
                    metadata_file
                },
                parts.capabilities,
            ),
        };
        let asked = Capabilities::read(asked, file, &metadata)?;

        let refuse = |reason| ManifestError::Metrics {
            file: metrics_file,
            reason,
        };
        let declared = yaml_or_empty(files.metrics.unwrap_or_default()).map_err(refuse)?;
        let metrics = metrics::read(&declared.unwrap_or_default()).map_err(refuse)?;

        Ok(Self {
            metadata,
            config,
            actions,
            declared: asked.declared,
            shared: asked.shared,
            workload: asked.workload,
            metrics,
        })
    }
}

/// A schema whose defaults have the types they declare.
fn schema(file: Option<OptionsFile>) -> Result<Schema, String> {
    let mut schema = Schema::default();
    for (name, entry) in file.and_then(|file| file.options).unwrap_or_default() {
        if name.is_empty()
            || name.contains(|c: char| c.is_whitespace() || c.is_control() || c == '=')
        {
            return Err(format!(
                "option \"{name}\" is not a valid name: use no spaces and no \"=\""
            ));
        }
        let option = ConfigOption {
            kind: entry.kind.unwrap_or(Kind::String),
            description: entry.description.unwrap_or_default(),
            default: None,
        };
        schema.options.insert(name.clone(), option);
        if let Some(default) = entry.default {
            let value = schema
                .coerce(&name, &default)
                .map_err(|error| format!("default of {error}"))?;
            if let Some(option) = schema.options.get_mut(&name) {
                option.default = Some(value);
            }
        }
    }
    Ok(schema)
}

/// Parses YAML; the error is one line with the place.
fn yaml<T: DeserializeOwned>(text: &str) -> Result<T, String> {
    serde_saphyr::from_str(text).map_err(|error| error.without_snippet().to_string())
}

/// As [`yaml`], where an empty file says nothing.
fn yaml_or_empty<T: DeserializeOwned>(text: &str) -> Result<Option<T>, String> {
    let says_nothing =
        |line: &str| matches!(line.trim(), "" | "---" | "{}") || line.trim_start().starts_with('#');
    if text.lines().all(says_nothing) {
        Ok(None)
    } else {
        yaml(text).map(Some)
    }
}

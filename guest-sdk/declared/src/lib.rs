//! What the files of a charm declare: `charmcraft.yaml`, or `metadata.yaml` with the files beside it.
//!
//! The macros of `periapt-charm` hold a charm's code against it while the charm is compiled, and its
//! harness gives a unit under test what it says. It reads what the two need; whether the files say all
//! that a charm must say is the controller's to check, and `periapt charm build` does so first.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;
use serde_json::Value;

pub use periapt_plan::nearest::suggestion;

mod files;

/// The files, in the order in which they are looked for.
pub const FILES: [&str; 6] = [
    "metadata.yaml",
    "charmcraft.yaml",
    "config.yaml",
    "actions.yaml",
    "capabilities.yaml",
    "metrics.yaml",
];

/// The type of an option.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// `string`, the type of an option that says none.
    #[default]
    String,
    /// `int`.
    Int,
    /// `float`.
    Float,
    /// `boolean`.
    Boolean,
    /// `secret`, the id of one.
    Secret,
}

impl Kind {
    /// As the file says it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Kind::String => "string",
            Kind::Int => "int",
            Kind::Float => "float",
            Kind::Boolean => "boolean",
            Kind::Secret => "secret",
        }
    }
}

/// One option.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct Opt {
    /// Its type.
    #[serde(rename = "type")]
    pub kind: Kind,
    /// Its default, if it has one.
    pub default: Option<Value>,
}

/// Which side of a relation an endpoint is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Under `provides`.
    Provides,
    /// Under `requires`.
    Requires,
    /// Under `peers`.
    Peers,
}

/// One endpoint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Endpoint {
    /// Its side.
    pub role: Role,
    /// What both sides speak.
    pub interface: String,
    /// Whether a relation stays between a unit and its subordinate.
    pub container: bool,
}

/// One storage.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Storage {
    /// A unit has so many from the beginning.
    pub least: u32,
    /// A unit has so many at most; none for any number.
    pub most: Option<u32>,
    /// All units have the same.
    pub shared: bool,
    /// It is there to be read.
    pub read_only: bool,
}

/// What a charm declares.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Declared {
    /// The charm's name.
    pub name: String,
    /// Whether its units live beside those of others.
    pub subordinate: bool,
    /// By name.
    pub endpoints: BTreeMap<String, Endpoint>,
    /// By name.
    pub options: BTreeMap<String, Opt>,
    /// By name.
    pub storage: BTreeMap<String, Storage>,
    /// By name.
    pub actions: BTreeSet<String>,
    /// By name.
    pub resources: BTreeSet<String>,
    /// Types by class.
    pub payloads: BTreeMap<String, String>,
    /// Ports at which each container may answer, as they are written.
    pub containers: BTreeMap<String, Vec<String>>,
    /// Ports that the charm may open beside those of its containers, as they are written.
    pub ports: BTreeSet<String>,
    /// Directories that a principal and its subordinates share.
    pub shared: BTreeSet<String>,
    /// Types by metric.
    pub metrics: BTreeMap<String, String>,
    /// Networks beyond those of endpoints.
    pub bindings: BTreeSet<String>,
}

impl Declared {
    /// Reads the texts of files by their names.
    ///
    /// # Errors
    /// A sentence that names the file and the place.
    pub fn read(texts: &[(&str, &str)]) -> Result<Self, String> {
        files::read(texts)
    }

    /// The file in which the charm's options stand.
    #[must_use]
    pub fn options_file(texts: &[(&str, &str)]) -> &'static str {
        place(texts, "config.yaml")
    }

    /// The file in which the charm's actions stand.
    #[must_use]
    pub fn actions_file(texts: &[(&str, &str)]) -> &'static str {
        place(texts, "actions.yaml")
    }

    /// The file in which the charm's endpoints and storage stand.
    #[must_use]
    pub fn metadata_file(texts: &[(&str, &str)]) -> &'static str {
        place(texts, "metadata.yaml")
    }
}

/// The file itself where there is one, else `charmcraft.yaml`, which may hold the same.
fn place(texts: &[(&str, &str)], file: &'static str) -> &'static str {
    match texts.iter().any(|(name, _)| *name == file) {
        true => file,
        false => "charmcraft.yaml",
    }
}

#[cfg(test)]
mod tests;

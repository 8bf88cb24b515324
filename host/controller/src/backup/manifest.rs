//! `manifest.json`: what is in a backup.

use std::collections::BTreeMap;
use std::path::PathBuf;

use periapt_model::{Digest, ModelUuid, UnitName};
use serde::{Deserialize, Serialize};

/// The file's content.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Manifest {
    pub format: u32,
    pub id: String,
    /// Microseconds UTC.
    pub created_at: i64,
    /// Of the program.
    pub version: String,
    /// Where the controller was.
    pub directory: PathBuf,
    /// `sqlite` or `postgresql`.
    pub database: String,
    /// Version of the database's schema.
    pub schema: i64,
    pub models: u64,
    pub units: u64,
    /// Units whose files are on another machine, `MODEL-UUID/UNIT`.
    pub missing: Vec<String>,
    /// Tables, in the order in which they were read.
    pub tables: Vec<String>,
    pub trees: Vec<Tree>,
    /// Size and digest of each part.
    pub parts: BTreeMap<String, Part>,
}

/// A tree of files.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Tree {
    pub part: String,
    pub model: ModelUuid,
    pub unit: UnitName,
    pub what: Kind,
}

/// What a tree of a unit is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// Its state directory at this generation.
    State(u64),
    /// What it and its subordinates share.
    Shared,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Part {
    pub size: u64,
    pub sha256: Digest,
}

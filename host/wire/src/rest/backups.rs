//! Backups of a controller.

use periapt_model::Digest;
use serde::{Deserialize, Serialize};

/// A backup that the controller keeps.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "kebab-case")]
pub struct Backup {
    pub id: String,
    /// The moment it shows.
    #[serde(with = "periapt_model::time::micros")]
    #[schema(value_type = String, format = DateTime)]
    pub created_at: i64,
    /// Bytes of the file.
    pub size: u64,
    /// SHA-256 of the file, 64 hexadecimal digits.
    #[schema(value_type = String)]
    pub sha256: Digest,
    /// Name of the controller.
    pub controller: String,
    /// Version of the program that made it.
    pub version: String,
    /// `sqlite` or `postgresql`; it can be restored to either.
    pub database: String,
    pub models: u64,
    pub units: u64,
    /// Units whose files are on another machine and not in it, `MODEL-UUID/UNIT`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub missing: Vec<String>,
}

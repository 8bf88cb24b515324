//! Files that a unit's charm keeps in `/state`, as its last committed hook left them. Each look is on
//! record as a change is, since charms keep credentials there.
//!
//! | method and path | body | answer |
//! |---|---|---|
//! | `POST .../units/{name}/{number}/files/list` | `ListFiles` | `FileListing` |
//! | `POST .../units/{name}/{number}/files/read` | `ReadFile` | the file's bytes |

use periapt_model::UnitName;
use serde::{Deserialize, Serialize};

/// What there is at a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum FileKind {
    Directory,
    File,
    Link,
    Other,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct ListFiles {
    /// A directory: `/state` or one below it.
    pub path: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct ReadFile {
    /// A file below `/state`.
    pub path: String,
}

/// The entries of a directory, by name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "kebab-case")]
pub struct FileListing {
    pub unit: UnitName,
    /// As charms see it.
    pub path: String,
    pub entries: Vec<FileEntry>,
    /// How many entries there are; at most 1000 are listed.
    pub count: u64,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "kebab-case")]
pub struct FileEntry {
    pub name: String,
    pub kind: FileKind,
    /// Of a file; 0 of anything else.
    pub bytes: u64,
    /// RFC 3339, UTC.
    pub modified_at: String,
}

//! Charms as values: their metadata, configuration schema and actions, the archive they come
//! in, and the URL that names one revision.
//!
//! Everything is read from bytes in memory and checked before anyone else sees it: a room that
//! holds an [`Archive`] or a [`CharmInfo`] holds a charm whose paths, sizes and metadata are
//! sound. Nothing here touches a disk; whoever unpacks an archive writes the files it lists.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::config::Schema;
use crate::task::Asked;

mod actions;
mod archive;
pub mod capability;
mod hooks;
mod manifest;
mod metadata;
pub mod metrics;
mod readme;
mod replacement;
pub mod repository;
mod url;
mod workload;

pub use actions::{Action, Actions, Parameters, ParametersError};
pub use archive::{Archive, ArchiveError, COMPONENT, Limits};
pub use capability::{Capability, Declaration, Declared};
pub use hooks::never_run;
pub use manifest::{Manifest, ManifestError, ManifestFiles};
pub use metadata::{
    CharmMetadata, Container, Count, Endpoint, Mount, Multiple, PayloadClass, Resource,
    ResourceKind, Scope, Storage, StorageKind,
};
pub use metrics::{Metric, Metrics};
pub use readme::CharmReadme;
pub use replacement::{Unfit, may_replace};
pub use url::CharmUrl;
pub use workload::{Root, Workload};

/// What a charm may do in a directory; the narrower comes first.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    utoipa::ToSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum Access {
    ReadOnly,
    ReadWrite,
}

impl Access {
    /// As charms write it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Access::ReadOnly => "read-only",
            Access::ReadWrite => "read-write",
        }
    }

    /// The one that is written so.
    pub fn of(text: &str) -> Option<Self> {
        [Access::ReadOnly, Access::ReadWrite]
            .into_iter()
            .find(|access| access.as_str() == text)
    }
}

/// What the model knows of one uploaded revision of a charm.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "kebab-case")]
pub struct CharmInfo {
    pub url: CharmUrl,
    pub name: String,
    pub revision: u32,
    /// Digest of the archive as uploaded, 64 lower-case hexadecimal digits.
    pub sha256: String,
    /// Bytes of the archive as uploaded.
    pub size: u64,
    pub metadata: CharmMetadata,
    pub config: Schema,
    #[serde(default)]
    #[schema(required = true)]
    pub actions: Actions,
    /// Capabilities the charm asks for beyond what every charm has, each in a sentence with its reason.
    #[serde(default)]
    #[schema(required = true)]
    pub capabilities: Vec<String>,
    /// The same as values: the text by which each is known, and its reason.
    #[serde(default, skip_serializing_if = "Declaration::is_empty")]
    #[schema(value_type = Vec<Declared>)]
    pub declared: Declaration,
    /// Those of them that no component of the charm could use: none imports what they need.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schema(value_type = Vec<String>)]
    pub unused: Vec<Capability>,
    /// Directories that a principal and its subordinates share, by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub shared: BTreeMap<String, Access>,
    /// What the services of its containers may have, by container.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub workload: BTreeMap<String, Workload>,
    /// The components beside the charm's own, which services may name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub components: Vec<String>,
    /// What the charm measures of its units.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub metrics: Metrics,
    /// The hooks the component says it implements, in its own order.
    pub hooks: Vec<String>,
    pub subordinate: bool,
}

impl CharmInfo {
    /// Names of the commands that it exports.
    pub fn commands(&self) -> impl Iterator<Item = &str> {
        self.hooks.iter().filter_map(|hook| match Asked::of(hook) {
            Some(Asked::Command(name)) => Some(name),
            Some(Asked::Action(_)) | None => None,
        })
    }
}

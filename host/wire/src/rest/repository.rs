//! The controller's charm repository, as people choose from it.
//!
//! | method and path | body | answer |
//! |---|---|---|
//! | `GET /v1/charm-repository` | | `CharmRepository` |
//! | `POST /v1/models/{model}/charm-repository/take` | `TakeCharm` | `CharmInfo` |

use serde::{Deserialize, Serialize};

/// What there is to choose from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "kebab-case")]
pub struct CharmRepository {
    /// Where it is; empty where the controller has none.
    pub place: String,
    /// By name.
    pub charms: Vec<RepositoryCharm>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "kebab-case")]
pub struct RepositoryCharm {
    pub name: String,
    /// By name.
    pub channels: Vec<RepositoryChannel>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "kebab-case")]
pub struct RepositoryChannel {
    pub channel: String,
    /// The revision that it is at.
    pub revision: u32,
    /// Of the archive.
    pub bytes: u64,
    pub sha256: String,
}

/// Which charm a model is given.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct TakeCharm {
    pub name: String,
    /// `stable` when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub channel: Option<String>,
    /// A revision of the charm, older ones included; the one that the channel is at when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub revision: Option<u32>,
}

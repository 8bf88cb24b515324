//! Where models may be.
//!
//! | method and path | body | answer |
//! |---|---|---|
//! | `GET /v1/clouds` | | `Page<Cloud>` |
//! | `GET /v1/credentials` | | `Page<CloudCredential>` |

use periapt_model::ModelName;
use serde::{Deserialize, Serialize};

/// A cloud that the controller knows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "kebab-case")]
pub struct Cloud {
    pub name: String,
    /// Whose provider gives its machines.
    #[serde(rename = "type")]
    pub kind: String,
    /// The first is for models that name none.
    pub regions: Vec<String>,
}

/// What lets the provider of a cloud in, as far as it may be shown.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "kebab-case")]
pub struct CloudCredential {
    pub cloud: String,
    pub name: String,
    /// `empty` where there is nothing to prove who one is with.
    pub auth_type: String,
    pub valid: bool,
    /// Why it is not valid; empty while it is.
    pub reason: String,
    /// Since when; 1970 for one about which nobody ever said anything.
    #[serde(with = "periapt_model::time::micros")]
    #[schema(value_type = String, format = DateTime)]
    pub since: i64,
    /// Those that use it.
    #[schema(value_type = Vec<String>)]
    pub models: Vec<ModelName>,
}

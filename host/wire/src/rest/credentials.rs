//! What lets a model's provider make instances.
//!
//! | method and path | body | answer |
//! |---|---|---|
//! | `GET /v1/models/{model}/credential` | | `ModelCredential` |
//! | `PUT /v1/models/{model}/credential` | `ChangeCredential` | `ModelCredential` |

use serde::{Deserialize, Serialize};

/// The credential of a model, as far as it may be shown.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "kebab-case")]
pub struct ModelCredential {
    /// Of the model.
    pub cloud: String,
    pub owner: String,
    pub name: String,
    pub valid: bool,
    /// Why it is not valid; empty while it is.
    pub reason: String,
    /// Since when; 1970 for one about which nobody ever said anything.
    #[serde(with = "periapt_model::time::micros")]
    #[schema(value_type = String, format = DateTime)]
    pub since: i64,
}

/// Says whether a credential is valid.
#[derive(Clone, Debug, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "kebab-case")]
pub struct ChangeCredential {
    /// True after it was replaced, or what refused it was set right: it is tried again.
    pub valid: bool,
    /// Why it is not valid.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub reason: String,
}

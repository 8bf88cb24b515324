//! Options of models that say nothing else themselves.
//!
//! | method and path | answer |
//! |---|---|
//! | `GET /v1/model-defaults?cloud=` | [`ModelDefaults`] |
//! | `PATCH /v1/model-defaults` with [`ChangeModelDefaults`] | [`ModelDefaults`] |

use std::collections::BTreeMap;

use periapt_model::config::{ConfigValue, Value};
use serde::{Deserialize, Serialize};

/// An option of models, with what it is where a model does not set it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "kebab-case")]
pub struct ModelDefault {
    /// `boolean`, `integer`, `duration`, `size`, `choice`, `secret` or `text`.
    #[serde(rename = "type")]
    pub kind: String,
    /// What holds while nobody says anything; never there for a secret.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<ConfigValue>)]
    pub default: Option<Value>,
    /// What was set for all of the cloud.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<ConfigValue>)]
    pub controller: Option<Value>,
    /// What was set for regions, by their names.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[schema(value_type = BTreeMap<String, ConfigValue>)]
    pub regions: BTreeMap<String, Value>,
    #[serde(default)]
    #[schema(required = true)]
    pub description: String,
}

/// All options of models, by name.
pub type ModelDefaults = BTreeMap<String, ModelDefault>;

/// Sets and resets defaults in one step; all or none take effect.
#[derive(Clone, Debug, Default, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(default, rename_all = "kebab-case")]
pub struct ChangeModelDefaults {
    /// The controller's own when left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cloud: Option<String>,
    /// All of the cloud when left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub region: Option<String>,
    /// Text is read as the option's type.
    #[schema(value_type = BTreeMap<String, ConfigValue>)]
    pub set: BTreeMap<String, Value>,
    pub reset: Vec<String>,
}

/// Query of `GET /v1/model-defaults`.
#[derive(Clone, Debug, Default, Serialize, Deserialize, utoipa::IntoParams)]
#[serde(default, rename_all = "kebab-case")]
#[into_params(parameter_in = Query)]
pub struct ModelDefaultsQuery {
    /// The controller's own when left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cloud: Option<String>,
}

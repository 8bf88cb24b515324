//! Actions a charm offers, as `actions.yaml` declares them, and what one may be given.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

mod parameters;
#[cfg(test)]
mod tests;

pub use parameters::{Parameters, ParametersError};

/// Actions by name.
pub type Actions = BTreeMap<String, Action>;

/// One action. `params` holds the JSON schema of each parameter, as written.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(default)]
pub struct Action {
    #[serde(skip_serializing_if = "String::is_empty")]
    pub description: String,
    #[serde(skip_serializing_if = "serde_json::Map::is_empty")]
    #[schema(value_type = Object)]
    pub params: serde_json::Map<String, serde_json::Value>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub required: Vec<String>,
    #[serde(
        rename = "additionalProperties",
        skip_serializing_if = "Option::is_none"
    )]
    pub additional_properties: Option<bool>,
    pub parallel: bool,
    #[serde(rename = "execution-group", skip_serializing_if = "String::is_empty")]
    pub execution_group: String,
}

/// Checks names and required parameters; the error is a sentence for the author.
pub(super) fn check(actions: &Actions) -> Result<(), String> {
    for (name, action) in actions {
        let sound = name.starts_with(|c: char| c.is_ascii_lowercase())
            && !name.ends_with('-')
            && name
                .chars()
                .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-');
        if !sound {
            return Err(format!(
                "action \"{name}\" is not a valid name: use lower-case letters, digits and dashes"
            ));
        }
        if name.starts_with("juju-") {
            return Err(format!(
                "action \"{name}\" is reserved: choose a name without \"juju-\""
            ));
        }
        if let Some(missing) = action
            .required
            .iter()
            .find(|required| !action.params.contains_key(*required))
        {
            return Err(format!(
                "action \"{name}\" requires \"{missing}\", which is not among its params"
            ));
        }
        action.is_sound().map_err(|reason| {
            format!("the params of action \"{name}\" are no JSON Schema: {reason}")
        })?;
    }
    Ok(())
}

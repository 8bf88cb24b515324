//! What an action is given: held against its schema, and completed with the schema's defaults.
//!
//! The schema is JSON Schema of draft 4 unless it names another draft, as in Juju. It names nothing
//! outside of itself: nothing is ever fetched.

use jsonschema::{Draft, Validator};
use serde_json::{Map, Value, json};
use thiserror::Error;

use super::Action;
use crate::bounds::TEXT_BYTES;
use crate::text;

/// The parameters of an action, by name.
pub type Parameters = Map<String, Value>;

/// Mistakes that are told at once; more than these help nobody.
const TOLD: usize = 5;

/// Parameters that do not fit the schema, in words.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("{}", .0.join("; "))]
pub struct ParametersError(pub Vec<String>);

impl Action {
    /// The whole schema, as clients are shown it.
    pub fn schema(&self) -> Value {
        let mut schema = json!({ "type": "object", "properties": self.params });
        // Of draft 4 a list of what is required has something in it.
        if !self.required.is_empty() {
            schema["required"] = json!(self.required);
        }
        if let Some(additional) = self.additional_properties {
            schema["additionalProperties"] = json!(additional);
        }
        schema
    }

    /// What the action is run with: `given`, with the defaults of what was not.
    ///
    /// # Errors
    /// What does not fit the schema, each as a sentence.
    pub fn parameters(&self, given: &Parameters) -> Result<Parameters, ParametersError> {
        let mut whole = Value::Object(given.clone());
        let schema = self.schema();
        complete(&mut whole, &schema);
        let validator = validator(&schema).map_err(|reason| ParametersError(vec![reason]))?;
        let mistakes: Vec<String> = validator
            .iter_errors(&whole)
            .take(TOLD)
            .map(|error| {
                let of = error.instance_path().to_string();
                let of = of.trim_start_matches('/').replace('/', ".");
                let what = text::clean_line_at_most(&error.to_string(), TEXT_BYTES.length());
                match of.is_empty() {
                    true => what,
                    false => format!("{of}: {what}"),
                }
            })
            .collect();
        match whole {
            Value::Object(whole) if mistakes.is_empty() => Ok(whole),
            _ => Err(ParametersError(mistakes)),
        }
    }

    /// Whether the schema is one; the error says why not.
    pub(super) fn is_sound(&self) -> Result<(), String> {
        validator(&self.schema()).map(|_| ())
    }
}

fn validator(schema: &Value) -> Result<Validator, String> {
    jsonschema::options()
        .with_draft(Draft::Draft4)
        .build(schema)
        .map_err(|error| text::clean_line_at_most(&error.to_string(), TEXT_BYTES.length()))
}

/// Adds the defaults of the schema's properties, also within objects that are there or have a default.
fn complete(value: &mut Value, schema: &Value) {
    let (Some(object), Some(properties)) = (
        value.as_object_mut(),
        schema.get("properties").and_then(Value::as_object),
    ) else {
        return;
    };
    for (name, property) in properties {
        if let Some(default) = property.get("default")
            && !object.contains_key(name)
        {
            object.insert(name.clone(), default.clone());
        }
        if let Some(within) = object.get_mut(name) {
            complete(within, property);
        }
    }
}

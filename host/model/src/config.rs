//! Configuration: the schema a charm declares, the values an operator sets, the effective
//! values a hook sees.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::{Digest, Refusal};

#[cfg(test)]
mod tests;

/// A configuration value, written in JSON and YAML as a bare scalar.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Value {
    Boolean(bool),
    Integer(i64),
    Number(f64),
    Text(String),
}

impl std::fmt::Display for Value {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Value::Text(text) => f.write_str(text),
            Value::Integer(number) => write!(f, "{number}"),
            Value::Number(number) => write!(f, "{number}"),
            Value::Boolean(truth) => write!(f, "{truth}"),
        }
    }
}

/// The same under a name that says which values, for descriptions of the API.
pub type ConfigValue = Value;

impl utoipa::PartialSchema for Value {
    fn schema() -> utoipa::openapi::RefOr<utoipa::openapi::schema::Schema> {
        use utoipa::openapi::schema::{ObjectBuilder, SchemaType, Type};
        // An integer is a number; a choice of both would fit an integer twice.
        let types = vec![Type::Boolean, Type::Number, Type::String];
        ObjectBuilder::new()
            .schema_type(SchemaType::Array(types))
            .description(Some("A configuration value, a bare scalar."))
            .into()
    }
}

impl utoipa::ToSchema for Value {
    fn name() -> std::borrow::Cow<'static, str> {
        "ConfigValue".into()
    }
}

/// Values by option name.
pub type Values = BTreeMap<String, Value>;

/// The type of an option, by Juju's names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "lowercase")]
#[schema(as = ConfigKind)]
pub enum Kind {
    String,
    Int,
    Float,
    Boolean,
    Secret,
}

impl Kind {
    pub fn as_str(self) -> &'static str {
        match self {
            Kind::String => "string",
            Kind::Int => "int",
            Kind::Float => "float",
            Kind::Boolean => "boolean",
            Kind::Secret => "secret",
        }
    }
}

/// One option of a charm.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct ConfigOption {
    #[serde(rename = "type")]
    pub kind: Kind,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<ConfigValue>)]
    pub default: Option<Value>,
}

/// All options of a charm, by name.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = ConfigSchema)]
pub struct Schema {
    #[serde(default)]
    #[schema(required = true)]
    pub options: BTreeMap<String, ConfigOption>,
}

/// A value the schema refuses.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum ConfigError {
    #[error("option \"{name}\" does not exist; the charm has: {known}")]
    UnknownOption { name: String, known: String },
    #[error("option \"{name}\" expects {expected}, got \"{got}\"")]
    WrongType {
        name: String,
        expected: &'static str,
        got: String,
    },
}

impl ConfigError {
    pub fn refusal(&self) -> Refusal {
        match self {
            ConfigError::UnknownOption { .. } => Refusal::ConfigUnknownOption,
            ConfigError::WrongType { .. } => Refusal::ConfigWrongType,
        }
    }
}

impl Schema {
    /// The typed value of `text` as typed on a command line.
    pub fn parse(&self, name: &str, text: &str) -> Result<Value, ConfigError> {
        let option = self.option(name)?;
        let wrong = |expected| ConfigError::WrongType {
            name: name.to_owned(),
            expected,
            got: text.to_owned(),
        };
        Ok(match option.kind {
            Kind::String | Kind::Secret => Value::Text(text.to_owned()),
            Kind::Int => Value::Integer(text.trim().parse().map_err(|_| wrong("an integer"))?),
            Kind::Float => Value::Number(
                text.trim()
                    .parse::<f64>()
                    .ok()
                    .filter(|n| n.is_finite())
                    .ok_or_else(|| wrong("a number"))?,
            ),
            Kind::Boolean => match text.trim().to_ascii_lowercase().as_str() {
                "true" | "yes" | "on" => Value::Boolean(true),
                "false" | "no" | "off" => Value::Boolean(false),
                _ => return Err(wrong("true or false")),
            },
        })
    }

    /// `value` as the option's type: text is parsed, an integer serves as a number.
    pub fn coerce(&self, name: &str, value: &Value) -> Result<Value, ConfigError> {
        let option = self.option(name)?;
        match (option.kind, value) {
            (Kind::String | Kind::Secret, Value::Text(_))
            | (Kind::Int, Value::Integer(_))
            | (Kind::Float, Value::Number(_))
            | (Kind::Boolean, Value::Boolean(_)) => Ok(value.clone()),
            (Kind::Float, Value::Integer(number)) => Ok(Value::Number(*number as f64)),
            (_, Value::Text(text)) => self.parse(name, text),
            (kind, other) => Err(ConfigError::WrongType {
                name: name.to_owned(),
                expected: match kind {
                    Kind::String => "a string",
                    Kind::Secret => "a secret",
                    Kind::Int => "an integer",
                    Kind::Float => "a number",
                    Kind::Boolean => "true or false",
                },
                got: other.to_string(),
            }),
        }
    }

    /// What a hook sees: set values over defaults. Settings the schema no longer has are
    /// left out, as after a charm change.
    pub fn effective(&self, settings: &Values) -> Values {
        self.options
            .iter()
            .filter_map(|(name, option)| {
                let set = settings
                    .get(name)
                    .and_then(|value| self.coerce(name, value).ok());
                set.or_else(|| option.default.clone())
                    .map(|value| (name.clone(), value))
            })
            .collect()
    }

    fn option(&self, name: &str) -> Result<&ConfigOption, ConfigError> {
        self.options
            .get(name)
            .ok_or_else(|| ConfigError::UnknownOption {
                name: name.to_owned(),
                known: if self.options.is_empty() {
                    "no options".to_owned()
                } else {
                    self.options.keys().cloned().collect::<Vec<_>>().join(", ")
                },
            })
    }
}

/// A stable digest of effective values; hooks fire when it differs.
pub fn hash(values: &Values) -> String {
    let canonical = serde_json::to_vec(values).unwrap_or_default();
    Digest::of(canonical).to_string()
}

/// The same of an application. One that is trusted has another digest than one that is not, so that its units
/// hear of a change of trust as of a change of an option.
pub fn hash_with_trust(values: &Values, trusted: bool) -> String {
    let hash = hash(values);
    match trusted {
        true => Digest::of(format!("{hash} trusted")).to_string(),
        false => hash,
    }
}

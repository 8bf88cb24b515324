//! Options of models and of the controller: which there are, what values they take, and how they
//! are shown.
//!
//! One table for each ([`MODEL`], [`CONTROLLER`]); a new option is one row. What an option means is
//! its user's business. Values are checked before they are stored, so that whoever reads one finds
//! what the row promises. An option of the kind [`Kind::Secret`] is never shown: its value leaves
//! this module only to be stored, and [`Table::show`] tells no more than whether it is set.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::Refusal;
use crate::bounds::OPTION_BYTES;
use crate::config::{Value, Values};
use crate::nearest::suggestion;
use crate::proxy;

mod controller;
mod juju;
mod kind;
mod model;
mod reading;
#[cfg(test)]
mod tests;

pub use controller::{
    AGENT_METHODS, CAPABILITY_DEFAULT, CHARM_REPOSITORY, CONTROLLER, CONTROLLER_API_PORT,
    INGRESS_ADDRESS, INGRESS_PORT, READ_ONLY_METHODS, methods,
};
pub use kind::{Kind, hosts, parse_size_mb};
pub use model::{CAPABILITY_POLICY, MODEL};
pub use reading::{duration, size_mb, truth};

/// One option: Juju's name and default where Juju has one.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    pub name: &'static str,
    pub kind: Kind,
    /// As a person would write it.
    default: &'static str,
    /// One sentence.
    pub description: &'static str,
}

const fn row(
    name: &'static str,
    kind: Kind,
    default: &'static str,
    description: &'static str,
) -> Row {
    Row {
        name,
        kind,
        default,
        description,
    }
}

/// The options of something.
#[derive(Debug)]
pub struct Table {
    /// `model` or `controller`.
    pub of: &'static str,
    pub rows: &'static [Row],
    /// Where a value comes from that is not the default.
    source: Source,
}

/// Where a value comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "lowercase")]
#[schema(as = ConfigSource)]
pub enum Source {
    /// Nobody set it.
    Default,
    /// Of a model: the defaults that the controller has for its cloud.
    Controller,
    /// Of a model: the defaults that the controller has for its region.
    Region,
    Model,
}

impl Source {
    pub fn as_str(self) -> &'static str {
        match self {
            Source::Default => "default",
            Source::Controller => "controller",
            Source::Region => "region",
            Source::Model => "model",
        }
    }
}

/// An option as it is shown to people.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "kebab-case")]
#[schema(as = ConfigSetting)]
pub struct Setting {
    /// `boolean`, `integer`, `duration`, `size`, `choice`, `secret` or `text`.
    #[serde(rename = "type")]
    pub kind: String,
    /// What holds now; never there for a secret, which is set if its source is not `default`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<crate::config::ConfigValue>)]
    pub value: Option<Value>,
    /// What holds once it is reset; never there for a secret.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<crate::config::ConfigValue>)]
    pub default: Option<Value>,
    pub source: Source,
    /// The values a `choice` takes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub choices: Vec<String>,
    #[serde(default)]
    #[schema(required = true)]
    pub description: String,
}

/// All options of something, by name.
pub type Settings = BTreeMap<String, Setting>;

/// Why a change is refused. No message shows the value of a secret.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum OptionError {
    #[error("{of} option \"{name}\" does not exist{suggestion}")]
    Unknown {
        of: &'static str,
        name: String,
        suggestion: String,
    },
    #[error("{of} option \"{name}\" expects {expected}, got {got}")]
    Invalid {
        of: &'static str,
        name: &'static str,
        expected: String,
        /// In quotes, or a description.
        got: String,
    },
    #[error("{of} option \"{name}\" is both set and reset")]
    SetAndReset { of: &'static str, name: String },
    #[error("{of} options \"{one}\" and \"{other}\" cannot both be set")]
    Together {
        of: &'static str,
        one: String,
        other: String,
    },
}

impl OptionError {
    pub fn refusal(&self) -> Refusal {
        match self {
            OptionError::Unknown { of: "model", .. } => Refusal::ModelOptionUnknown,
            OptionError::Unknown { .. } => Refusal::ControllerOptionUnknown,
            OptionError::Invalid { of: "model", .. } => Refusal::ModelOptionInvalid,
            OptionError::Invalid { .. } => Refusal::ControllerOptionInvalid,
            OptionError::SetAndReset { .. } => Refusal::OptionSetAndReset,
            OptionError::Together { .. } => Refusal::ProxyOptionsConflict,
        }
    }
}

impl Row {
    /// The value while nobody sets it. A secret has none.
    pub fn default(&self) -> Option<Value> {
        match self.kind {
            Kind::Secret => None,
            Kind::Boolean => Some(Value::Boolean(self.default == "true")),
            Kind::Count | Kind::Number | Kind::Port => {
                self.default.parse().ok().map(Value::Integer)
            }
            _ => Some(Value::Text(self.default.to_owned())),
        }
    }
}

/// Longest value that an error repeats, characters.
const SHOWN: usize = 80;

impl Table {
    /// The option of this name.
    pub fn find(&self, name: &str) -> Result<&Row, OptionError> {
        self.rows
            .iter()
            .find(|row| row.name == name)
            .ok_or_else(|| OptionError::Unknown {
                of: self.of,
                name: name.chars().take(SHOWN).collect(),
                suggestion: suggestion(name, self.rows.iter().map(|row| row.name)),
            })
    }

    /// Whether its value is never shown.
    pub fn is_secret(&self, name: &str) -> bool {
        let row = self.rows.iter().find(|row| row.name == name);
        row.is_some_and(|row| row.kind == Kind::Secret)
    }

    /// `value` as the option keeps it.
    pub fn check(&self, name: &str, value: &Value) -> Result<Value, OptionError> {
        let row = self.find(name)?;
        let text = value.to_string();
        let got = || match row.kind {
            Kind::Secret => "something else".to_owned(),
            _ if text.chars().count() > SHOWN => format!("{} characters", text.chars().count()),
            _ => format!("\"{text}\""),
        };
        let checked = match OPTION_BYTES.exceeded_by(text.len()) {
            true => Err(format!("at most {} bytes", OPTION_BYTES.most)),
            false => row.kind.check(&text),
        };
        checked.map_err(|expected| OptionError::Invalid {
            of: self.of,
            name: row.name,
            expected,
            got: got(),
        })
    }

    /// Checks a change of options as a whole; the values to store.
    pub fn check_all(&self, set: &Values, reset: &[String]) -> Result<Values, OptionError> {
        for name in reset {
            self.find(name)?;
            if set.contains_key(name) {
                return Err(OptionError::SetAndReset {
                    of: self.of,
                    name: name.clone(),
                });
            }
        }
        let checked = set.iter().map(|(name, value)| {
            let value = self.check(name, value)?;
            Ok((name.clone(), value))
        });
        checked.collect()
    }

    /// Checks all that would be set after a change. What did not go together before is not the change's to
    /// answer for: whoever changed the other part was allowed to.
    pub fn check_change(&self, before: &Values, after: &Values) -> Result<(), OptionError> {
        match proxy::conflict(before) {
            Some(_) => Ok(()),
            None => self.check_together(after),
        }
    }

    pub(crate) fn check_together(&self, set: &Values) -> Result<(), OptionError> {
        match proxy::conflict(set) {
            Some((one, other)) => Err(OptionError::Together {
                of: self.of,
                one,
                other,
            }),
            None => Ok(()),
        }
    }

    /// What holds: what was `set` over the defaults. Secrets are left out.
    pub fn effective(&self, set: &Values) -> Values {
        let shown = self.rows.iter().filter(|row| row.kind != Kind::Secret);
        let values = shown.filter_map(|row| {
            let value = set.get(row.name).cloned().or_else(|| row.default())?;
            Some((row.name.to_owned(), value))
        });
        values.collect()
    }

    /// Every option for a person who may see what was `set`, secrets without their values.
    pub fn show(&self, set: &Values) -> Settings {
        self.show_over(set, &[])
    }

    /// The same where others say what holds of the options that are not `set`: the first of `inherited`
    /// that has one.
    pub fn show_over(&self, set: &Values, inherited: &[(Source, &Values)]) -> Settings {
        let shown = self.rows.iter().map(|row| {
            let own = set.get(row.name);
            let mut others = inherited.iter();
            let other = others.find_map(|(source, values)| Some((*source, values.get(row.name)?)));
            let default = match (row.kind, other) {
                (Kind::Secret, _) | (_, None) => row.default(),
                (_, Some((_, value))) => Some(value.clone()),
            };
            let value = match row.kind {
                Kind::Secret => None,
                _ => own.cloned().or_else(|| default.clone()),
            };
            let setting = Setting {
                kind: row.kind.as_str().to_owned(),
                value,
                default,
                source: match (own, other) {
                    (Some(_), _) => self.source,
                    (None, Some((source, _))) => source,
                    (None, None) => Source::Default,
                },
                choices: row.kind.choices(),
                description: row.description.to_owned(),
            };
            (row.name.to_owned(), setting)
        });
        shown.collect()
    }
}

//! Constraints: what a machine has to be like. Keys, values and how they are merged are Juju's.
//!
//! They are text (`arch=amd64 cores=2 mem=4096M`) wherever people and programs write them, and are kept in
//! one order and one spelling. A key without a value (`mem=`) is a constraint as well: whatever the model
//! says, any will do. Which of them a cloud can honour is its provider's to say; [`Constraints::unmet`] is how
//! one does that knows its machine.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::Refusal;
use crate::bounds::CONSTRAINTS_BYTES;
use crate::nearest::suggestion;

mod hardware;
mod key;
#[cfg(test)]
mod tests;

pub use hardware::Hardware;
pub use key::Key;

/// Longest text that an error repeats, characters.
const SHOWN: usize = 80;

/// Constraints by their keys; a value in its one spelling, empty where any will do.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Constraints(BTreeMap<Key, String>);

/// Why a text is no constraints.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum ConstraintError {
    #[error("there is no constraint \"{key}\"{suggestion}")]
    Unknown { key: String, suggestion: String },
    #[error("\"{0}\" is not a constraint; write KEY=VALUE")]
    NoValue(String),
    #[error("constraint \"{key}\" expects {expected}, got \"{got}\"")]
    Invalid {
        key: Key,
        expected: String,
        got: String,
    },
    #[error("constraint \"{0}\" is given twice")]
    Twice(Key),
    #[error("constraint \"instance-type\" cannot be combined with \"{0}\", which it implies")]
    Together(Key),
    #[error("constraints have at most {} bytes", CONSTRAINTS_BYTES.most)]
    TooLong,
}

impl ConstraintError {
    pub fn refusal(&self) -> Refusal {
        match self {
            ConstraintError::Unknown { .. } => Refusal::ConstraintUnknown,
            _ => Refusal::ConstraintInvalid,
        }
    }
}

impl Constraints {
    /// What somebody says, which has a bound, as it is kept as well. What was said of a machine in several places and merged may be
    /// longer, and is read back all the same.
    ///
    /// # Errors
    /// It is too long, or no constraints.
    pub fn said(text: &str) -> Result<Self, ConstraintError> {
        if CONSTRAINTS_BYTES.exceeded_by(text.len()) {
            return Err(ConstraintError::TooLong);
        }
        let said: Self = text.parse()?;
        match CONSTRAINTS_BYTES.exceeded_by(said.to_string().len()) {
            true => Err(ConstraintError::TooLong),
            false => Ok(said),
        }
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Keys with their values, in order.
    pub fn iter(&self) -> impl Iterator<Item = (Key, &str)> {
        self.0.iter().map(|(key, value)| (*key, value.as_str()))
    }

    /// The value of a key; none where any will do.
    pub fn get(&self, key: Key) -> Option<&str> {
        let value = self.0.get(&key).map(String::as_str);
        value.filter(|value| !value.is_empty())
    }

    /// What holds of a machine: these, and of the model's those that these say nothing about. A type of
    /// instance and what it would say itself do not stand beside each other; these win.
    #[must_use]
    pub fn over(&self, model: &Constraints) -> Constraints {
        let typed = self.get(Key::InstanceType).is_some();
        let sized = Key::OF_THE_TYPE.iter().any(|key| self.get(*key).is_some());
        let stays = |key: Key| match key {
            Key::InstanceType => !sized,
            key => !(typed && Key::OF_THE_TYPE.contains(&key)),
        };
        let mut all = model.0.clone();
        all.retain(|key, _| stays(*key));
        all.extend(self.0.clone());
        Constraints(all)
    }

    /// Why a machine with this hardware is not what they want; none where it is.
    pub fn unmet(&self, has: &Hardware) -> Option<String> {
        let mut reasons = Vec::new();
        if let Some(arch) = self.get(Key::Arch)
            && arch != has.arch
        {
            reasons.push(format!("arch={arch}, and this machine is {}", has.arch));
        }
        let counted = [
            (Key::Cores, has.cores, ""),
            (Key::Mem, has.mem, hardware::MEGABYTES),
        ];
        for (key, has, unit) in counted {
            let (Some(text), Some(has)) = (self.get(key), has) else {
                continue;
            };
            let wanted = text.trim_end_matches(hardware::MEGABYTES).parse::<u64>();
            if wanted.is_ok_and(|wanted| wanted > has) {
                reasons.push(format!("{key}={text}, and this machine has {has}{unit}"));
            }
        }
        (!reasons.is_empty()).then(|| format!("constraints cannot be met: {}", reasons.join("; ")))
    }
}

impl fmt::Display for Constraints {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, (key, value)) in self.0.iter().enumerate() {
            let blank = if number == 0 { "" } else { " " };
            write!(f, "{blank}{key}={value}")?;
        }
        Ok(())
    }
}

impl FromStr for Constraints {
    type Err = ConstraintError;

    fn from_str(text: &str) -> Result<Self, ConstraintError> {
        let mut all = BTreeMap::new();
        for word in text.split_whitespace() {
            let cut = |text: &str| text.chars().take(SHOWN).collect::<String>();
            let (name, value) = word
                .split_once('=')
                .ok_or_else(|| ConstraintError::NoValue(cut(word)))?;
            let key = Key::of(name).ok_or_else(|| ConstraintError::Unknown {
                key: cut(name),
                suggestion: suggestion(name, Key::ALL.iter().map(|key| key.as_str())),
            })?;
            let value = match value {
                "" => String::new(),
                value => key
                    .check(value)
                    .map_err(|expected| ConstraintError::Invalid {
                        key,
                        expected,
                        got: cut(value),
                    })?,
            };
            if all.insert(key, value).is_some() {
                return Err(ConstraintError::Twice(key));
            }
        }
        let all = Constraints(all);
        let mut beside = Key::OF_THE_TYPE
            .iter()
            .filter(|key| all.get(**key).is_some());
        match (all.get(Key::InstanceType), beside.next()) {
            (Some(_), Some(key)) => Err(ConstraintError::Together(*key)),
            _ => Ok(all),
        }
    }
}

impl TryFrom<String> for Constraints {
    type Error = ConstraintError;

    fn try_from(text: String) -> Result<Self, ConstraintError> {
        text.parse()
    }
}

impl From<Constraints> for String {
    fn from(constraints: Constraints) -> Self {
        constraints.to_string()
    }
}

//! Lists of capabilities in words: what a policy allows, and what a person decides about.
//!
//! A [`Pattern`] is the text of a capability, which stands for all that this one covers, or a text with `*` for any
//! letters: `shared/*`, `egress/*:443/https`, `*`. A [`Policy`] is a list of patterns. Nothing here knows
//! applications or who may decide.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::text::KINDS;
use super::{Capability, NotACapability};
use crate::charm::Access;
use crate::nearest::suggestion;

/// Stands for an empty list where nothing written means something else.
const NONE: &str = "none";

/// Which capabilities are meant.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Pattern(Form);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Form {
    /// This one and what it covers.
    Exact(Capability),
    /// Those whose text fits.
    Fitting(String),
}

impl Pattern {
    /// Whether it means this capability.
    #[must_use]
    pub fn matches(&self, capability: &Capability) -> bool {
        match &self.0 {
            Form::Exact(own) => own.covers(capability),
            Form::Fitting(pattern) => {
                fits(pattern, &capability.to_string())
                    || wider(capability).is_some_and(|wider| fits(pattern, &wider.to_string()))
            }
        }
    }
}

/// The same with the right to write: whoever may do that may read.
fn wider(capability: &Capability) -> Option<Capability> {
    match capability {
        Capability::Shared {
            directory,
            access: Access::ReadOnly,
        } => Some(Capability::Shared {
            directory: directory.clone(),
            access: Access::ReadWrite,
        }),
        Capability::Storage {
            name,
            access: Access::ReadOnly,
        } => Some(Capability::Storage {
            name: name.clone(),
            access: Access::ReadWrite,
        }),
        _ => None,
    }
}

/// Whether a text is as a pattern says, in which `*` stands for any letters.
fn fits(pattern: &str, text: &str) -> bool {
    let mut parts = pattern.split('*');
    let begin = parts.next().unwrap_or_default();
    let Some(mut rest) = text.strip_prefix(begin) else {
        return false;
    };
    let others: Vec<&str> = parts.collect();
    let Some((last, middle)) = others.split_last() else {
        return rest.is_empty();
    };
    for part in middle {
        match rest.split_once(part) {
            Some((_, after)) => rest = after,
            None => return false,
        }
    }
    rest.ends_with(last)
}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Form::Exact(capability) => capability.fmt(f),
            Form::Fitting(text) => f.write_str(text),
        }
    }
}

impl FromStr for Pattern {
    type Err = NotACapability;

    fn from_str(text: &str) -> Result<Self, NotACapability> {
        let refused = match text.parse::<Capability>() {
            Ok(capability) => return Ok(Self(Form::Exact(capability))),
            Err(refused) => refused,
        };
        let kind = text.split_once('/').map(|(kind, _)| kind);
        match kind {
            _ if !text.contains('*') || text.len() > 200 => Err(refused),
            None if text == "*" => Ok(Self(Form::Fitting(text.to_owned()))),
            Some(kind) if KINDS.contains(&kind) => Ok(Self(Form::Fitting(text.to_owned()))),
            None | Some(_) => {
                let kind = kind.unwrap_or(text);
                Err(NotACapability(format!(
                    "\"{text}\" means no capabilities: write KIND/*, or * for all; the kinds are {}{}",
                    KINDS.join(", "),
                    suggestion(kind, KINDS)
                )))
            }
        }
    }
}

impl From<Capability> for Pattern {
    fn from(capability: Capability) -> Self {
        Self(Form::Exact(capability))
    }
}

impl TryFrom<String> for Pattern {
    type Error = NotACapability;

    fn try_from(text: String) -> Result<Self, NotACapability> {
        text.parse()
    }
}

impl From<Pattern> for String {
    fn from(pattern: Pattern) -> String {
        pattern.to_string()
    }
}

/// What is allowed: whatever one of these means.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Policy(Vec<Pattern>);

impl Policy {
    #[must_use]
    pub fn allows(&self, capability: &Capability) -> bool {
        self.0.iter().any(|pattern| pattern.matches(capability))
    }
}

impl FromStr for Policy {
    type Err = NotACapability;

    /// Patterns, separated by commas or spaces; nothing or `none` allows nothing.
    fn from_str(text: &str) -> Result<Self, NotACapability> {
        let parts = text.split([',', ' ', '\n']).map(str::trim);
        let parts = parts.filter(|part| !part.is_empty() && *part != NONE);
        Ok(Self(parts.map(str::parse).collect::<Result<_, _>>()?))
    }
}

impl fmt::Display for Policy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            return f.write_str(NONE);
        }
        for (at, pattern) in self.0.iter().enumerate() {
            let comma = if at == 0 { "" } else { "," };
            write!(f, "{comma}{pattern}")?;
        }
        Ok(())
    }
}

//! The name of one charm revision, `local:NAME-REVISION`.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::name::{ApplicationName, NameError};
use crate::refusal::Name;

#[cfg(test)]
mod tests;

/// One revision of a charm in a model. Charms come from uploads only, so the schema is always
/// `local`; revisions count from 0 per name and model.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct CharmUrl {
    name: String,
    revision: u32,
}

const RULE: &str = "use local:NAME-REVISION, as in local:site-0";

impl CharmUrl {
    /// The URL of `name` at `revision`; the name follows the grammar of application names.
    pub fn new(name: &str, revision: u32) -> Result<Self, NameError> {
        check_name(name)?;
        Ok(Self {
            name: name.to_owned(),
            revision,
        })
    }

    pub fn name(&self) -> &str {
        &self.name
    }

    pub fn revision(&self) -> u32 {
        self.revision
    }
}

/// Checks a charm name. Its grammar is that of applications, because an application is called
/// like its charm unless the operator says otherwise.
pub(super) fn check_name(name: &str) -> Result<(), NameError> {
    match name.parse::<ApplicationName>() {
        Ok(_) => Ok(()),
        Err(error) => Err(NameError {
            kind: Name::Charm,
            ..error
        }),
    }
}

impl FromStr for CharmUrl {
    type Err = NameError;

    fn from_str(text: &str) -> Result<Self, NameError> {
        let bad = || NameError {
            kind: Name::CharmUrl,
            value: text.to_owned(),
            rule: RULE,
        };
        let (name, digits) = text
            .strip_prefix("local:")
            .and_then(|rest| rest.rsplit_once('-'))
            .ok_or_else(bad)?;
        let revision: u32 = digits.parse().map_err(|_| bad())?;
        if revision.to_string() != digits {
            return Err(bad());
        }
        Self::new(name, revision).map_err(|_| bad())
    }
}

impl fmt::Display for CharmUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "local:{}-{}", self.name, self.revision)
    }
}

crate::schema::text_schema!(
    CharmUrl,
    "CharmUrl",
    RULE,
    r"^local:[a-z][a-z0-9]*(-[a-z0-9]*[a-z][a-z0-9]*)*-(0|[1-9][0-9]{0,8})$",
    "local:site-0"
);

impl TryFrom<String> for CharmUrl {
    type Error = NameError;
    fn try_from(text: String) -> Result<Self, NameError> {
        text.parse()
    }
}

impl From<CharmUrl> for String {
    fn from(url: CharmUrl) -> String {
        url.to_string()
    }
}

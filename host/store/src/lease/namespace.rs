//! The kinds of leases.

use std::fmt;
use std::str::FromStr;

/// What a lease is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Namespace {
    /// Name: an application. Holder: its leading unit.
    ApplicationLeadership,
    /// Name: the UUID of a controller or model. Holder: the tag of the agent that acts for it.
    SingularController,
}

impl Namespace {
    /// The word stored and shown, as Juju spells it.
    pub fn as_str(self) -> &'static str {
        match self {
            Namespace::ApplicationLeadership => "application-leadership",
            Namespace::SingularController => "singular-controller",
        }
    }
}

impl fmt::Display for Namespace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for Namespace {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        [
            Namespace::ApplicationLeadership,
            Namespace::SingularController,
        ]
        .into_iter()
        .find(|namespace| namespace.as_str() == text)
        .ok_or_else(|| format!("\"{text}\" is not a lease namespace"))
    }
}

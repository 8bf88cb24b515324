//! Life of an entity: alive, dying, dead. It only moves forward.

use serde::{Deserialize, Serialize};

/// Where an entity is on its way out. The order is the order of passage.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    Default,
    utoipa::ToSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Life {
    #[default]
    Alive,
    Dying,
    Dead,
}

impl Life {
    /// The word stored and shown: `alive`, `dying`, `dead`.
    pub fn as_str(self) -> &'static str {
        match self {
            Life::Alive => "alive",
            Life::Dying => "dying",
            Life::Dead => "dead",
        }
    }

    /// Juju's status JSON writes nothing while an entity is alive.
    pub fn as_status(self) -> &'static str {
        match self {
            Life::Alive => "",
            other => other.as_str(),
        }
    }

    pub fn is_alive(self) -> bool {
        self == Life::Alive
    }
}

impl std::str::FromStr for Life {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "alive" | "" => Ok(Life::Alive),
            "dying" => Ok(Life::Dying),
            "dead" => Ok(Life::Dead),
            other => Err(format!("\"{other}\" is not a life value")),
        }
    }
}

impl std::fmt::Display for Life {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}

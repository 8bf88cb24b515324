//! Status words of units, applications, machines and models, and how they are derived.

use serde::{Deserialize, Serialize};

#[cfg(test)]
mod tests;

macro_rules! words {
    ($(#[$doc:meta])* $type:ident { $($variant:ident = $word:literal),+ $(,)? }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, utoipa::ToSchema)]
        pub enum $type { $(#[serde(rename = $word)] $variant),+ }

        impl $type {
            pub const ALL: &'static [$type] = &[$($type::$variant),+];
            pub fn as_str(self) -> &'static str {
                match self { $($type::$variant => $word),+ }
            }
        }

        impl std::fmt::Display for $type {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.as_str())
            }
        }

        impl std::str::FromStr for $type {
            type Err = String;
            fn from_str(text: &str) -> Result<Self, String> {
                match text {
                    $($word => Ok($type::$variant),)+
                    other => Err(format!("\"{other}\" is not one of: {}", [$($word),+].join(", "))),
                }
            }
        }
    };
}

words! {
    /// What the charm says of the workload.
    Workload {
        Error = "error",
        Blocked = "blocked",
        Maintenance = "maintenance",
        Waiting = "waiting",
        Active = "active",
        Terminated = "terminated",
        Unknown = "unknown",
        Unset = "unset",
    }
}

words! {
    /// What the unit's agent is doing.
    Agent {
        Allocating = "allocating",
        Executing = "executing",
        Idle = "idle",
        Error = "error",
        Failed = "failed",
        Rebooting = "rebooting",
        Lost = "lost",
    }
}

words! {
    /// A machine and its instance.
    Machine {
        Pending = "pending",
        Allocating = "allocating",
        Running = "running",
        Started = "started",
        ProvisioningError = "provisioning error",
        Stopped = "stopped",
        Error = "error",
        Down = "down",
    }
}

words! {
    Model {
        Available = "available",
        Busy = "busy",
        Destroying = "destroying",
        Suspended = "suspended",
        Error = "error",
    }
}

/// A status as stored: word, text, structured data, and when it was set (microseconds since
/// the epoch, UTC).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Status<W> {
    pub status: W,
    #[serde(default)]
    pub message: String,
    #[serde(default, skip_serializing_if = "serde_json::Map::is_empty")]
    #[schema(value_type = Object)]
    pub data: serde_json::Map<String, serde_json::Value>,
    #[serde(default)]
    pub since: i64,
}

impl<W> Status<W> {
    pub fn new(status: W, message: impl Into<String>) -> Self {
        Self {
            status,
            message: message.into(),
            data: serde_json::Map::new(),
            since: 0,
        }
    }
}

/// The status of an application whose leader never set one: the worst of its units, by the
/// order of severity Juju uses. No units: `unknown`.
pub fn derive_application(units: impl IntoIterator<Item = Status<Workload>>) -> Status<Workload> {
    units
        .into_iter()
        .min_by_key(|status| (severity(status.status), status.since))
        .unwrap_or_else(|| Status::new(Workload::Unknown, ""))
}

fn severity(status: Workload) -> u8 {
    match status {
        Workload::Error => 0,
        Workload::Blocked => 1,
        Workload::Maintenance => 2,
        Workload::Waiting => 3,
        Workload::Active => 4,
        Workload::Terminated => 5,
        Workload::Unknown => 6,
        Workload::Unset => 7,
    }
}

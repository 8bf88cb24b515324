//! Status words of units, applications, machines and models, and how they are derived.

use serde::{Deserialize, Serialize};

use crate::UnitName;

#[cfg(test)]
mod tests;

macro_rules! words {
    ($(#[doc = $doc:expr])* $type:ident { $($variant:ident = $word:literal),+ $(,)? }) => {
        $(#[doc = $doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        pub enum $type { $(#[serde(rename = $word)] $variant),+ }

        // Not derived: within a macro the words would be described as the variants are called.
        impl utoipa::PartialSchema for $type {
            fn schema() -> utoipa::openapi::RefOr<utoipa::openapi::schema::Schema> {
                utoipa::openapi::schema::ObjectBuilder::new()
                    .schema_type(utoipa::openapi::schema::Type::String)
                    .description(Some([$($doc),*].map(str::trim).join("\n")))
                    .enum_values(Some([$($word),+]))
                    .into()
            }
        }

        impl utoipa::ToSchema for $type {}

        impl $type {
            pub const ALL: &'static [$type] = &[$($type::$variant),+];
            pub const fn as_str(self) -> &'static str {
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
        Stopped = "stopped",
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
    /// A storage and its directory.
    Storage {
        Pending = "pending",
        Attached = "attached",
        Detaching = "detaching",
        Detached = "detached",
        Destroying = "destroying",
        Error = "error",
    }
}

words! {
    /// How far two applications have come with each other.
    Relation {
        Joining = "joining",
        Joined = "joined",
        Suspending = "suspending",
        Suspended = "suspended",
        Broken = "broken",
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
    #[schema(required = true)]
    pub message: String,
    #[serde(default, skip_serializing_if = "serde_json::Map::is_empty")]
    #[schema(value_type = Object)]
    pub data: serde_json::Map<String, serde_json::Value>,
    #[serde(default)]
    #[schema(required = true, value_type = String, format = DateTime)]
    #[serde(with = "crate::time::micros")]
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

/// What an absent agent shows.
const ABSENT: &str = "agent is not communicating with the server";

/// How a unit's workload is displayed: a failed hook as the workload's error.
pub fn displayed_workload(workload: Status<Workload>, agent: &Status<Agent>) -> Status<Workload> {
    match agent.status {
        Agent::Error => Status {
            status: Workload::Error,
            message: agent.message.clone(),
            data: agent.data.clone(),
            since: agent.since,
        },
        _ => workload,
    }
}

/// How both statuses of a unit are displayed. While a hook is failed the agent counts as idle; an
/// absent agent is lost, and what it said last is not known to hold. Both as in Juju.
pub fn displayed(
    unit: &UnitName,
    workload: Status<Workload>,
    agent: Status<Agent>,
    present: bool,
) -> (Status<Workload>, Status<Agent>) {
    let mut workload = displayed_workload(workload, &agent);
    let mut agent = match agent.status {
        Agent::Error => Status {
            since: agent.since,
            ..Status::new(Agent::Idle, "")
        },
        _ => agent,
    };
    if !present && agent.status != Agent::Allocating {
        if !matches!(workload.status, Workload::Error | Workload::Terminated) {
            let message = format!("agent lost, see: periapt show-status-log {unit}");
            workload = Status {
                since: workload.since,
                ..Status::new(Workload::Unknown, message)
            };
        }
        agent = Status {
            since: agent.since,
            ..Status::new(Agent::Lost, ABSENT)
        };
    }
    (workload, agent)
}

/// How the status of a machine's agent is displayed: an absent one is down, as in Juju.
pub fn displayed_machine(agent: Status<Machine>, present: bool) -> Status<Machine> {
    if present || agent.status == Machine::Pending {
        return agent;
    }
    Status {
        since: agent.since,
        ..Status::new(Machine::Down, ABSENT)
    }
}

/// What an application's status is made of.
#[derive(Clone, Debug, Default)]
pub struct ApplicationParts {
    /// What the controller cannot do for it, as when its charm does not compile.
    pub trouble: Option<Status<Workload>>,
    /// What its leader said of it.
    pub set: Option<Status<Workload>>,
    /// Of each unit, in their order.
    pub units: Vec<(Status<Workload>, Status<Agent>)>,
}

impl ApplicationParts {
    /// The one status of the application, on whatever road it is asked for: the controller's
    /// trouble, else a unit's failed hook, else what the leader set, else the worst that a unit
    /// displays, by Juju's order of severity. A failed hook comes before the leader's word, because
    /// its charm did not live to say anything of it. A unit that is lost counts with what it said
    /// last. Without units: `unknown`.
    pub fn status(self) -> Status<Workload> {
        let set = self.set.filter(|set| set.status != Workload::Unset);
        let units = self.units.into_iter();
        let worst = units
            .map(|(workload, agent)| displayed_workload(workload, &agent))
            .min_by_key(|status| (severity(status.status), status.since));
        let (failed, worst) = match worst {
            Some(worst) if worst.status == Workload::Error => (Some(worst), None),
            worst => (None, worst),
        };
        self.trouble
            .or(failed)
            .or(set)
            .or(worst)
            .unwrap_or_else(|| Status::new(Workload::Unknown, ""))
    }
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

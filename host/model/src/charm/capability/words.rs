//! A capability in a sentence for the person who decides whether to deploy the charm.

use super::{Capability, Declared, Host};
use crate::charm::Access;

impl Capability {
    /// What the charm may do, without its name: `may open 80/tcp`.
    #[must_use]
    pub fn words(&self) -> String {
        let uses = |access: &Access| match access {
            Access::ReadOnly => "read",
            Access::ReadWrite => "read and write",
        };
        match self {
            Capability::Shared { directory, access } => format!(
                "may {} /shared/{directory}, a directory of a principal and its subordinates",
                uses(access)
            ),
            Capability::Storage { name, access } => {
                format!("may {} the storage {name}", uses(access))
            }
            Capability::Workload { container } => {
                format!("may run its components as services of the container {container}")
            }
            Capability::Port(range) => format!("may open {range}"),
            Capability::Egress(egress) => {
                let host = match &egress.host {
                    Host::Below(name) => format!("every host below {name}"),
                    host => host.to_string(),
                };
                format!(
                    "may connect to {host} at port {}, over {}",
                    egress.port,
                    egress.via.as_str()
                )
            }
            Capability::Tools(tools) => format!("may {}", tools.does()),
            Capability::Environment { name } => format!("may read the environment variable {name}"),
            Capability::Memory { mebibytes } => {
                format!("may take {mebibytes} MiB of memory for a hook")
            }
            Capability::Time { milliseconds } => match milliseconds % 1000 {
                0 => format!("may take {} s for a hook", milliseconds / 1000),
                _ => format!("may take {milliseconds} ms for a hook"),
            },
        }
    }
}

impl Declared {
    /// The sentence with the charm's reason.
    #[must_use]
    pub fn words(&self) -> String {
        let words = self.capability.words();
        match &self.why {
            Some(why) => format!("{words}; reason: {why}"),
            None => format!("{words}; no reason given"),
        }
    }
}

//! **apicaller**: the connection of the process, lent to the nodes of this machine.
//!
//! Trigger: the engine's start. Action: none; see the process's own. Effect: the nodes of a
//! machine name their connection as an input like those of any agent.

use periapt_engine::{Manifold, ValueWorker};

use super::{MachineContext, agent};

pub const NAME: &str = "api-caller";

/// Lends an [`ApiConnection`](periapt_wire::ApiConnection).
#[must_use]
pub fn manifold() -> Manifold {
    Manifold::new(|context| async move {
        let machine: MachineContext = context.get(agent::NAME)?;
        Ok(ValueWorker::lend(machine.host.connection.clone()))
    })
    .needs([agent::NAME])
}

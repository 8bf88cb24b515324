//! **apicaller**: the connection of the process, lent to the nodes of this unit.
//!
//! Trigger: the engine's start. Action: none; the process connects, logs in and reconnects, and
//! it ends all nested engines with a connection that is lost. Effect: the nodes of a unit name
//! their connection as an input like those of any agent.

use periapt_engine::{Manifold, ValueWorker};

use super::{UnitContext, agent};

pub const NAME: &str = "api-caller";

/// Lends an [`ApiConnection`](periapt_wire::ApiConnection).
#[must_use]
pub fn manifold() -> Manifold {
    Manifold::new(|context| async move {
        let unit: UnitContext = context.get(agent::NAME)?;
        Ok(ValueWorker::lend(unit.machine.host.connection.clone()))
    })
    .needs([agent::NAME])
}

//! **agent**: the identity of this engine, lent to every other node.
//!
//! Trigger: the engine's start. Action: none. Effect: each node that acts for the machine names
//! `agent` among its inputs. It never changes while the engine lives.

use periapt_engine::{Manifold, ValueWorker};

use super::MachineContext;

pub const NAME: &str = "agent";

/// Lends the [`MachineContext`].
#[must_use]
pub fn manifold(machine: &MachineContext) -> Manifold {
    let machine = machine.clone();
    Manifold::new(move |_| {
        let machine = machine.clone();
        async move { Ok(ValueWorker::lend(machine)) }
    })
}

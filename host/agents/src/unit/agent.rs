//! **agent**: the identity of this engine, lent to every other node.
//!
//! Trigger: the engine's start. Action: none. Effect: each node that acts for the unit names
//! `agent` among its inputs. It never changes while the engine lives.

use periapt_engine::{Manifold, ValueWorker};

use super::UnitContext;

pub const NAME: &str = "agent";

/// Lends the [`UnitContext`].
#[must_use]
pub fn manifold(unit: &UnitContext) -> Manifold {
    let unit = unit.clone();
    Manifold::new(move |_| {
        let unit = unit.clone();
        async move { Ok(ValueWorker::lend(unit)) }
    })
}

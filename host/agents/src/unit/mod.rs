//! The unit agent: one engine per unit, nested in the deployer of its machine.
//!
//! It has no connection of its own; it is lent the one of its process and stops with it. Its one
//! fatal error is that its unit is dead: then the engine ends for good and the deployer removes
//! the unit. There may be a thousand of these in a process, so a node here is a value or a task
//! that waits, and what is the same for all units (logging, log sending, settings of the model), or runs
//! beside their hooks, runs once, in the process.

pub mod agent;
pub mod apicaller;
pub mod charmdir;
pub mod leadership;
pub mod retrystrategy;
#[cfg(test)]
pub(crate) mod tests;
pub mod uniter;

use periapt_engine::{DependencyEngine, EngineConfig, InstallError, Manifolds};
use periapt_model::UnitName;

use crate::machine::MachineContext;

/// What the engine of one unit is given.
#[derive(Clone)]
pub struct UnitContext {
    pub unit: UnitName,
    pub machine: MachineContext,
}

/// The table.
pub fn manifolds(unit: &UnitContext) -> Manifolds {
    Manifolds::new()
        .add(agent::NAME, agent::manifold(unit))
        .add(apicaller::NAME, apicaller::manifold())
        .add(charmdir::NAME, charmdir::manifold())
        .add(leadership::NAME, leadership::manifold())
        .add(retrystrategy::NAME, retrystrategy::manifold())
        .add(uniter::NAME, uniter::manifold())
}

/// Starts the engine of one unit.
///
/// # Errors
/// A table that contradicts itself.
pub fn start(unit: &UnitContext) -> Result<DependencyEngine, InstallError> {
    let host = &unit.machine.host;
    let config = EngineConfig::new(unit.unit.to_string(), host.clock.clone())
        .randomness(host.randomness.clone());
    let engine = DependencyEngine::new(config);
    let installed = manifolds(unit).install(&engine);
    if installed.is_err() {
        engine.kill();
    }
    installed.map(|()| engine)
}

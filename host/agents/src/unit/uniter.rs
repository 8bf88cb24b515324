//! **uniter**: runs the charm. See the crate `periapt-uniter`.
//!
//! Trigger: everything the unit cares about. Action: runs the hooks that are due, each in a
//! sandbox, and commits what they ask for. Effect: the unit follows the model; it ends the
//! unit's agent when the unit is dead.

use periapt_engine::{Guard, Manifold};
use periapt_uniter::{Leadership, Uniter, UniterConfig};
use periapt_wire::ApiConnection;
use periapt_wire::agent::retry_strategy::RetryStrategy;

use super::{UnitContext, agent, apicaller, charmdir, leadership, retrystrategy};

pub const NAME: &str = "uniter";

/// Lends nothing.
#[must_use]
pub fn manifold() -> Manifold {
    Manifold::new(|context| async move {
        let unit: UnitContext = context.get(agent::NAME)?;
        let connection: ApiConnection = context.get(apicaller::NAME)?;
        let charm_directory: Guard = context.get(charmdir::NAME)?;
        let leadership: Leadership = context.get(leadership::NAME)?;
        let retry: RetryStrategy = context.get(retrystrategy::NAME)?;
        let host = &unit.machine.host;
        Ok(Uniter::start(UniterConfig {
            machine: unit.machine.machine.clone(),
            model: host.model.clone(),
            process: host.process.clone(),
            limits: host.limits.clone(),
            update_status: host.settings.update_status.clone(),
            proxies: host.proxies.clone(),
            unit: unit.unit.clone(),
            connection,
            leadership,
            charm_directory,
            retry,
        }))
    })
    .needs([
        agent::NAME,
        apicaller::NAME,
        charmdir::NAME,
        leadership::NAME,
        retrystrategy::NAME,
    ])
}

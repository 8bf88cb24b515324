//! **presence**: which agents are connected.
//!
//! Trigger: agents log in and their connections end, of which the API server tells the registry.
//! Effect: status shows a machine as down when its agent has gone. The registry outlives the API
//! server's restarts; it is not stored.

use periapt_engine::{Manifold, ValueWorker};
use periapt_server::Presence;

use super::agent;

pub const NAME: &str = "presence";

/// Lends the [`Presence`].
pub fn manifold() -> Manifold {
    Manifold::new(|context| async move {
        context.require(agent::NAME)?;
        Ok(ValueWorker::lend(Presence::new(context.clock())))
    })
    .needs([agent::NAME])
}

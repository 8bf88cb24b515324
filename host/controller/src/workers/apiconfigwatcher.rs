//! **apiconfigwatcher**: as in the model engine, for the controller's own connection.
//!
//! Trigger: the controller's addresses change. Action: it bounces, which connects anew.

use periapt_agents::model::apiconfigwatcher;
use periapt_engine::Manifold;

use super::{agent, controllerport};
use crate::ControllerContext;

pub use apiconfigwatcher::NAME;

/// Lends nothing.
pub fn manifold() -> Manifold {
    Manifold::new(|context| async move {
        let controller: ControllerContext = context.get(agent::NAME)?;
        // The addresses are known from there on.
        context.require(controllerport::NAME)?;
        Ok(apiconfigwatcher::worker(
            controller.api_addresses.subscribe(),
        ))
    })
    .needs([agent::NAME, controllerport::NAME])
}

//! **apicaller**: the controller's own connection to its API, a channel within the process.
//!
//! Trigger: start, or the API server's end. Effect: the controller's workers live and die with
//! the API, as an agent's do.

use periapt_agents::model::apicaller::{self, Connect};
use periapt_engine::Manifold;
use periapt_server::ServerState;

use super::apiserver::InProcess;
use super::{apiconfigwatcher, apiserver};

pub use apicaller::NAME;

/// Lends an [`ApiConnection`](periapt_wire::ApiConnection).
pub fn manifold() -> Manifold {
    Manifold::new(|context| async move {
        context.require(apiconfigwatcher::NAME)?;
        let state: ServerState = context.get(apiserver::NAME)?;
        let connection = context.or_abort(InProcess(state).connect(None)).await??;
        Ok(apicaller::worker(connection))
    })
    .needs([apiconfigwatcher::NAME, apiserver::NAME])
}

//! **apicaller**: this engine's one connection to the controller's API.
//!
//! Trigger: the engine's start, or the loss of the connection. Action: it connects and lends the
//! connection; it dies with it. Effect: when the API goes away every worker of the model stops,
//! and all come back with it. The engine lives in the controller's process, so the connection is
//! a channel into the same facades that agents reach over the network. It never retries by
//! itself: that is the engine's part.

use std::sync::Arc;

use async_trait::async_trait;
use periapt_engine::{Manifold, Outputs, SharedWorker, TaskWorker, WorkerError};
use periapt_model::ModelUuid;
use periapt_wire::ApiConnection;

use super::{ModelContext, agent, apiconfigwatcher};

pub const NAME: &str = "api-caller";

/// A way to connect as the controller itself.
#[async_trait]
pub trait Connect: Send + Sync + 'static {
    /// A connection bound to `model`, or to the controller for none.
    async fn connect(&self, model: Option<&ModelUuid>) -> Result<ApiConnection, WorkerError>;
}

/// Lends an [`ApiConnection`].
pub fn manifold() -> Manifold {
    Manifold::new(|context| async move {
        let model: ModelContext = context.get(agent::NAME)?;
        context.require(apiconfigwatcher::NAME)?;
        let connect: Arc<dyn Connect> = Arc::clone(&model.connect);
        let connection = context
            .or_abort(connect.connect(Some(&model.uuid)))
            .await??;
        Ok(worker(connection))
    })
    .needs([agent::NAME, apiconfigwatcher::NAME])
}

/// Lends `connection` and dies with it.
pub fn worker(connection: ApiConnection) -> SharedWorker {
    let broken = connection.broken();
    TaskWorker::lending(Outputs::of(connection), |worker| async move {
        worker.or_dying(broken.cancelled()).await?;
        Err(WorkerError::text("connection to the controller lost"))
    })
}

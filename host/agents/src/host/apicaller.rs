//! **apicaller**: the one connection of the process to the controller's API.
//!
//! Trigger: the engine's start, or the loss of the connection. Action: connects, logs in, lends
//! the connection and dies with it. Effect: when the API goes away everything nested stops, and
//! comes back with it in the same process. A refused login is not retried: the agent's entity is
//! gone, and so is the agent.
//!
//! Adapted from Juju: the report of an agent that is cut off cannot be asked for, since a restricted
//! process opens no socket of its own. Each end of the connection, and of what stood on it, is a
//! line of `agent.log` in the agent's directory.

use std::sync::Arc;

use async_trait::async_trait;
use periapt_client::websocket::{ApiInfo, dial};
use periapt_engine::{Fatal, Manifold, Outputs, TaskWorker, WorkerError};
use periapt_wire::rpc::code;
use periapt_wire::{ApiConnection, CallError};

use super::{AgentContext, agent, apiconfigwatcher};
use crate::agent_config::AgentConfig;

pub const NAME: &str = "api-caller";

/// A way to connect and log in.
#[async_trait]
pub trait Dial: Send + Sync + 'static {
    async fn dial(&self, config: &AgentConfig) -> Result<ApiConnection, CallError>;
}

/// Over the network.
pub struct Websocket;

#[async_trait]
impl Dial for Websocket {
    async fn dial(&self, config: &AgentConfig) -> Result<ApiConnection, CallError> {
        dial(ApiInfo {
            addresses: config.api_addresses.clone(),
            ca_pem: config.ca_cert.clone(),
            model: Some(config.model_uuid.clone()),
            tag: config.tag.clone(),
            password: config.password.clone(),
        })
        .await
    }
}

/// Lends an [`ApiConnection`].
#[must_use]
pub fn manifold() -> Manifold {
    Manifold::new(|context| async move {
        let agent: AgentContext = context.get(agent::NAME)?;
        context.require(apiconfigwatcher::NAME)?;
        let config = agent.conf.current();
        let dial = Arc::clone(&agent.dial);
        let connection = context.or_abort(dial.dial(&config)).await?.map_err(judge)?;
        let broken = connection.broken();
        Ok(TaskWorker::lending(
            Outputs::of(connection),
            |worker| async move {
                worker.or_dying(broken.cancelled()).await?;
                Err(WorkerError::text("connection to the controller lost"))
            },
        ))
    })
    .needs([agent::NAME, apiconfigwatcher::NAME])
}

fn judge(error: CallError) -> WorkerError {
    match error.code() {
        code::UNAUTHORIZED | code::NOT_FOUND | code::DEAD => {
            tracing::error!(%error, "the controller does not know this agent any more");
            Fatal::TerminateAgent.into()
        }
        _ => WorkerError::other(error).during("connecting to the controller"),
    }
}

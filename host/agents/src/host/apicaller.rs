//! **apicaller**: the one connection of the process to the controller's API.
//!
//! Trigger: the engine's start, or the loss of the connection. Action: connects, logs in, lends
//! the connection and dies with it. Effect: when the API goes away everything nested stops, and
//! comes back with it in the same process. A refused login is not retried: the agent's entity is
//! gone, and so is the agent.
//!
//! The password that the agent was given is used once, to tell the controller of one that the agent
//! made: written down first, told then, and used at once, which ends the old one. Until it is noted that the
//! controller has taken it, the agent comes with the old one, which counts as long as the new one has not been
//! used. So an agent that dies at any point of this comes back without a login that is refused.
//!
//! Adapted from Juju: the report of an agent that is cut off cannot be asked for, since a restricted
//! process opens no socket of its own. Each end of the connection, and of what stood on it, is a
//! line of `agent.log` in the agent's directory.

use std::io;

use async_trait::async_trait;
use periapt_client::websocket::{ApiInfo, dial};
use periapt_engine::{Fatal, Manifold, Outputs, ResultExt, TaskWorker, WorkerError, failpoint};
use periapt_wire::agent::host::ChangePassword;
use periapt_wire::rpc::code;
use periapt_wire::{ApiConnection, CallError};

use super::{AgentContext, agent, apiconfigwatcher};
use crate::agent_config::AgentConfig;
use crate::credential::OwnPassword;

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
        let connection = context.or_abort(connect(&agent)).await??;
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

/// Logs in with the agent's own password, or with the one that it was given, which then ends.
async fn connect(agent: &AgentContext) -> Result<ApiConnection, WorkerError> {
    let config = agent.conf.current();
    let asked = config.clone();
    let own = blocking(move || OwnPassword::read(&asked)).await;
    let own = own.while_doing("reading the agent's own password")?;
    let of = |with_own: bool| match &own {
        Some(own) if with_own => own.of(&config),
        _ => config.clone(),
    };
    let mut with_own = own.as_ref().is_some_and(OwnPassword::is_told);
    let mut answer = agent.dial.dial(&of(with_own)).await;
    // The other one is for a controller whose database is older than the file, and for a file that
    // could not be written to the end.
    let refused = answer
        .as_ref()
        .is_err_and(|error| error.is(code::UNAUTHORIZED));
    if own.is_some() && refused {
        with_own = !with_own;
        answer = agent.dial.dial(&of(with_own)).await;
    }
    let connection = answer.map_err(judge)?;
    match own {
        Some(own) if with_own => {
            if !own.is_told() {
                note_told(own, &config).await;
            }
            Ok(connection)
        }
        own => change_password(agent, &config, own, connection).await,
    }
}

/// Ends the password that the agent was given and connects with its own.
async fn change_password(
    agent: &AgentContext,
    config: &AgentConfig,
    own: Option<OwnPassword>,
    connection: ApiConnection,
) -> Result<ApiConnection, WorkerError> {
    let own = match own {
        Some(own) => own,
        None => {
            let own = OwnPassword::after(config);
            if let Err(error) = keep(own.clone(), config).await {
                // A full disk is no reason to be cut off.
                tracing::warn!(%error, "the agent keeps the password that it was given: its own cannot be written down");
                return Ok(connection);
            }
            failpoint::reach("agent-password-written");
            own
        }
    };
    let change = ChangePassword {
        present_password: config.password.clone(),
        password: own.password().to_owned(),
    };
    let changed = connection.call(&change).await;
    changed.while_doing("changing the agent's password")?;
    note_told(own.clone(), config).await;
    failpoint::reach("agent-password-noted");
    drop(connection);
    let connection = agent.dial.dial(&own.of(config)).await;
    let connection = connection.while_doing("connecting with the agent's own password")?;
    tracing::info!("the agent has a password of its own");
    Ok(connection)
}

async fn note_told(own: OwnPassword, config: &AgentConfig) {
    if let Err(error) = keep(own.told(), config).await {
        tracing::warn!(%error, "that the controller has taken the agent's password cannot be written down");
    }
}

async fn keep(own: OwnPassword, config: &AgentConfig) -> Result<(), WorkerError> {
    let directory = config.directory.clone();
    blocking(move || own.write(&directory)).await
}

/// Does `work` where waiting for a disk holds nobody up.
async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> io::Result<T> + Send + 'static,
) -> Result<T, WorkerError> {
    let done = tokio::task::spawn_blocking(work).await;
    done.worker_error()?.worker_error()
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

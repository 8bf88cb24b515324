//! **terminationworker**: SIGABRT ends the agent for good.
//!
//! Trigger: the signal. Action: marks the agent as ended for good, then ends with the error that
//! terminates it. Effect: the process exits with a code of its own and is not started again until
//! a person says so (`periapt start-agent`). SIGTERM means a plain stop and is not its concern.

use periapt_engine::supervised::mark_ended;
use periapt_engine::{Fatal, Manifold, ResultExt, TaskWorker};
use tokio::signal::unix::{SignalKind, signal};

use super::{AgentContext, agent};

pub const NAME: &str = "termination-worker";
const SIGABRT: i32 = 6;

/// Lends nothing.
#[must_use]
pub fn manifold() -> Manifold {
    Manifold::new(|context| async move {
        let agent: AgentContext = context.get(agent::NAME)?;
        let mut aborts =
            signal(SignalKind::from_raw(SIGABRT)).while_doing("listening for SIGABRT")?;
        Ok(TaskWorker::spawn(move |worker| async move {
            worker.or_dying(aborts.recv()).await?;
            let directory = agent.conf.current().directory;
            if let Err(error) = mark_ended(&directory, "SIGABRT") {
                tracing::error!(%error, "it could not be recorded that the agent ends for good");
            }
            Err(Fatal::TerminateAgent.into())
        }))
    })
    .needs([agent::NAME])
}

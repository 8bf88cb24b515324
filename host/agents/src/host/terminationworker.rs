//! **terminationworker**: SIGABRT ends the agent for good.
//!
//! Trigger: the signal. Action: ends with the error that terminates the agent. Effect: the
//! process exits as one whose entity is gone. SIGTERM means a plain stop and is not its concern.

use periapt_engine::{Fatal, Manifold, ResultExt, TaskWorker};
use tokio::signal::unix::{SignalKind, signal};

pub const NAME: &str = "termination-worker";
const SIGABRT: i32 = 6;

/// Lends nothing.
#[must_use]
pub fn manifold() -> Manifold {
    Manifold::new(|_| async {
        let mut aborts =
            signal(SignalKind::from_raw(SIGABRT)).while_doing("listening for SIGABRT")?;
        Ok(TaskWorker::spawn(|worker| async move {
            worker.or_dying(aborts.recv()).await?;
            Err(Fatal::TerminateAgent.into())
        }))
    })
}

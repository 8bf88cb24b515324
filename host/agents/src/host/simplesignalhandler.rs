//! **simplesignalhandler** (`termination-signal-handler`): SIGTERM and SIGINT stop the process.
//!
//! Trigger: the first such signal. Action: asks the process to stop. Effect: running hooks get a
//! moment to end, the others are recorded as broken off, and the process exits with success.
//!
//! Adapted from Juju, where the worker gives the container of a dead unit an exit status of its
//! own: here a unit is no process. The status tells whoever supervises the process what to do: 0
//! after a stop that was asked for, another one after an end for good (see `terminationworker`).

use periapt_engine::{Manifold, ResultExt, TaskWorker};
use tokio::signal::unix::{SignalKind, signal};

use super::{AgentContext, agent};

pub const NAME: &str = "termination-signal-handler";

/// Lends nothing.
#[must_use]
pub fn manifold() -> Manifold {
    Manifold::new(|context| async move {
        let agent: AgentContext = context.get(agent::NAME)?;
        let mut terminations =
            signal(SignalKind::terminate()).while_doing("listening for SIGTERM")?;
        let mut interrupts = signal(SignalKind::interrupt()).while_doing("listening for SIGINT")?;
        Ok(TaskWorker::spawn(|worker| async move {
            let either = async {
                tokio::select! {
                    _ = terminations.recv() => {}
                    _ = interrupts.recv() => {}
                }
            };
            worker.or_dying(either).await?;
            tracing::info!("stopping, as asked by a signal");
            agent.stopping.cancel();
            worker.dying().cancelled().await;
            Ok(())
        }))
    })
    .needs([agent::NAME])
}

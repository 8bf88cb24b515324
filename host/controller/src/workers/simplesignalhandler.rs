//! **simplesignalhandler**: ends the process when the operating system asks for it.
//!
//! Trigger: the first SIGTERM or SIGINT. Action: it asks for a graceful stop. Effect: connections
//! close, running requests finish within their bound, the store is closed, agents go on running.
//! A second signal meets a process that is stopping already. Where somebody else owns the process
//! the node removes itself.

use periapt_engine::{Manifold, ResultExt, TaskWorker, WorkerError};
use tokio::signal::unix::{SignalKind, signal};

use super::agent;
use crate::ControllerContext;

pub const NAME: &str = "termination-signal-handler";

/// Lends nothing.
pub fn manifold() -> Manifold {
    Manifold::new(|context| async move {
        let controller: ControllerContext = context.get(agent::NAME)?;
        if !controller.signals {
            return Err(WorkerError::Uninstall
                .during("the process is stopped by its owner, not by signals"));
        }
        let mut terminate = signal(SignalKind::terminate()).while_doing("listening to SIGTERM")?;
        let mut interrupt = signal(SignalKind::interrupt()).while_doing("listening to SIGINT")?;
        Ok(TaskWorker::spawn(move |worker| async move {
            tokio::select! {
                () = worker.dying().cancelled() => return Ok(()),
                _ = terminate.recv() => tracing::info!("SIGTERM: stopping"),
                _ = interrupt.recv() => tracing::info!("SIGINT: stopping"),
            }
            controller.stop.cancel();
            worker.dying().cancelled().await;
            Ok(())
        }))
    })
    .needs([agent::NAME])
}

//! How a hook begins: by the agent's own record, or by the controller's, and how the latter hears of
//! one that lasts.

use std::pin::pin;
use std::time::Duration;

use periapt_model::hook::{Info, Kind};
use periapt_model::uniter::{Operation, OperationState, RemoteState, Resolved};
use periapt_wire::agent::uniter::BeginHook;

use super::Executor;
use crate::error::UniterError;
use crate::hook::Ended;
use crate::lines::Lines;
use crate::worker::UniterConfig;

/// How long a hook runs before the controller hears of it: what is shorter nobody sees.
pub(super) const LASTS: Duration = Duration::from_millis(100);

impl Executor {
    /// Whether the hook may begin by the agent's own record alone. Not where others have to hear of
    /// it before: who enters the scope of a relation, and a person who may answer to a failure.
    pub(super) fn begins_here(
        &self,
        info: &Info,
        remote: &RemoteState,
        recorded: &OperationState,
    ) -> bool {
        let alone = info.kind != Kind::RelationCreated
            && recorded.failed_hook().is_none()
            && remote.resolved == Resolved::None;
        let UniterConfig { process, unit, .. } = &*self.config;
        alone && process.intents().say(unit, self.sequence, recorded, info)
    }

    /// Records with the controller that the hook begins.
    pub(super) async fn begin(&mut self, begin: &BeginHook) -> Result<(), UniterError> {
        self.call(begin, "recording that the hook begins").await?;
        self.recorded();
        self.local.operation = begin.operation.clone();
        self.shown = begin.agent.clone().or(self.shown.take());
        Ok(())
    }

    /// Waits for a hook that runs, and tells the controller of one that lasts and what it has logged.
    /// Its commit comes after that.
    pub(super) async fn accompany(
        &mut self,
        run: impl Future<Output = Result<Ended, UniterError>>,
        begin: &BeginHook,
        lines: &Lines,
    ) -> Result<Ended, UniterError> {
        let mut run = pin!(run);
        let lasts = self.clock().sleep(LASTS);
        tokio::select! {
            biased;
            ended = &mut run => return ended,
            () = lasts => {}
        }
        lines.release();
        let telling = async {
            self.hand_over().await;
            match self.unrecorded {
                Some(_) => self.begin(begin).await,
                None => Ok(()),
            }
        };
        let (begun, ended) = tokio::join!(telling, run);
        begun.and(ended)
    }

    /// Takes back that a hook has begun, wherever it is recorded: it is still to be run.
    pub(super) async fn put_back(&mut self, info: &Info) -> Result<(), UniterError> {
        if let Some(before) = self.unrecorded.take() {
            self.config.process.intents().withdraw(&self.config.unit);
            self.local.operation = before;
            return Ok(());
        }
        let queued = Operation::hook_interrupted(&self.local.operation);
        if self.local.operation.hook.as_ref() == Some(info) && self.local.operation != queued {
            self.write(queued, false).await?;
        }
        Ok(())
    }
}

//! A group of tasks with a single reason to die.
//!
//! A tomb is alive, then dying, then dead. The first error given as a reason wins; a kill without
//! one only says "please stop". It is dead when it is dying and its last task has ended. A panic in
//! a task is an error with the panic's text.

#[cfg(test)]
mod tests;

use std::sync::{Arc, Mutex};

use futures::FutureExt;
use tokio::sync::SetOnce;
use tokio_util::sync::CancellationToken;

use crate::error::{Kind, WorkerError, WorkerResult};
use crate::panics::{catch, lock};

/// The group. Clones are the same tomb.
#[derive(Clone)]
pub struct Tomb {
    shared: Arc<Shared>,
}

struct Shared {
    dying: CancellationToken,
    dead: SetOnce<WorkerResult>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    alive: usize,
    dead: bool,
    reason: Option<WorkerError>,
}

impl Tomb {
    /// An empty tomb, alive. It can only die after at least one task was spawned.
    #[must_use]
    pub fn new() -> Self {
        Self {
            shared: Arc::new(Shared {
                dying: CancellationToken::new(),
                dead: SetOnce::new(),
                state: Mutex::default(),
            }),
        }
    }

    /// Cancelled from the moment the tomb is dying.
    #[must_use]
    pub fn dying(&self) -> &CancellationToken {
        &self.shared.dying
    }

    /// True from the first kill on.
    #[must_use]
    pub fn is_dying(&self) -> bool {
        self.shared.dying.is_cancelled()
    }

    /// True when the last task has ended.
    #[must_use]
    pub fn is_dead(&self) -> bool {
        self.shared.dead.get().is_some()
    }

    /// Asks all tasks to stop. The first reason that is an error is what [`wait`](Self::wait)
    /// returns. [`WorkerError::Dying`] is no reason: on a tomb that is not dying it is a mistake of
    /// whoever returned it, and becomes an error that says so.
    pub fn kill(&self, reason: Option<WorkerError>) {
        let mut state = lock(&self.shared.state);
        self.kill_locked(&mut state, reason);
    }

    fn kill_locked(&self, state: &mut State, reason: Option<WorkerError>) {
        if state.dead {
            return;
        }
        let reason = match reason {
            Some(error) if error.kind() == Kind::Dying && self.is_dying() => None,
            Some(error) if error.kind() == Kind::Dying => Some(WorkerError::text(
                "a worker said it was stopping as asked, but nobody asked",
            )),
            reason => reason,
        };
        if state.reason.is_none() {
            state.reason = reason;
        }
        self.shared.dying.cancel();
    }

    /// Runs `work` as one task of the group; false, and nothing runs, when the tomb is dead. An
    /// error of it kills the tomb; the end of the last task does too.
    pub fn spawn(&self, work: impl Future<Output = WorkerResult> + Send + 'static) -> bool {
        {
            let mut state = lock(&self.shared.state);
            if state.dead {
                return false;
            }
            state.alive += 1;
        }
        let burial = Burial {
            tomb: self.clone(),
            result: None,
        };
        tokio::spawn(catch(work).map(move |result| burial.with(result)));
        true
    }

    /// Waits for death: the reason, or `Ok` when there was none but a plain request.
    ///
    /// # Errors
    /// The first error given as a reason to die.
    pub async fn wait(&self) -> WorkerResult {
        self.shared.dead.wait().await.clone()
    }

    fn ended(&self, result: WorkerResult) {
        let mut state = lock(&self.shared.state);
        state.alive -= 1;
        let last = state.alive == 0;
        if last || result.is_err() {
            self.kill_locked(&mut state, result.err());
        }
        if last {
            state.dead = true;
            let result = state.reason.take().map_or(Ok(()), Err);
            drop(state);
            let _ = self.shared.dead.set(result);
        }
    }
}

impl Default for Tomb {
    fn default() -> Self {
        Self::new()
    }
}

/// Tells the tomb of a task's end, also of one that the runtime dropped at its own shutdown.
struct Burial {
    tomb: Tomb,
    result: Option<WorkerResult>,
}

impl Burial {
    fn with(mut self, result: WorkerResult) {
        self.result = Some(result);
    }
}

impl Drop for Burial {
    fn drop(&mut self) {
        let dropped = || Err(WorkerError::text("dropped at the shutdown of the runtime"));
        self.tomb.ended(self.result.take().unwrap_or_else(dropped));
    }
}

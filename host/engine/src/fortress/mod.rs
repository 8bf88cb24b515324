//! Many guests, one guard.
//!
//! Guests do their work inside the fortress, any number at the same time; the guard can keep new
//! ones out and wait until the last has left. It starts locked. A visit inside a visit can block
//! for ever when a lockdown is pending: do not nest them. One fortress has one guard; with several
//! the last word counts, and a lockdown that waits is stranded until the visits drain.

#[cfg(test)]
mod tests;

use std::sync::Arc;

use async_trait::async_trait;
use serde_json::{Value, json};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use crate::error::{WorkerError, WorkerResult};
use crate::manifold::Manifold;
use crate::worker::{Outputs, SharedWorker, Worker};

/// The fortress as a worker; it lends a [`Guard`] and a [`Guest`]. Killed, it turns away whoever
/// waits and is dead when the last visitor has left. It needs no task.
pub struct Fortress {
    state: Arc<watch::Sender<State>>,
}

/// The right to open and close the fortress.
#[derive(Clone)]
pub struct Guard {
    state: Arc<watch::Sender<State>>,
}

/// The right to visit the fortress while it is open.
#[derive(Clone)]
pub struct Guest {
    state: Arc<watch::Sender<State>>,
}

/// A running visit. It ends when this is dropped.
pub struct Visit {
    state: Arc<watch::Sender<State>>,
}

#[derive(Debug, Clone, Copy, Default)]
struct State {
    open: bool,
    dying: bool,
    visits: usize,
}

/// Why a guest was not let in, or a guard gave up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum FortressError {
    /// The caller called it off.
    #[error("fortress operation aborted")]
    Aborted,
    /// The fortress is being shut down.
    #[error("fortress is shutting down")]
    Shutdown,
}

impl FortressError {
    /// A stable name, for machines.
    #[must_use]
    pub fn code(self) -> &'static str {
        match self {
            Self::Aborted => "fortress-aborted",
            Self::Shutdown => "fortress-shutdown",
        }
    }
}

impl From<FortressError> for WorkerError {
    fn from(error: FortressError) -> Self {
        Self::other(error)
    }
}

/// A node that is a fortress, locked at each start.
#[must_use]
pub fn manifold() -> Manifold {
    Manifold::new(|_| async { Ok(Arc::new(Fortress::new()) as SharedWorker) })
}

impl Fortress {
    /// A locked fortress.
    #[must_use]
    pub fn new() -> Self {
        Self {
            state: Arc::new(watch::Sender::new(State::default())),
        }
    }

    /// The right to open and close it.
    #[must_use]
    pub fn guard(&self) -> Guard {
        Guard {
            state: Arc::clone(&self.state),
        }
    }

    /// The right to visit it.
    #[must_use]
    pub fn guest(&self) -> Guest {
        Guest {
            state: Arc::clone(&self.state),
        }
    }
}

impl Default for Fortress {
    fn default() -> Self {
        Self::new()
    }
}

#[async_trait]
impl Worker for Fortress {
    fn kill(&self) {
        self.state.send_modify(|state| state.dying = true);
    }

    async fn wait(&self) -> WorkerResult {
        when(&self.state, |state| state.dying && state.visits == 0).await;
        Ok(())
    }

    fn report(&self) -> Value {
        let state = *self.state.borrow();
        json!({ "open": state.open, "visits": state.visits })
    }

    fn outputs(&self) -> Outputs {
        Outputs::of(self.guard()).and(self.guest())
    }
}

impl Guard {
    /// The right to visit what this guards.
    #[must_use]
    pub fn guest(&self) -> Guest {
        Guest {
            state: Arc::clone(&self.state),
        }
    }

    /// Lets the guests in. Returns at once; doing it twice is the same as once.
    ///
    /// # Errors
    /// [`FortressError::Shutdown`] when the fortress is dying.
    pub fn unlock(&self) -> Result<(), FortressError> {
        self.set_open(true)
    }

    /// Lets nobody in any more, and waits until nobody is inside. When called off it returns
    /// early, yet the fortress stays closed and visits that run go on.
    ///
    /// # Errors
    /// [`FortressError::Aborted`] when called off with visits still running,
    /// [`FortressError::Shutdown`] when the fortress is dying.
    pub async fn lockdown(&self, abort: &CancellationToken) -> Result<(), FortressError> {
        self.set_open(false)?;
        tokio::select! {
            biased;
            state = when(&self.state, |state| state.dying || state.visits == 0) => {
                if state.dying { Err(FortressError::Shutdown) } else { Ok(()) }
            }
            () = abort.cancelled() => Err(FortressError::Aborted),
        }
    }

    fn set_open(&self, open: bool) -> Result<(), FortressError> {
        let mut dying = false;
        self.state.send_if_modified(|state| {
            dying = state.dying;
            !dying && std::mem::replace(&mut state.open, open) != open
        });
        if dying {
            Err(FortressError::Shutdown)
        } else {
            Ok(())
        }
    }
}

impl Guest {
    /// Runs `work` inside the fortress, as soon as it is open. Once inside, `abort` has no more
    /// effect and the result is that of `work`.
    ///
    /// # Errors
    /// [`FortressError::Aborted`] when called off before it was let in and
    /// [`FortressError::Shutdown`] when the fortress died before that; `work` never ran.
    pub async fn visit<F: Future>(
        &self,
        abort: &CancellationToken,
        work: impl FnOnce() -> F,
    ) -> Result<F::Output, FortressError> {
        let _visit = self.enter(abort).await?;
        Ok(work().await)
    }

    /// Enters the fortress as soon as it is open, and stays until the [`Visit`] is dropped.
    ///
    /// # Errors
    /// As [`visit`](Self::visit).
    pub async fn enter(&self, abort: &CancellationToken) -> Result<Visit, FortressError> {
        loop {
            if abort.is_cancelled() {
                return Err(FortressError::Aborted);
            }
            if let Some(visit) = self.try_enter()? {
                return Ok(visit);
            }
            tokio::select! {
                biased;
                () = abort.cancelled() => {}
                _ = when(&self.state, |state| state.open || state.dying) => {}
            }
        }
    }

    /// Enters the fortress if it is open now.
    ///
    /// # Errors
    /// [`FortressError::Shutdown`] when the fortress is dying.
    pub fn try_enter(&self) -> Result<Option<Visit>, FortressError> {
        let mut before = State::default();
        self.state.send_if_modified(|state| {
            before = *state;
            let enters = state.open && !state.dying;
            state.visits += usize::from(enters);
            enters
        });
        match before {
            State { dying: true, .. } => Err(FortressError::Shutdown),
            State { open: true, .. } => Ok(Some(Visit {
                state: Arc::clone(&self.state),
            })),
            _ => Ok(None),
        }
    }

    /// Starts a worker inside a visit that lasts until the worker is dead. Locking the fortress
    /// does not end the worker: the flag that goes with the fortress does that.
    ///
    /// # Errors
    /// As [`visit`](Self::visit), as worker errors, and the error of `start`, which ends the visit.
    pub async fn occupy<F>(
        &self,
        abort: &CancellationToken,
        start: impl FnOnce() -> F,
    ) -> Result<SharedWorker, WorkerError>
    where
        F: Future<Output = Result<SharedWorker, WorkerError>>,
    {
        let visit = self.enter(abort).await?;
        let worker = start().await?;
        let occupant = Arc::clone(&worker);
        tokio::spawn(async move {
            let _ = occupant.wait().await;
            drop(visit);
        });
        Ok(worker)
    }
}

impl Drop for Visit {
    fn drop(&mut self) {
        self.state.send_modify(|state| state.visits -= 1);
    }
}

/// Waits for a state. The sender outlives the borrow, so the channel does not close meanwhile.
async fn when(state: &watch::Sender<State>, condition: impl Fn(&State) -> bool) -> State {
    let mut receiver = state.subscribe();
    loop {
        let now = *receiver.borrow_and_update();
        if condition(&now) || receiver.changed().await.is_err() {
            return now;
        }
    }
}

//! The remote state of one unit: a snapshot, and one signal for everything that may change it.
//!
//! Its sources are the controller's watcher of the unit, the leadership tracker, the time at which
//! a failed hook is due again and the timer of `update-status`. It says nothing before each source has been
//! heard once. Changes that come while nobody listens are one change. At rest it is one pending
//! request and one sleep.

use std::time::Duration;

use futures::future::BoxFuture;
use periapt_engine::{SharedClock, SharedRandomness};
use periapt_model::UnitName;
use periapt_model::uniter::RemoteState;
use periapt_wire::agent::uniter::{GetRemoteState, WatchUnit};
use periapt_wire::{ApiConnection, Watcher};
use tokio::sync::watch;

use crate::error::{UniterError, call};
use crate::leadership::Standing;

/// Where the snapshot comes from.
pub struct Sources {
    pub unit: UnitName,
    pub connection: ApiConnection,
    pub standing: watch::Receiver<Standing>,
    /// Time between two `update-status` hooks; zero for none.
    pub update_status: watch::Receiver<Duration>,
    pub clock: SharedClock,
    pub randomness: SharedRandomness,
}

/// The snapshot and what keeps it up to date.
pub struct RemoteWatcher {
    sources: Sources,
    watcher: Watcher,
    state: RemoteState,
    retry: Option<BoxFuture<'static, ()>>,
    /// What the retry timer is, or was, set to, on the clock's monotonic time.
    retry_at: Option<Duration>,
    update_status: Option<BoxFuture<'static, ()>>,
    /// Nobody is left who could change the interval.
    interval_is_final: bool,
}

impl RemoteWatcher {
    /// Waits until every source has been heard; none when the unit is gone.
    pub async fn start(mut sources: Sources) -> Result<Option<Self>, UniterError> {
        let watcher = watch(&sources).await?;
        let known = sources
            .standing
            .wait_for(|standing| *standing != Standing::Unknown)
            .await;
        let leader = known
            .map_err(|_| UniterError::LeadershipTracker)?
            .is_leader();
        let Some(state) = fetch(&sources).await? else {
            return Ok(None);
        };
        let mut this = Self {
            state: RemoteState { leader, ..state },
            sources,
            watcher,
            retry: None,
            retry_at: None,
            update_status: None,
            interval_is_final: false,
        };
        this.arm_update_status();
        Ok(Some(this))
    }

    /// Begins to watch anew; timers and versions go on.
    pub async fn restart(&mut self) -> Result<bool, UniterError> {
        self.watcher = watch(&self.sources).await?;
        self.refresh().await
    }

    pub fn state(&self) -> &RemoteState {
        &self.state
    }

    /// Fetches the snapshot; false when the unit is gone.
    pub async fn refresh(&mut self) -> Result<bool, UniterError> {
        let Some(state) = fetch(&self.sources).await? else {
            return Ok(false);
        };
        self.accept(state);
        Ok(true)
    }

    /// Takes over what the controller says of the unit.
    pub fn accept(&mut self, state: RemoteState) {
        self.state = RemoteState {
            leader: self.sources.standing.borrow_and_update().is_leader(),
            retry_hook_version: self.state.retry_hook_version,
            update_status_version: self.state.update_status_version,
            ..state
        };
    }

    /// Sets the retry timer, on the clock's monotonic time; none stops it. One that has gone off
    /// goes off again only when it is set to another time.
    pub fn retry_at(&mut self, at: Option<Duration>) {
        if std::mem::replace(&mut self.retry_at, at) == at {
            return;
        }
        let clock = &self.sources.clock;
        self.retry = at.map(|at| clock.sleep(at.saturating_sub(clock.monotonic())));
    }

    /// Waits for the next change of the snapshot; false when the unit is gone. May be dropped
    /// and called again without losing a change.
    pub async fn changed(&mut self) -> Result<bool, UniterError> {
        loop {
            tokio::select! {
                event = self.watcher.next() => {
                    event.map_err(call("watching the unit"))?;
                    return self.refresh().await;
                }
                changed = self.sources.standing.changed() => {
                    changed.map_err(|_| UniterError::LeadershipTracker)?;
                    let leader = self.sources.standing.borrow_and_update().is_leader();
                    if std::mem::replace(&mut self.state.leader, leader) != leader {
                        return Ok(true);
                    }
                }
                () = due(&mut self.retry) => {
                    self.retry = None;
                    self.state.retry_hook_version += 1;
                    return Ok(true);
                }
                () = due(&mut self.update_status) => {
                    self.arm_update_status();
                    self.state.update_status_version += 1;
                    return Ok(true);
                }
                changed = self.sources.update_status.changed(), if !self.interval_is_final => {
                    match changed {
                        Ok(()) => self.arm_update_status(),
                        Err(_) => self.interval_is_final = true,
                    }
                }
            }
        }
    }

    /// Juju spreads `update-status` by a fifth either way, so that units do not run it together.
    fn arm_update_status(&mut self) {
        let interval = *self.sources.update_status.borrow_and_update();
        let spread = 1.0 + 2.0 * (self.sources.randomness.jitter() - 1.0);
        self.update_status =
            (!interval.is_zero()).then(|| self.sources.clock.sleep(interval.mul_f64(spread)));
    }
}

async fn watch(sources: &Sources) -> Result<Watcher, UniterError> {
    let begin = WatchUnit {
        unit: sources.unit.clone(),
    };
    let mut watcher = sources
        .connection
        .watch(&begin)
        .await
        .map_err(call("watching the unit"))?;
    watcher.next().await.map_err(call("watching the unit"))?;
    Ok(watcher)
}

async fn fetch(sources: &Sources) -> Result<Option<RemoteState>, UniterError> {
    let ask = GetRemoteState {
        unit: sources.unit.clone(),
    };
    sources
        .connection
        .call(&ask)
        .await
        .map_err(call("reading the state of the unit"))
}

async fn due(timer: &mut Option<BoxFuture<'static, ()>>) {
    match timer {
        Some(timer) => timer.await,
        None => std::future::pending().await,
    }
}

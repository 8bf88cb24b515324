//! What the controller says of one unit: a snapshot, and one signal for everything that may change it.
//!
//! It is what decisions are made on and what hooks see, so that a hook sees the model as it was when
//! the hook was chosen and nothing is read for a hook as it begins.
//!
//! Its sources are the controller's watcher of the unit, the leadership tracker, the time at which
//! a failed hook is due again, the one at which hooks of secrets come due, and the timer of `update-status`. It
//! says nothing before each source has been heard once. Changes that come while nobody listens are one change. At rest it is one pending
//! request and one sleep.

use std::sync::Arc;
use std::time::Duration;

use futures::future::BoxFuture;
use periapt_engine::{SharedClock, SharedRandomness};
use periapt_model::UnitName;
use periapt_model::config::Values;
use periapt_model::uniter::RemoteState;
use periapt_wire::agent::uniter::{GetRemoteState, HookView, Known, News, WatchUnit};
use periapt_wire::{ApiConnection, CallError, Watcher};
use tokio::sync::watch;

use crate::error::{UniterError, call};
use crate::leadership::{Leadership, Standing};
use crate::secrets::SecretTimer;

/// Of what a hook sees, the watcher does not tell of what its leader says of the application and of the
/// application's version; they are at most so old as it begins.
const FRESH: Duration = Duration::from_secs(2);

/// Where the snapshot comes from.
pub struct Sources {
    pub unit: UnitName,
    pub connection: ApiConnection,
    pub leadership: Leadership,
    /// Time between two `update-status` hooks; zero for none.
    pub update_status: watch::Receiver<Duration>,
    pub clock: SharedClock,
    pub randomness: SharedRandomness,
}

/// What the controller said, and what is known of the moment at which it did.
#[derive(Clone, Debug)]
pub struct Heard {
    pub state: RemoteState,
    pub view: HookView,
    /// The effective configuration, with its digest.
    pub config: Arc<Values>,
    pub config_hash: String,
    /// Until when the unit leads, as it was known before the controller was asked: so long nobody
    /// else changes what is the leader's.
    pub leads_until: Option<Duration>,
}

impl Heard {
    /// Takes over what the controller says now; timers and leadership go on.
    fn hear(&mut self, news: News, leads_until: Option<Duration>) {
        let News {
            remote,
            view,
            config,
        } = news;
        self.leads_until = leads_until;
        if let Some(view) = view {
            self.view = view;
        }
        if let Some(remote) = remote {
            self.state = RemoteState {
                leader: self.state.leader,
                retry_hook_version: self.state.retry_hook_version,
                update_status_version: self.state.update_status_version,
                ..remote
            };
        }
        if let Some(config) = config {
            self.config = Arc::new(config);
            self.config_hash.clone_from(&self.state.config_hash);
        }
    }

    /// What the controller need not say again.
    pub fn known(&self) -> Known {
        Known {
            remote: Known::of_remote(&self.state),
            view: Known::of_view(&self.view),
            config: self.config_hash.clone(),
        }
    }
}

/// The snapshot and what keeps it up to date.
pub struct RemoteWatcher {
    sources: Sources,
    standing: watch::Receiver<Standing>,
    watcher: Watcher,
    heard: Heard,
    /// When that was, on the clock's monotonic time.
    heard_at: Duration,
    retry: Option<BoxFuture<'static, ()>>,
    /// What the retry timer is, or was, set to, on the clock's monotonic time.
    retry_at: Option<Duration>,
    update_status: Option<BoxFuture<'static, ()>>,
    secrets: SecretTimer,
    /// Nobody is left who could change the interval.
    interval_is_final: bool,
}

impl RemoteWatcher {
    /// Waits until every source has been heard; none when the unit is gone.
    pub async fn start(sources: Sources) -> Result<Option<Self>, UniterError> {
        let watcher = watch(&sources).await?;
        let mut standing = sources.leadership.subscribe();
        let known = standing
            .wait_for(|standing| *standing != Standing::Unknown)
            .await;
        let leader = known
            .map_err(|_| UniterError::LeadershipTracker)?
            .is_leader();
        let leads_until = sources.leadership.leads_until();
        let Some(news) = fetch(&sources, Known::default()).await? else {
            return Ok(None);
        };
        let (Some(remote), Some(view)) = (news.remote, news.view) else {
            let error =
                CallError::Unexpected("the controller left out what it was asked".to_owned());
            return Err(call("reading the state of the unit")(error));
        };
        let mut this = Self {
            heard: Heard {
                config: Arc::new(news.config.unwrap_or_default()),
                config_hash: remote.config_hash.clone(),
                state: RemoteState { leader, ..remote },
                view,
                leads_until,
            },
            heard_at: sources.clock.monotonic(),
            sources,
            standing,
            watcher,
            retry: None,
            retry_at: None,
            update_status: None,
            secrets: SecretTimer::default(),
            interval_is_final: false,
        };
        this.arm_update_status();
        this.arm_secrets();
        Ok(Some(this))
    }

    /// Begins to watch anew; timers and versions go on.
    pub async fn restart(&mut self) -> Result<bool, UniterError> {
        self.watcher = watch(&self.sources).await?;
        self.refresh().await
    }

    pub fn state(&self) -> &RemoteState {
        &self.heard.state
    }

    pub fn heard(&self) -> &Heard {
        &self.heard
    }

    /// Whether the controller was heard a moment ago.
    pub fn is_fresh(&self) -> bool {
        let now = self.sources.clock.monotonic();
        now.saturating_sub(self.heard_at) < FRESH
    }

    /// Fetches the snapshot; false when the unit is gone.
    pub async fn refresh(&mut self) -> Result<bool, UniterError> {
        let leads_until = self.sources.leadership.leads_until();
        let Some(news) = fetch(&self.sources, self.heard.known()).await? else {
            return Ok(false);
        };
        self.accept(news, leads_until);
        Ok(true)
    }

    /// Takes over what the controller says of the unit; `leads_until` was known before it was asked.
    pub fn accept(&mut self, news: News, leads_until: Option<Duration>) {
        self.heard.hear(news, leads_until);
        self.heard_at = self.sources.clock.monotonic();
        self.heard.state.leader = self.standing.borrow_and_update().is_leader();
        self.arm_secrets();
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
                changed = self.standing.changed() => {
                    changed.map_err(|_| UniterError::LeadershipTracker)?;
                    let leader = self.standing.borrow_and_update().is_leader();
                    if std::mem::replace(&mut self.heard.state.leader, leader) != leader {
                        return Ok(true);
                    }
                }
                () = due(&mut self.retry) => {
                    self.retry = None;
                    self.heard.state.retry_hook_version += 1;
                    return Ok(true);
                }
                () = self.secrets.due() => return self.refresh().await,
                () = due(&mut self.update_status) => {
                    self.arm_update_status();
                    self.heard.state.update_status_version += 1;
                    // Nothing has told of what a hook sees since the last one.
                    return self.refresh().await;
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

    fn arm_secrets(&mut self) {
        let next = self.heard.state.secrets.next;
        self.secrets.set(next, &self.sources.clock);
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

async fn fetch(sources: &Sources, known: Known) -> Result<Option<News>, UniterError> {
    let ask = GetRemoteState {
        unit: sources.unit.clone(),
        known,
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

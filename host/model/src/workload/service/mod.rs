//! The life of one service: from what happened and the time, its next state and what is to be done.
//!
//! [`State::step`] is all there is. Whoever keeps the state carries the actions out, in their order,
//! and reports what comes of them as further events: above all that a process has ended, once for
//! each [`Action::Spawn`], also for one that could not be started at all. Between a spawn and that
//! report there is never another spawn.
//!
//! Times are durations on one monotonic clock of the caller, whatever its beginning. A timer is a
//! value: [`Action::Arm`] says when it is due, arming it again replaces it, and one that comes too
//! early or has been given up is ignored, so nothing has to be disarmed. [`State::timers`] are those
//! that are due some time, for a supervisor that starts anew from the state that it wrote down.
//!
//! Source: Pebble's public documentation of restarts, checks and delays, and `ops` for the names.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::layer::{Service, Signal};
use super::plan::Change;

mod end;
mod history;
mod step;
#[cfg(test)]
mod tests;

pub use end::{End, Ending};
pub use history::{HISTORY, Passage};
pub use periapt_plan::seen::Current;

/// How long a service that says itself when it is ready may take, or one that waits for a check.
pub const READY_LIMIT: Duration = Duration::from_secs(30);
/// So many restarts in [`FLAPPING`] are told of.
pub const FLAPS: usize = 3;
pub const FLAPPING: Duration = Duration::from_secs(600);

/// What a timer is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Timer {
    /// It has run long enough for the start to count as good.
    Okay,
    /// It has taken too long to be ready.
    Ready,
    /// It is tried again.
    Backoff,
    /// It has run long enough for the next failure to be the first.
    Reset,
    /// It did not heed its signal.
    Kill,
    /// The time to stop it while this unit still leads for sure.
    FenceStop,
    /// From now on another unit may lead.
    FenceCut,
}

/// Whether this unit leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Leadership {
    /// For sure until then, if nothing else is heard.
    Until(Duration),
    /// Not any more; another may from then on.
    LostBy(Duration),
}

/// What happened.
#[derive(Clone, Debug, PartialEq)]
pub enum Event {
    /// Whether it is to run, said as often as one likes. It does not start again what has failed
    /// or finished, and ends a wait for nothing.
    Wanted(bool),
    /// Whether all that it requires is there ([`super::order::waits_for`] is empty). None are there
    /// until it is said.
    Requirements(bool),
    /// A person or a charm starts it: it is wanted, and tried at once if no process of it runs.
    Start,
    /// It is wanted, and started anew.
    Restart,
    /// It says that it is ready, or the check that it waits for has succeeded.
    Ready,
    /// Its process has ended, or could not be started. `jitter` is random, 0 to 1, and shortens
    /// the backoff by up to a tenth.
    Exited {
        end: End,
        jitter: f64,
    },
    Timer(Timer),
    /// The definition that `step` is given is another one than before.
    Changed(Change),
    /// A check is down: told once, at its threshold.
    CheckFailed(String),
    /// A check has succeeded.
    CheckSucceeded(String),
    Leadership(Leadership),
}

/// What is to be done.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    Spawn,
    Signal(Signal),
    /// SIGKILL to every process of the service.
    Kill,
    /// Nobody reaches its ports any more, nor what is connected to them.
    CutPorts,
    Arm {
        timer: Timer,
        at: Duration,
    },
    /// The container ends, well or not.
    StopContainer {
        success: bool,
    },
    /// A word to the charm.
    Notice(Notice),
}

/// What a charm may want to hear of a service.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Notice {
    /// It came to be active, finished, failed or fenced.
    Became(Current),
    /// It was restarted [`FLAPS`] times within [`FLAPPING`].
    Flaps,
}

/// Why it is being stopped although it may be wanted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Then {
    /// For what its owner wants by the time that it has ended.
    #[default]
    AsWanted,
    /// It was not ready in time.
    Backoff,
    /// Its container ends.
    Fail,
}

/// What a check of the service has said since it last succeeded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Down {
    /// While the service was not active: heeded once it is.
    Unheeded,
    /// It had its consequence, and has none again before it succeeds.
    Heeded,
}

/// A service with all that decides what follows. It can be written down and read again.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
pub struct State {
    current: Current,
    since: Duration,
    wanted: bool,
    requirements: bool,
    leads: bool,
    then: Then,
    timers: BTreeMap<Timer, Duration>,
    /// The wait of the last failure, while failures are in a row, without its jitter.
    backoff: Option<Duration>,
    down: BTreeMap<String, Down>,
    restarts: u32,
    /// Of the last restarts, fewer than [`FLAPS`].
    flaps: Vec<Duration>,
    last_end: Option<End>,
    history: Vec<Passage>,
}

impl State {
    pub fn current(&self) -> Current {
        self.current
    }

    /// Since when.
    pub fn since(&self) -> Duration {
        self.since
    }

    pub fn wanted(&self) -> bool {
        self.wanted
    }

    /// How often it was started again, for whatever reason, while it was wanted.
    pub fn restarts(&self) -> u32 {
        self.restarts
    }

    /// How its process ended last.
    pub fn last_end(&self) -> Option<&End> {
        self.last_end.as_ref()
    }

    /// The wait after the last of the failures in a row, without its jitter.
    pub fn backoff(&self) -> Option<Duration> {
        self.backoff
    }

    /// Through what it went, the oldest first, [`HISTORY`] at most.
    pub fn history(&self) -> &[Passage] {
        &self.history
    }

    /// What is due, and when.
    pub fn timers(&self) -> impl Iterator<Item = (Timer, Duration)> {
        self.timers.iter().map(|(timer, at)| (*timer, *at))
    }

    /// What comes of `event` at `now`, for a service of this definition.
    #[must_use]
    pub fn step(&self, service: &Service, event: Event, now: Duration) -> (State, Vec<Action>) {
        let mut step = step::Step::new(self.clone(), service, now);
        step.take(event);
        step.done()
    }
}

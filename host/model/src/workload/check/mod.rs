//! Whether a check is up: from what its probes say and the time, its next state and what is to be
//! done.
//!
//! A check runs while it is started and what it looks at runs; otherwise it is inactive, so that a
//! stop is no failure. The first probe is made a period after it began to run, and one a period
//! from then on. It is up until as many probes as its threshold says have failed one after the
//! other, and up again with the first that succeeds.
//!
//! Times and timers are as those of [`super::service`]. There is one timer, and arming it again
//! replaces it.
//!
//! Source: Pebble's public documentation of health checks.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::layer::Check;

pub use periapt_plan::seen::Status;

#[cfg(test)]
mod tests;

/// What is kept of what a failure says, bytes.
pub const MESSAGE: usize = 1024;

/// What happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// Whether it is to run: it is started, and what it looks at is starting or active. Said as
    /// often as one likes.
    Run(bool),
    /// Its definition is another one: it begins anew.
    Changed,
    Timer,
    /// What the probe of this number found; a failure with its words.
    Probed {
        number: u64,
        result: Result<(), String>,
    },
}

/// What is to be done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// Makes one probe; one that does not answer in time has failed.
    Probe {
        number: u64,
        timeout: Duration,
    },
    Arm {
        at: Duration,
    },
    Notice(Notice),
}

/// What services and the charm hear of a check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Notice {
    /// The first success since it runs: whoever waits for this check is ready.
    Succeeded,
    /// It is down, after so many failures.
    Failed { failures: u32, message: String },
    /// It is up again.
    Recovered,
}

/// A check with all that decides what follows. It can be written down and read again.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
pub struct State {
    status: Status,
    /// Since it runs.
    successes: u64,
    /// One after the other, up to now.
    failures: u32,
    message: Option<String>,
    /// It was said to be down, and not to be up again. It outlives that the check stops: only a
    /// success takes it back.
    told: bool,
    /// Of the last probe; an answer to an earlier one, or to one from before it last stopped, is
    /// too late.
    number: u64,
    answered: bool,
    due: Option<Duration>,
}

impl State {
    pub fn status(&self) -> Status {
        self.status
    }

    /// Probes that succeeded since it runs.
    pub fn successes(&self) -> u64 {
        self.successes
    }

    /// Failures since the last success.
    pub fn failures(&self) -> u32 {
        self.failures
    }

    /// What the last failure said, [`MESSAGE`] bytes at most; none after a success.
    pub fn message(&self) -> Option<&str> {
        self.message.as_deref()
    }

    /// When the next probe is made; none while it does not run.
    pub fn due(&self) -> Option<Duration> {
        self.due
    }

    /// What comes of `event` at `now`, for a check of this definition.
    #[must_use]
    pub fn step(&self, check: &Check, event: Event, now: Duration) -> (State, Vec<Action>) {
        let mut state = self.clone();
        let mut actions = Vec::new();
        let runs = state.status != Status::Inactive;
        match event {
            Event::Run(true) if !runs => actions.extend(state.begin(check, now)),
            Event::Run(false) if runs => state.end(),
            Event::Changed if runs => actions.extend(state.begin(check, now)),
            Event::Timer if runs && state.due.is_some_and(|due| due <= now) => {
                actions.push(state.arm(check, now));
                // One that still runs is not made twice.
                if state.answered {
                    state.answered = false;
                    state.number += 1;
                    actions.push(Action::Probe {
                        number: state.number,
                        timeout: check.timeout(),
                    });
                }
            }
            Event::Probed { number, result }
                if runs && number == state.number && !state.answered =>
            {
                state.answered = true;
                actions.extend(state.probed(check, result).into_iter().map(Action::Notice));
            }
            _ => {}
        }
        (state, actions)
    }

    fn begin(&mut self, check: &Check, now: Duration) -> Option<Action> {
        *self = State {
            status: Status::Up,
            told: self.told,
            number: self.number,
            answered: true,
            ..State::default()
        };
        Some(self.arm(check, now))
    }

    fn end(&mut self) {
        *self = State {
            told: self.told,
            number: self.number,
            ..State::default()
        };
    }

    fn arm(&mut self, check: &Check, now: Duration) -> Action {
        let at = now.saturating_add(check.period());
        self.due = Some(at);
        Action::Arm { at }
    }

    fn probed(&mut self, check: &Check, result: Result<(), String>) -> Vec<Notice> {
        let Err(message) = result else {
            let mut notices = Vec::new();
            if std::mem::take(&mut self.told) {
                notices.push(Notice::Recovered);
            }
            if self.successes == 0 {
                notices.push(Notice::Succeeded);
            }
            self.status = Status::Up;
            self.successes = self.successes.saturating_add(1);
            self.failures = 0;
            self.message = None;
            return notices;
        };
        let message = cut(message);
        self.failures = self.failures.saturating_add(1);
        self.message = Some(message.clone());
        // At the threshold, or beyond one that has been lowered since.
        if self.status == Status::Down || self.failures < check.threshold() {
            return Vec::new();
        }
        self.status = Status::Down;
        self.told = true;
        let failures = self.failures;
        vec![Notice::Failed { failures, message }]
    }
}

/// The part of a message that is kept.
fn cut(mut message: String) -> String {
    let mut end = message.len().min(MESSAGE);
    while !message.is_char_boundary(end) {
        end -= 1;
    }
    message.truncate(end);
    message
}

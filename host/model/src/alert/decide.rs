//! What becomes of the alerts of one rule at one moment.

use std::collections::BTreeMap;

use super::rule::in_words;
use super::{Condition, Rule, SECOND};

/// How long a condition has to be gone before its alert resolves, or before what has not fired yet is forgotten.
pub const QUIET: i64 = 60 * SECOND;

/// Something that the rule looks at, as it is now. Where the condition is a state, only what is in it is observed;
/// where it is a measure, everything that has one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Observed {
    /// The model's UUID; empty for the controller.
    pub model: String,
    /// `unit/web/0`, `machine/3`, `hooks`, `disk`.
    pub subject: String,
    /// Since when it is in the state, or when its deadline ends, which may be later than now.
    pub since: i64,
    /// The measure; 0 where there is none.
    pub value: i64,
    /// Why, in the words of whoever knows.
    pub detail: String,
}

/// How far an alert is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// The condition holds, for less time than the rule allows.
    Pending,
    Firing,
}

/// An alert that has not resolved, as it was written down.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Known {
    pub model: String,
    pub subject: String,
    pub phase: Phase,
    pub since: i64,
    /// Since when the condition is gone.
    pub quiet_since: Option<i64>,
}

/// What is to be written down of one alert.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Move {
    /// It becomes pending.
    Await,
    /// It fires, whether it was pending or not.
    Fire,
    /// Its condition is gone; whether for good is not known yet.
    Hush,
    /// Its condition holds again before that was known.
    Return,
    /// Its condition is gone for good.
    Resolve,
    /// It was pending, and its condition is gone for good: nobody was told.
    Forget,
}

/// A move of one alert.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    pub model: String,
    pub subject: String,
    pub what: Move,
    pub since: i64,
    pub value: i64,
    pub detail: String,
}

/// What follows from what is observed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Decision {
    /// Ordered by model and subject, one for each alert at most.
    pub steps: Vec<Step>,
    /// When something follows although nothing changes; none for never.
    pub next: Option<i64>,
}

impl Decision {
    fn wake(&mut self, at: i64) {
        self.next = Some(self.next.map_or(at, |next| next.min(at)));
    }
}

impl Rule {
    /// How long the condition has to hold.
    fn wait(&self) -> i64 {
        match self.condition {
            Condition::UnitError | Condition::RemovalOverdue => self.threshold,
            Condition::HookP99 | Condition::DiskFull => 0,
        }
    }

    /// Whether what is observed is what the rule watches for.
    fn raises(&self, seen: &Observed) -> bool {
        match self.condition {
            Condition::UnitError | Condition::RemovalOverdue => true,
            Condition::HookP99 | Condition::DiskFull => seen.value > self.threshold,
        }
    }

    /// Whether what is observed keeps an alert that fires: a measure has to fall well below the threshold, so that one
    /// that swings about it does not fire again and again.
    fn keeps(&self, seen: &Observed) -> bool {
        match self.condition {
            Condition::UnitError | Condition::RemovalOverdue => true,
            Condition::HookP99 => seen.value > self.threshold / 10 * 9,
            Condition::DiskFull => seen.value > self.threshold - 3,
        }
    }

    fn detail(&self, seen: &Observed) -> String {
        match self.condition {
            Condition::UnitError | Condition::RemovalOverdue => seen.detail.clone(),
            Condition::HookP99 => format!("the 99th percentile is {}", in_words(seen.value)),
            Condition::DiskFull => format!("the disk is {}% full", seen.value),
        }
    }
}

/// What becomes of a rule's alerts at `now`. Asked again with what it said written down, it says nothing new.
pub fn decide(rule: &Rule, known: &[Known], observed: &[Observed], now: i64) -> Decision {
    type Key<'a> = (&'a str, &'a str);
    let mut all: BTreeMap<Key<'_>, (Option<&Known>, Option<&Observed>)> = BTreeMap::new();
    for one in known {
        all.entry((&one.model, &one.subject)).or_default().0 = Some(one);
    }
    for one in observed {
        all.entry((&one.model, &one.subject)).or_default().1 = Some(one);
    }
    let mut decision = Decision::default();
    for ((model, subject), (known, seen)) in all {
        let mut say = |what: Move, since: i64| {
            decision.steps.push(Step {
                model: model.to_owned(),
                subject: subject.to_owned(),
                what,
                since,
                value: seen.map_or(0, |seen| seen.value),
                detail: seen.map_or_else(String::new, |seen| rule.detail(seen)),
            });
        };
        let wake = match (known, seen) {
            (None, Some(seen)) if rule.raises(seen) => {
                let due = seen.since.saturating_add(rule.wait());
                match due <= now {
                    true => {
                        say(Move::Fire, seen.since);
                        None
                    }
                    false => {
                        say(Move::Await, seen.since);
                        Some(due)
                    }
                }
            }
            (None, _) => None,
            (Some(known), seen) => {
                let holds = seen.is_some_and(|seen| match known.phase {
                    Phase::Pending => rule.raises(seen),
                    Phase::Firing => rule.keeps(seen),
                });
                match (holds, known.phase, known.quiet_since) {
                    (true, Phase::Pending, quiet) => {
                        let due = known.since.saturating_add(rule.wait());
                        if due <= now {
                            say(Move::Fire, known.since);
                            None
                        } else {
                            if quiet.is_some() {
                                say(Move::Return, known.since);
                            }
                            Some(due)
                        }
                    }
                    (true, Phase::Firing, Some(_)) => {
                        say(Move::Return, known.since);
                        None
                    }
                    (true, Phase::Firing, None) => None,
                    (false, _, None) => {
                        say(Move::Hush, known.since);
                        Some(now.saturating_add(QUIET))
                    }
                    (false, phase, Some(quiet)) => {
                        let end = quiet.saturating_add(QUIET);
                        if end > now {
                            Some(end)
                        } else {
                            let what = match phase {
                                Phase::Pending => Move::Forget,
                                Phase::Firing => Move::Resolve,
                            };
                            say(what, known.since);
                            None
                        }
                    }
                }
            }
        };
        if let Some(at) = wake {
            decision.wake(at);
        }
    }
    decision
}

/// The value that 99 in 100 do not exceed; none of too few.
pub fn p99(mut values: Vec<i64>) -> Option<i64> {
    if values.len() < super::P99_RUNS {
        return None;
    }
    values.sort_unstable();
    let rank = (values.len() * 99).div_ceil(100);
    values.get(rank.saturating_sub(1)).copied()
}

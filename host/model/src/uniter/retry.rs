//! How long to wait before what failed is tried again without being asked.

use std::time::Duration;

use crate::hook::Info;

/// The wait after the first failure, what it grows by with each further one, and its bound.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RetryPlan {
    pub shortest: Duration,
    pub longest: Duration,
    pub factor: u32,
}

/// What is tried again.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(
    clippy::large_enum_variant,
    reason = "a hook is the rule, and a charm that cannot be put in place is rare"
)]
pub enum Attempted {
    Hook(Info),
    /// Putting the charm of this URL in place.
    Charm(String),
}

/// Failures of one and the same thing, one after the other. Whatever fails next begins a series
/// of its own.
#[derive(Clone, Debug, Default)]
pub struct RetrySeries {
    failing: Option<(Attempted, Duration)>,
}

impl RetrySeries {
    /// It failed, for the first time or again: the wait until it is tried again.
    pub fn failed(&mut self, what: Attempted, plan: &RetryPlan) -> Duration {
        let wait = match &self.failing {
            Some((failing, wait)) if *failing == what => {
                wait.saturating_mul(plan.factor.max(1)).min(plan.longest)
            }
            _ => plan.shortest,
        };
        self.failing = Some((what, wait));
        wait
    }

    /// It went well, was skipped, or a person said to try it again: the next failure is the first.
    pub fn over(&mut self) {
        self.failing = None;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::hook::Kind;

    const PLAN: RetryPlan = RetryPlan {
        shortest: Duration::from_secs(5),
        longest: Duration::from_secs(300),
        factor: 2,
    };

    fn hook(kind: Kind) -> Attempted {
        Attempted::Hook(Info::new(kind))
    }

    #[test]
    fn waits_double_up_to_the_longest() {
        let mut series = RetrySeries::default();
        let waits: Vec<u64> = (0..8)
            .map(|_| series.failed(hook(Kind::Start), &PLAN).as_secs())
            .collect();
        assert_eq!(waits, [5, 10, 20, 40, 80, 160, 300, 300]);
    }

    #[derive(Clone, Debug)]
    enum Event {
        Fails(Kind),
        Over,
    }

    fn event() -> impl Strategy<Value = Event> {
        const KINDS: &[Kind] = &[Kind::ConfigChanged, Kind::Start, Kind::UpdateStatus];
        prop_oneof![
            4 => prop::sample::select(KINDS).prop_map(Event::Fails),
            1 => Just(Event::Over),
        ]
    }

    proptest! {
        #[test]
        fn the_first_failure_of_each_hook_waits_the_shortest_time(
            events in prop::collection::vec(event(), 1..60),
        ) {
            let mut series = RetrySeries::default();
            let mut before: Option<(Kind, Duration)> = None;
            for event in events {
                match event {
                    Event::Over => {
                        series.over();
                        before = None;
                    }
                    Event::Fails(kind) => {
                        let wait = series.failed(hook(kind), &PLAN);
                        let expected: Duration = match before {
                            Some((failed, wait)) if failed == kind => {
                                (2 * wait).min(PLAN.longest)
                            }
                            _ => PLAN.shortest,
                        };
                        prop_assert_eq!(wait, expected);
                        before = Some((kind, wait));
                    }
                }
            }
        }
    }
}

use proptest::prelude::*;

use super::*;

const fn seconds(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

/// A check every 10 s, down after 3 failures, on a clock of its own.
struct Course {
    check: Check,
    state: State,
    now: Duration,
}

impl Course {
    fn new() -> Self {
        let mut course = Self {
            check: Check::default(),
            state: State::default(),
            now: seconds(100),
        };
        course.step(Event::Run(true));
        course
    }

    fn step(&mut self, event: Event) -> Vec<Action> {
        let (state, actions) = self.state.step(&self.check, event, self.now);
        self.state = state;
        actions
    }

    /// Waits for the next probe, and answers it.
    fn probe(&mut self, result: Result<(), &str>) -> Vec<Notice> {
        self.now = self.state.due().unwrap();
        let actions = self.step(Event::Timer);
        let number = actions.iter().find_map(|action| match action {
            Action::Probe { number, .. } => Some(*number),
            _ => None,
        });
        let number = number.unwrap();
        let result = result.map_err(str::to_owned);
        let actions = self.step(Event::Probed { number, result });
        let notice = |action| match action {
            Action::Notice(notice) => notice,
            other => panic!("{other:?}"),
        };
        actions.into_iter().map(notice).collect()
    }
}

#[test]
fn it_is_up_from_the_start_and_looks_once_a_period() {
    let mut course = Course::new();
    assert_eq!(course.state.status(), Status::Up);
    assert_eq!(course.state.due(), Some(seconds(110)));
    assert_eq!(course.step(Event::Timer), []);
    course.now = seconds(110);
    let probe = Action::Probe {
        number: 1,
        timeout: seconds(3),
    };
    assert_eq!(
        course.step(Event::Timer),
        [Action::Arm { at: seconds(120) }, probe]
    );
    // It has not answered: no second one beside it.
    course.now = seconds(120);
    assert_eq!(
        course.step(Event::Timer),
        [Action::Arm { at: seconds(130) }]
    );
}

#[test]
fn it_fails_exactly_at_the_threshold_and_recovers_with_the_first_success() {
    let mut course = Course::new();
    assert_eq!(course.probe(Ok(())), [Notice::Succeeded]);
    assert_eq!(course.probe(Err("refused")), []);
    assert_eq!(course.probe(Err("refused")), []);
    assert_eq!(course.state.status(), Status::Up);
    let failed = Notice::Failed {
        failures: 3,
        message: "late".to_owned(),
    };
    assert_eq!(course.probe(Err("late")), [failed]);
    assert_eq!(course.state.status(), Status::Down);
    assert_eq!(course.probe(Err("late")), []);
    assert_eq!(
        (course.state.failures(), course.state.message()),
        (4, Some("late"))
    );
    assert_eq!(course.probe(Ok(())), [Notice::Recovered]);
    assert_eq!(course.state.status(), Status::Up);
    assert_eq!((course.state.failures(), course.state.message()), (0, None));
    assert_eq!(course.probe(Ok(())), []);
    assert_eq!(course.state.successes(), 3);
}

#[test]
fn failures_with_a_success_between_do_not_add_up() {
    let mut course = Course::new();
    for _ in 0..5 {
        for result in [Err("x"), Err("x"), Ok(())] {
            let notices = course.probe(result);
            assert!(notices.iter().all(|notice| *notice == Notice::Succeeded));
        }
    }
    assert_eq!(course.state.status(), Status::Up);
}

#[test]
fn a_check_that_does_not_run_is_inactive_and_an_answer_from_before_is_not_heard() {
    let mut course = Course::new();
    course.now = seconds(110);
    course.step(Event::Timer);
    assert_eq!(course.step(Event::Run(false)), []);
    assert_eq!(
        (course.state.status(), course.state.due()),
        (Status::Inactive, None)
    );
    let late = Event::Probed {
        number: 1,
        result: Err("late".to_owned()),
    };
    assert_eq!(course.step(late.clone()), []);
    assert_eq!(course.step(Event::Timer), []);
    course.step(Event::Run(true));
    assert_eq!(course.step(late), []);
    assert_eq!(course.state.failures(), 0);
    assert_eq!(course.probe(Ok(())), [Notice::Succeeded]);
}

#[test]
fn who_heard_of_a_failure_hears_of_the_success_though_the_check_was_stopped_between() {
    let mut course = Course::new();
    course.check.threshold = Some(1);
    assert_eq!(course.probe(Err("x")).len(), 1);
    course.step(Event::Run(false));
    course.step(Event::Run(true));
    assert_eq!(course.probe(Ok(())), [Notice::Recovered, Notice::Succeeded]);
    assert_eq!(course.probe(Err("x")).len(), 1);
    course.step(Event::Changed);
    assert_eq!(course.state.status(), Status::Up);
    assert_eq!(course.probe(Ok(())), [Notice::Recovered, Notice::Succeeded]);
}

#[test]
fn what_a_failure_says_is_cut_where_a_letter_ends() {
    let mut course = Course::new();
    course.probe(Err(&"ä".repeat(1000)));
    assert_eq!(course.state.message(), Some("ä".repeat(512).as_str()));
    course.probe(Err(&format!("a{}", "ä".repeat(1000))));
    assert_eq!(course.state.message().map(str::len), Some(1023));
}

proptest! {
    /// Against the rule in its own words: a failure is told of when the last so many probes failed
    /// and the one before them did not, and a recovery with the first success after it.
    #[test]
    fn notices_come_at_the_threshold_and_at_the_first_success(
        threshold in 1..5_u32,
        results in prop::collection::vec(any::<bool>(), 0..60),
    ) {
        let mut course = Course::new();
        course.check.threshold = Some(threshold);
        for (index, &good) in results.iter().enumerate() {
            let notices = course.probe(if good { Ok(()) } else { Err("x") });
            let in_a_row = |until: usize| {
                results[..until].iter().rev().take_while(|good| !**good).count() as u32
            };
            let failed = notices.iter().any(|notice| matches!(notice, Notice::Failed { .. }));
            prop_assert_eq!(failed, !good && in_a_row(index + 1) == threshold);
            let recovered = notices.contains(&Notice::Recovered);
            prop_assert_eq!(recovered, good && in_a_row(index) >= threshold);
            let first = good && results[..index].iter().all(|good| !good);
            prop_assert_eq!(notices.contains(&Notice::Succeeded), first);
            let down = in_a_row(index + 1) >= threshold;
            prop_assert_eq!(course.state.status() == Status::Down, down);
        }
    }
}

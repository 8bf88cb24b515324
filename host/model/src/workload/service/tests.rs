use proptest::prelude::*;

use super::*;
use crate::workload::layer::{Layer, Signal};

mod fence;
mod properties;

const fn seconds(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

fn service(keys: &str) -> Service {
    let text = format!("services: {{a: {{override: replace, command: x, {keys}}}}}");
    let mut layer = Layer::parse(&text).unwrap();
    layer.services.remove("a").unwrap()
}

fn hup() -> Signal {
    "SIGHUP".parse().unwrap()
}

/// A service on a clock of its own, which has what it requires.
struct Course {
    service: Service,
    state: State,
    now: Duration,
}

impl Course {
    fn new(keys: &str) -> Self {
        let mut course = Self {
            service: service(keys),
            state: State::default(),
            now: seconds(1000),
        };
        course.step(Event::Requirements(true));
        course
    }

    fn wanted(keys: &str) -> Self {
        let mut course = Course::new(keys);
        course.step(Event::Wanted(true));
        assert_eq!(course.at(), Current::Starting);
        course
    }

    /// One that is active.
    fn active(keys: &str) -> Self {
        let mut course = Course::wanted(keys);
        course.step(Event::Ready);
        assert_eq!(course.at(), Current::Active);
        course
    }

    fn step(&mut self, event: Event) -> Vec<Action> {
        let (state, actions) = self.state.step(&self.service, event, self.now);
        self.state = state;
        actions
    }

    fn exits(&mut self, code: u8) -> Vec<Action> {
        let end = End::exited(code);
        self.step(Event::Exited { end, jitter: 0.0 })
    }

    /// Waits until a timer is due.
    fn due(&mut self, timer: Timer) -> Vec<Action> {
        let (_, at) = self
            .state
            .timers()
            .find(|(armed, _)| *armed == timer)
            .unwrap();
        self.now = at;
        self.step(Event::Timer(timer))
    }

    fn at(&self) -> Current {
        self.state.current()
    }

    fn arms(&self, timer: Timer, after: Duration) -> Action {
        let at = self.now + after;
        Action::Arm { timer, at }
    }
}

fn became(current: Current) -> Action {
    Action::Notice(Notice::Became(current))
}

#[test]
fn a_wanted_service_starts_at_once_when_it_has_what_it_requires() {
    let mut course = Course::new("");
    let actions = course.step(Event::Wanted(true));
    assert_eq!(
        actions,
        [Action::Spawn, course.arms(Timer::Okay, seconds(1))]
    );
    assert_eq!(course.at(), Current::Starting);
    assert_eq!(course.step(Event::Wanted(true)), []);
    let mut course = Course::new("ready: notify");
    let actions = course.step(Event::Wanted(true));
    assert_eq!(
        actions,
        [Action::Spawn, course.arms(Timer::Ready, seconds(30))]
    );
}

#[test]
fn a_wanted_service_waits_for_what_it_requires_and_then_starts() {
    let mut course = Course::new("");
    course.step(Event::Requirements(false));
    assert_eq!(course.step(Event::Wanted(true)), []);
    assert_eq!(course.at(), Current::Waiting);
    let actions = course.step(Event::Requirements(true));
    assert!(actions.contains(&Action::Spawn));
    assert_eq!(course.at(), Current::Starting);
    // What it required may go again.
    assert_eq!(course.step(Event::Requirements(false)), []);
}

#[test]
fn it_is_active_when_a_second_has_gone_or_it_says_so() {
    let mut course = Course::wanted("");
    assert_eq!(course.step(Event::Timer(Timer::Okay)), [], "too early");
    assert_eq!(course.due(Timer::Okay), [became(Current::Active)]);
    assert_eq!(course.at(), Current::Active);
    let mut course = Course::wanted("ready: notify");
    assert_eq!(course.step(Event::Ready), [became(Current::Active)]);
    assert_eq!(course.step(Event::Ready), []);
    assert_eq!(course.state.timers().count(), 0);
}

#[test]
fn after_an_exit_it_is_started_again_with_a_longer_wait_each_time_up_to_the_limit() {
    let mut course = Course::wanted("backoff-limit: 3s");
    let mut waits = Vec::new();
    for _ in 0..5 {
        course.exits(1);
        assert_eq!(course.at(), Current::Backoff);
        let begun = course.now;
        let actions = course.due(Timer::Backoff);
        assert!(actions.contains(&Action::Spawn));
        waits.push((course.now - begun).as_millis());
    }
    assert_eq!(waits, [500, 1000, 2000, 3000, 3000]);
    assert_eq!(course.state.restarts(), 5);
    assert_eq!(course.state.last_end().unwrap().to_string(), "exited 1");
}

#[test]
fn an_exit_while_it_is_active_goes_the_same_way_also_with_0() {
    let mut course = Course::active("");
    assert_eq!(
        course.exits(0),
        [course.arms(Timer::Backoff, seconds(1) / 2)]
    );
    assert_eq!(course.at(), Current::Backoff);
}

#[test]
fn one_that_could_not_be_started_has_failed_like_any_other() {
    let mut course = Course::wanted("");
    let end = End {
        ending: Ending::NotStarted("no such file".to_owned()),
        out_of_memory: false,
    };
    course.step(Event::Exited { end, jitter: 0.0 });
    assert_eq!(course.at(), Current::Backoff);
    let end = course.state.last_end().unwrap();
    assert_eq!(end.to_string(), "not started: no such file");
}

#[test]
fn once_it_ran_as_long_as_the_limit_the_next_failure_is_the_first() {
    let mut course = Course::active("");
    course.exits(1);
    course.due(Timer::Backoff);
    let reset = course.step(Event::Ready);
    assert!(reset.contains(&course.arms(Timer::Reset, seconds(30))));
    course.due(Timer::Reset);
    assert_eq!(course.state.backoff(), None);
    assert_eq!(
        course.exits(1),
        [course.arms(Timer::Backoff, seconds(1) / 2)]
    );
}

#[test]
fn jitter_takes_a_tenth_at_most() {
    for (jitter, millis) in [
        (0.0, 500),
        (0.5, 475),
        (1.0, 450),
        (7.0, 450),
        (f64::NAN, 500),
    ] {
        let mut course = Course::active("");
        let end = End::exited(1);
        let actions = course.step(Event::Exited { end, jitter });
        let wait = Duration::from_millis(millis);
        assert_eq!(actions, [course.arms(Timer::Backoff, wait)]);
    }
}

#[test]
fn an_exit_that_is_ignored_is_the_end_well_or_not() {
    let mut course = Course::active("on-failure: ignore, on-success: ignore");
    assert_eq!(course.exits(3), [became(Current::Failed)]);
    let mut course = Course::active("on-failure: ignore, on-success: ignore");
    assert_eq!(course.exits(0), [became(Current::Finished)]);
    // To be wanted still is no reason to run again; to be asked for is.
    assert_eq!(course.step(Event::Wanted(true)), []);
    assert!(course.step(Event::Start).contains(&Action::Spawn));
}

#[test]
fn one_that_is_to_run_once_finishes_and_is_tried_again_when_it_fails() {
    let mut course = Course::active("once: true");
    course.exits(1);
    assert_eq!(course.at(), Current::Backoff);
    course.due(Timer::Backoff);
    assert_eq!(course.exits(0), [became(Current::Finished)]);
}

#[test]
fn an_exit_may_stop_the_container() {
    for (keys, code, success) in [
        ("on-success: shutdown", 0, true),
        ("on-success: failure-shutdown", 0, false),
        ("on-failure: shutdown", 1, false),
        ("on-failure: success-shutdown", 1, true),
    ] {
        let mut course = Course::active(keys);
        let actions = course.exits(code);
        assert_eq!(
            actions,
            [became(Current::Failed), Action::StopContainer { success }]
        );
    }
}

#[test]
fn one_that_is_not_ready_in_time_is_stopped_and_tried_again_later() {
    let mut course = Course::wanted("ready: notify");
    let actions = course.due(Timer::Ready);
    assert_eq!(
        actions,
        [
            Action::Signal(Signal::TERM),
            course.arms(Timer::Kill, seconds(5))
        ]
    );
    assert_eq!(course.at(), Current::Stopping);
    course.exits(0);
    assert_eq!(course.at(), Current::Backoff);
}

#[test]
fn a_changed_definition_stops_it_and_starts_it_anew() {
    let mut course = Course::active("");
    let actions = course.step(Event::Changed(Change::Restart));
    assert_eq!(actions[0], Action::Signal(Signal::TERM));
    assert_eq!(course.at(), Current::Stopping);
    let actions = course.exits(0);
    assert_eq!(actions[0], Action::Spawn);
    assert_eq!(
        (course.at(), course.state.restarts()),
        (Current::Starting, 1)
    );
}

#[test]
fn changed_files_are_a_signal_and_what_does_not_matter_is_nothing() {
    let mut course = Course::active("");
    let reload = Event::Changed(Change::Reload(hup()));
    assert_eq!(course.step(reload.clone()), [Action::Signal(hup())]);
    assert_eq!(course.step(Event::Changed(Change::InPlace)), []);
    assert_eq!(course.at(), Current::Active);
    // It may not know the signal yet.
    let mut course = Course::wanted("");
    course.step(reload);
    assert_eq!(course.at(), Current::Stopping);
}

#[test]
fn what_it_failed_at_may_be_what_was_changed_so_it_is_tried_at_once() {
    for change in [Change::Restart, Change::Reload(hup())] {
        let mut course = Course::active("");
        course.exits(1);
        assert!(course.step(Event::Changed(change)).contains(&Action::Spawn));
        assert_eq!(course.state.backoff(), None);
    }
    let mut course = Course::active("once: true");
    course.exits(0);
    assert_eq!(course.step(Event::Changed(Change::Reload(hup()))), []);
    assert!(
        course
            .step(Event::Changed(Change::Restart))
            .contains(&Action::Spawn)
    );
}

#[test]
fn a_new_way_of_being_ready_holds_for_a_start_under_way() {
    let mut course = Course::wanted("ready: notify");
    course.service.ready = None;
    let actions = course.step(Event::Changed(Change::InPlace));
    assert_eq!(actions, [course.arms(Timer::Okay, seconds(1))]);
    assert_eq!(course.due(Timer::Okay), [became(Current::Active)]);
}

#[test]
fn a_failed_check_restarts_it_once_until_the_check_has_succeeded() {
    let mut course = Course::active("on-check-failure: {up: restart, other: ignore}");
    let failed = |check: &str| Event::CheckFailed(check.to_owned());
    assert_eq!(course.step(failed("other")), []);
    course.step(failed("up"));
    assert_eq!(course.at(), Current::Stopping);
    course.exits(0);
    course.due(Timer::Okay);
    assert_eq!(course.step(failed("up")), [], "no storm");
    course.step(Event::CheckSucceeded("up".to_owned()));
    course.step(failed("up"));
    assert_eq!(course.at(), Current::Stopping);
}

#[test]
fn a_check_that_failed_during_the_start_counts_once_it_is_active() {
    let mut course = Course::wanted("on-check-failure: {up: restart}");
    let failed = Event::CheckFailed("up".to_owned());
    assert_eq!(course.step(failed.clone()), []);
    course.due(Timer::Okay);
    assert_eq!(course.at(), Current::Stopping);
    let mut course = Course::wanted("on-check-failure: {up: restart}");
    course.step(failed);
    course.step(Event::CheckSucceeded("up".to_owned()));
    course.due(Timer::Okay);
    assert_eq!(course.at(), Current::Active);
}

#[test]
fn a_failed_check_may_stop_the_container() {
    for (kind, success) in [("shutdown", false), ("success-shutdown", true)] {
        let mut course = Course::active(&format!("on-check-failure: {{up: {kind}}}"));
        let actions = course.step(Event::CheckFailed("up".to_owned()));
        assert!(actions.contains(&Action::StopContainer { success }));
        assert_eq!(course.exits(0), [became(Current::Failed)]);
    }
}

#[test]
fn one_that_is_not_wanted_gets_its_signal_and_is_killed_if_it_does_not_heed_it() {
    let mut course = Course::active("kill-signal: SIGINT, kill-delay: 2s");
    let actions = course.step(Event::Wanted(false));
    let signal = Action::Signal("SIGINT".parse().unwrap());
    assert_eq!(actions, [signal, course.arms(Timer::Kill, seconds(2))]);
    assert_eq!(course.step(Event::Wanted(false)), []);
    assert_eq!(course.due(Timer::Kill), [Action::Kill]);
    assert_eq!(course.at(), Current::Stopping);
    let end = End {
        ending: Ending::Killed("SIGKILL".to_owned()),
        out_of_memory: false,
    };
    assert_eq!(course.step(Event::Exited { end, jitter: 0.0 }), []);
    assert_eq!(course.at(), Current::Inactive);
}

#[test]
fn one_that_is_wanted_again_while_it_stops_starts_when_it_has_stopped() {
    let mut course = Course::active("");
    course.step(Event::Wanted(false));
    assert_eq!(course.step(Event::Wanted(true)), []);
    assert!(course.exits(0).contains(&Action::Spawn));
}

#[test]
fn a_restart_stops_what_runs_and_starts_what_does_not() {
    let mut course = Course::active("");
    course.step(Event::Restart);
    assert_eq!(course.at(), Current::Stopping);
    assert!(course.exits(0).contains(&Action::Spawn));
    let mut course = Course::new("");
    assert!(course.step(Event::Restart).contains(&Action::Spawn));
    course.exits(1);
    assert!(course.step(Event::Restart).contains(&Action::Spawn));
    assert_eq!(course.at(), Current::Starting);
}

#[test]
fn out_of_memory_is_an_exit_that_says_so() {
    let mut course = Course::active("");
    let end = End {
        ending: Ending::Killed("SIGKILL".to_owned()),
        out_of_memory: true,
    };
    course.step(Event::Exited { end, jitter: 0.0 });
    assert_eq!(course.at(), Current::Backoff);
    let end = course.state.last_end().unwrap();
    assert_eq!(end.to_string(), "killed by SIGKILL: out of memory");
    assert!(!end.is_success());
}

#[test]
fn three_restarts_in_ten_minutes_are_told_of() {
    let mut course = Course::active("");
    let mut told = Vec::new();
    for _ in 0..6 {
        course.exits(1);
        told.push(
            course
                .due(Timer::Backoff)
                .contains(&Action::Notice(Notice::Flaps)),
        );
    }
    assert_eq!(told, [false, false, true, false, false, true]);
    let mut course = Course::active("");
    for _ in 0..6 {
        course.now += seconds(400);
        course.exits(1);
        let actions = course.due(Timer::Backoff);
        assert!(!actions.contains(&Action::Notice(Notice::Flaps)));
    }
}

#[test]
fn the_history_says_where_it_was_and_how_it_ended_there() {
    let mut course = Course::active("");
    course.exits(1);
    let history = course.state.history();
    let passages: Vec<(Current, Option<&str>)> = history
        .iter()
        .map(|passage| (passage.current, passage.end.as_deref()))
        .collect();
    let active = (Current::Active, Some("exited 1"));
    assert_eq!(
        passages,
        [(Current::Starting, None), active, (Current::Backoff, None)]
    );
}

#[test]
fn a_state_is_written_down_and_read_again() {
    let mut course = fence::leader();
    course.exits(1);
    let text = serde_json::to_string(&course.state).unwrap();
    assert_eq!(serde_json::from_str::<State>(&text).unwrap(), course.state);
}

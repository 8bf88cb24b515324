//! A service that may run on the leader alone.

use super::*;
use crate::workload::layer::Fence;

/// One that may run on the leader alone, on a unit that leads for another 58 s.
pub(super) fn leader() -> Course {
    let mut course = Course::new("fence: leader");
    course.step(Event::Wanted(true));
    assert_eq!(course.at(), Current::Fenced);
    let until = course.now + seconds(58);
    course.step(Event::Leadership(Leadership::Until(until)));
    assert_eq!(course.at(), Current::Starting);
    course.step(Event::Ready);
    course
}

#[test]
fn a_lost_fence_stops_it_by_the_deadline_and_a_regained_one_starts_it() {
    let mut course = leader();
    let by = course.now + seconds(2);
    let actions = course.step(Event::Leadership(Leadership::LostBy(by)));
    assert!(actions.contains(&Action::Signal(Signal::TERM)));
    assert_eq!(
        course.due(Timer::FenceCut),
        [Action::CutPorts, Action::Kill]
    );
    assert_eq!(course.exits(0), [became(Current::Fenced)]);
    let until = course.now + seconds(58);
    let actions = course.step(Event::Leadership(Leadership::Until(until)));
    assert!(actions.contains(&Action::Spawn));
}

#[test]
fn without_a_word_the_fence_closes_in_time_for_the_next_leader() {
    let mut course = leader();
    let begun = course.now;
    let actions = course.due(Timer::FenceStop);
    assert_eq!(course.now, begun + seconds(53));
    assert!(actions.contains(&Action::Signal(Signal::TERM)));
    assert_eq!(
        course.due(Timer::FenceCut),
        [Action::CutPorts, Action::Kill]
    );
    assert_eq!(course.now, begun + seconds(58));
}

#[test]
fn each_renewal_moves_the_fence() {
    let mut course = leader();
    course.now += seconds(30);
    let until = course.now + seconds(58);
    course.step(Event::Leadership(Leadership::Until(until)));
    course.now += seconds(28);
    assert_eq!(course.step(Event::Timer(Timer::FenceStop)), []);
    assert_eq!(course.at(), Current::Active);
}

#[test]
fn a_fence_that_comes_with_a_new_definition_holds_at_once() {
    let mut course = Course::active("");
    course.service.fence = Some(Fence::Leader);
    course.step(Event::Changed(Change::InPlace));
    assert_eq!(course.at(), Current::Stopping);
    assert_eq!(course.exits(0), [became(Current::Fenced)]);
    course.service.fence = None;
    assert!(
        course
            .step(Event::Changed(Change::InPlace))
            .contains(&Action::Spawn)
    );
    // One without a fence runs on, whoever leads.
    let mut course = Course::active("");
    let now = course.now;
    course.step(Event::Leadership(Leadership::Until(now + seconds(10))));
    course.due(Timer::FenceStop);
    assert_eq!(course.due(Timer::FenceCut), []);
    course.step(Event::Leadership(Leadership::LostBy(now)));
    assert_eq!(course.at(), Current::Active);
}

use std::time::Duration;

use super::schedule::{FIRST, LONGEST, SETTLED, Schedule};
use periapt_model::MachineId;

fn machine(number: u32) -> MachineId {
    number.to_string().parse().unwrap()
}

#[test]
fn a_machine_that_does_not_settle_is_asked_about_ever_more_seldom() {
    let mut schedule = Schedule::default();
    schedule.heard(machine(0), "a", Duration::ZERO);
    let mut waits = Vec::new();
    let mut now = Duration::ZERO;
    for _ in 0..7 {
        let next = schedule.next().unwrap();
        assert!(schedule.due(next - Duration::from_millis(1)).is_empty());
        assert_eq!(schedule.due(next), [machine(0)]);
        waits.push((next - now).as_secs());
        now = next;
        schedule.asked(&machine(0), false, now);
        // What is heard of it again changes nothing.
        schedule.heard(machine(0), "a", now);
    }
    assert_eq!(waits, [3, 6, 12, 24, 48, 60, 60]);
    assert_eq!(LONGEST.as_secs(), 60);
    // Another instance begins anew.
    schedule.heard(machine(0), "b", now);
    assert_eq!(schedule.next(), Some(now + FIRST));
}

/// However many there are, and whenever they came.
#[test]
fn machines_that_have_settled_are_asked_about_together() {
    let mut schedule = Schedule::default();
    for number in 0..100 {
        let came = Duration::from_secs(u64::from(number));
        schedule.heard(machine(number), "a", came);
        for due in schedule.due(came + FIRST) {
            schedule.asked(&due, true, came + FIRST);
        }
    }
    assert_eq!((schedule.len(), schedule.settled()), (100, 100));
    let first = schedule.next().unwrap();
    assert_eq!(first, FIRST + SETTLED);
    let due = schedule.due(first);
    assert_eq!(due.len(), 100);
    for due in &due {
        schedule.asked(due, true, first);
    }
    assert_eq!(schedule.next(), Some(first + SETTLED));
    // One that is not complete any more is asked about soon again, the others are not.
    let second = first + SETTLED;
    for due in schedule.due(second) {
        let settled = due != machine(7);
        schedule.asked(&due, settled, second);
    }
    assert_eq!(schedule.next(), Some(second + FIRST));
    assert_eq!(schedule.due(second + FIRST), [machine(7)]);
    for number in 0..100 {
        schedule.forget(&machine(number));
    }
    assert_eq!(schedule.next(), None);
}

use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use periapt_model::UnitName;
use tokio::sync::Notify;

use super::{AGAIN, SecretTimes};

const SECOND: i64 = 1_000_000;

fn unit(number: u32) -> UnitName {
    format!("site/{number}").parse().unwrap()
}

fn is_told(wakes: &Notify) -> bool {
    wakes.notified().now_or_never().is_some()
}

fn seconds(wait: Option<Duration>) -> Option<u64> {
    wait.map(|wait| wait.as_secs())
}

#[test]
fn each_unit_looks_when_its_time_has_come() {
    let times = SecretTimes::default();
    assert_eq!(times.wake(0), None, "nobody waits");
    let (first, second) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    times.say(&unit(0), 60 * SECOND, &first);
    times.say(&unit(1), 20 * SECOND, &second);
    assert!(times.changed().now_or_never().is_some());
    assert_eq!(seconds(times.wake(0)), Some(20));
    assert!(!is_told(&first) && !is_told(&second));
    assert_eq!(seconds(times.wake(20 * SECOND)), Some(10), "it may look again");
    assert!(!is_told(&first) && is_told(&second));

    times.say(&unit(1), 80 * SECOND, &second);
    assert_eq!(seconds(times.wake(21 * SECOND)), Some(39));
    times.forget(&unit(0), &first);
    assert_eq!(seconds(times.wake(21 * SECOND)), Some(59));
    times.forget(&unit(1), &second);
    assert_eq!((times.wake(90 * SECOND), times.waiting()), (None, 0));
    assert!(!is_told(&first) && !is_told(&second));
}

#[test]
fn a_unit_that_is_told_the_same_looks_again_and_not_at_once() {
    let times = SecretTimes::default();
    let wakes = Arc::new(Notify::new());
    times.say(&unit(0), 0, &wakes);
    assert_eq!(seconds(times.wake(SECOND)), Some(10));
    assert!(is_told(&wakes));
    times.say(&unit(0), 0, &wakes);
    assert_eq!(seconds(times.wake(2 * SECOND)), Some(9));
    assert!(!is_told(&wakes), "the controller's clock is behind");
    times.wake(SECOND + AGAIN);
    assert!(is_told(&wakes));
}

#[test]
fn who_ends_takes_nothing_from_who_began_since() {
    let times = SecretTimes::default();
    let (before, after) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    times.say(&unit(0), SECOND, &before);
    times.say(&unit(0), SECOND, &after);
    times.forget(&unit(0), &before);
    times.wake(SECOND);
    assert!(is_told(&after) && !is_told(&before));
}

use std::time::Duration;

use super::{Clock, FakeClock, SystemClock, timeout};
use crate::testing::settle;

const SECOND: Duration = Duration::from_secs(1);

#[tokio::test(start_paused = true)]
async fn sleepers_wake_in_order_and_not_early() {
    let clock = FakeClock::new();
    let woken = std::sync::Arc::new(std::sync::Mutex::new(Vec::new()));
    for seconds in [3, 1, 2] {
        let sleep = clock.sleep(SECOND * seconds);
        let woken = woken.clone();
        tokio::spawn(async move {
            sleep.await;
            woken.lock().unwrap().push(seconds);
        });
    }
    clock.wait_sleepers(3).await;
    clock.advance(SECOND - Duration::from_nanos(1));
    settle().await;
    assert!(woken.lock().unwrap().is_empty());
    assert!(clock.advance_to_next());
    settle().await;
    assert_eq!(*woken.lock().unwrap(), [1]);
    clock.advance(SECOND * 10);
    settle().await;
    assert_eq!(*woken.lock().unwrap(), [1, 2, 3]);
    assert_eq!(clock.sleepers(), 0);
    assert!(!clock.advance_to_next());
}

#[tokio::test(start_paused = true)]
async fn time_stands_still_until_moved() {
    let clock = FakeClock::new();
    assert_eq!(clock.now().to_string(), "2026-01-01T00:00:00Z");
    assert_eq!(clock.monotonic(), Duration::ZERO);
    clock.advance(SECOND * 90);
    assert_eq!(clock.now().to_string(), "2026-01-01T00:01:30Z");
    assert_eq!(clock.monotonic(), SECOND * 90);
}

#[tokio::test(start_paused = true)]
async fn a_dropped_sleep_is_forgotten() {
    let clock = FakeClock::new();
    let sleep = clock.sleep(SECOND);
    assert_eq!(clock.sleepers(), 1);
    drop(sleep);
    assert_eq!(clock.sleepers(), 0);
    assert_eq!(clock.next_wake(), None);
}

#[tokio::test(start_paused = true)]
async fn waiting_for_sleepers_ends_when_they_come() {
    let clock = FakeClock::new();
    let waiting = tokio::spawn({
        let clock = clock.clone();
        async move { clock.wait_sleepers(2).await }
    });
    let _one = clock.sleep(SECOND);
    settle().await;
    assert!(!waiting.is_finished());
    let _two = clock.sleep(SECOND);
    waiting.await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_zero_sleep_is_over_at_once() {
    FakeClock::new().sleep(Duration::ZERO).await;
    let before = tokio::time::Instant::now();
    SystemClock::new().sleep(Duration::ZERO).await;
    assert_eq!(before, tokio::time::Instant::now());
}

#[tokio::test(start_paused = true)]
async fn timeout_ends_work_that_takes_too_long() {
    let clock = FakeClock::new();
    assert_eq!(timeout(&clock, Duration::ZERO, async { 7 }).await, Some(7));
    let late = tokio::spawn({
        let clock = clock.clone();
        async move { timeout(&clock, SECOND, std::future::pending::<()>()).await }
    });
    clock.wait_sleepers(1).await;
    clock.advance(SECOND);
    assert_eq!(late.await.unwrap(), None);
}

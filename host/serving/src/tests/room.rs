//! How many requests at a time, and what becomes of the others. On virtual time.

use std::time::Duration;

use tokio::time::Instant;

use super::guest::Guest;
use super::stage::{Setting, Stage, get};

/// Answers after a second.
fn slow(setting: Setting) -> Stage {
    setting.stage(Guest {
        handle: "(call $block (call $timer (i64.const 1000000000)))
            (call $path (local.get $request)) (call $answer (local.get $out) (i32.const 200))
            (call $write (global.get $from) (global.get $many)) (call $close)",
        ..Guest::default()
    })
}

fn limits(concurrency: u32, queue: u32, wait: Duration) -> Setting {
    Setting::limits(|limits| {
        limits.concurrency = concurrency;
        limits.queue = queue;
        limits.queue_wait = wait;
    })
}

#[tokio::test(start_paused = true)]
async fn requests_wait_for_their_turn_and_the_queue_has_an_end() {
    let stage = slow(limits(1, 2, Duration::from_secs(5)));
    let begun = Instant::now();
    let one = || async {
        (
            stage.ask(get("/")).await.0.as_u16(),
            begun.elapsed().as_secs(),
        )
    };
    let (first, second, third, fourth) = tokio::join!(one(), one(), one(), one());
    assert_eq!(first, (200, 1));
    assert_eq!(second, (200, 2));
    assert_eq!(third, (200, 3));
    assert_eq!(fourth, (503, 0));
    assert_eq!(stage.heard.codes(), ["busy", "ok", "ok", "ok"]);
    let waited: Vec<_> = stage
        .heard
        .ended
        .lock()
        .unwrap()
        .iter()
        .map(|e| e.waited.as_secs())
        .collect();
    assert_eq!(waited, [0, 0, 1, 2]);
}

#[tokio::test(start_paused = true)]
async fn who_waits_too_long_is_told() {
    let stage = slow(limits(1, 9, Duration::from_millis(1500)));
    let one = || async { stage.ask(get("/")).await.0.as_u16() };
    let (first, second, third) = tokio::join!(one(), one(), one());
    assert_eq!((first, second, third), (200, 200, 503));
    let response = stage.service.answer(get("/")).await;
    assert_eq!(response.status(), 200);
}

#[tokio::test(start_paused = true)]
async fn who_is_told_to_come_back_hears_when() {
    let stage = slow(limits(1, 0, Duration::from_secs(5)));
    let first = stage.ask(get("/"));
    let second = stage.service.answer(get("/"));
    let (first, second) = tokio::join!(first, second);
    assert_eq!(first.0, 200);
    assert_eq!(second.status(), 503);
    assert_eq!(second.headers()["retry-after"], "1");
}

#[tokio::test(start_paused = true)]
async fn who_leaves_the_queue_makes_room_in_it() {
    let stage = slow(limits(1, 1, Duration::from_secs(5)));
    let leaves = async {
        let asked = stage.ask(get("/"));
        assert!(
            tokio::time::timeout(Duration::from_millis(10), asked)
                .await
                .is_err()
        );
        stage.ask(get("/")).await.0.as_u16()
    };
    let (first, second) = tokio::join!(stage.ask(get("/")), leaves);
    assert_eq!((first.0.as_u16(), second), (200, 200));
}

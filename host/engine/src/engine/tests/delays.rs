//! When a node comes back.

use super::*;

#[tokio::test(start_paused = true)]
async fn the_first_start_has_no_delay() {
    let (clock, engine) = engine();
    let script = Script::new();
    engine.install("node", script.manifold(NONE)).unwrap();
    settle().await;
    assert!(script.current().is_some());
    let report = engine.report();
    let node = &report.manifolds["node"];
    assert_eq!((node.state, node.start_count), (NodeState::Started, 1));
    assert_eq!(node.started_at, Some(clock.now()));
    assert_eq!(node.report, serde_json::json!({ "serial": 1 }));
}

#[tokio::test(start_paused = true)]
async fn a_bounce_comes_back_after_the_bounce_delay() {
    let (clock, engine) = engine();
    let script = Script::new();
    engine.install("node", script.manifold(NONE)).unwrap();
    settle().await;
    script.end(Err(WorkerError::Bounce.during("changing")));
    settle().await;
    assert_eq!(state(&engine, "node"), NodeState::Starting);
    assert_waits(&clock, Delays::DEFAULT.bounce);
    idle(&clock).await;
    assert_eq!(script.starts(), 2);
}

#[tokio::test(start_paused = true)]
async fn errors_come_back_after_a_growing_delay_up_to_the_limit() {
    let (clock, engine) = engine();
    let script = Script::new();
    engine.install("node", script.manifold(NONE)).unwrap();
    settle().await;
    let mut expected = Delays::DEFAULT.error;
    for _ in 0..40 {
        script.end(Err(WorkerError::text("broken")));
        settle().await;
        assert_waits(&clock, expected.min(Delays::DEFAULT.max));
        expected = expected.mul_f64(Delays::DEFAULT.factor);
        clock.advance_to_next();
        settle().await;
    }
    assert_eq!(script.starts(), 41);
}

#[tokio::test(start_paused = true)]
async fn a_failing_start_counts_like_a_failing_worker() {
    let (clock, engine) = engine();
    let script = Script::new();
    for _ in 0..3 {
        script.fail_next_start(WorkerError::text("no start"));
    }
    engine.install("node", script.manifold(NONE)).unwrap();
    for errors in 0..3 {
        settle().await;
        assert_waits(&clock, Delays::DEFAULT.error.mul_f64(1.2_f64.powi(errors)));
        clock.advance_to_next();
    }
    settle().await;
    assert_eq!((script.attempts(), script.starts()), (4, 1));
}

#[tokio::test(start_paused = true)]
async fn a_worker_that_ran_long_enough_has_its_errors_forgiven() {
    let (clock, engine) = engine();
    let script = Script::new();
    engine.install("node", script.manifold(NONE)).unwrap();
    settle().await;
    for _ in 0..5 {
        script.end(Err(WorkerError::text("broken")));
        idle(&clock).await;
    }
    clock.advance(Delays::DEFAULT.reset - Duration::from_millis(1));
    script.end(Err(WorkerError::text("broken")));
    settle().await;
    assert_waits(&clock, Delays::DEFAULT.error.mul_f64(1.2_f64.powi(5)));
    clock.advance_to_next();
    settle().await;
    clock.advance(Delays::DEFAULT.reset);
    script.end(Err(WorkerError::text("broken")));
    settle().await;
    assert_waits(&clock, Delays::DEFAULT.error);
}

#[tokio::test(start_paused = true)]
async fn the_bounce_delay_grows_too_and_shrinks_after_a_clean_end() {
    let (clock, engine) = engine();
    let (input, node) = (Script::new(), Script::new());
    engine.install("input", input.manifold(NONE)).unwrap();
    engine.install("node", node.manifold(["input"])).unwrap();
    idle(&clock).await;
    for errors in 1..4 {
        node.end(Err(WorkerError::Bounce));
        settle().await;
        // The missing input at its install counted as one error, the bounces add to it.
        assert_waits(&clock, Delays::DEFAULT.bounce.mul_f64(1.2_f64.powi(errors)));
        clock.advance_to_next();
        settle().await;
    }
    // Stopped at the engine's request, cleanly: the exponent is -1.
    input.end(Ok(()));
    settle().await;
    assert_waits(&clock, Delays::DEFAULT.bounce.div_f64(1.2));
}

#[tokio::test(start_paused = true)]
async fn an_input_that_comes_back_ends_a_long_wait() {
    let (clock, engine) = engine();
    let (input, node) = (Script::new(), Script::new());
    engine.install("input", input.manifold(NONE)).unwrap();
    engine.install("node", node.manifold(["input"])).unwrap();
    idle(&clock).await;
    node.end(Err(WorkerError::text("broken")));
    settle().await;
    assert!(clock.next_wake().unwrap() > Duration::from_secs(2));
    input.end(Err(WorkerError::Bounce));
    settle().await;
    let start = clock.monotonic();
    while node.current().is_none() {
        assert!(clock.advance_to_next());
        settle().await;
    }
    assert!(clock.monotonic() - start < Duration::from_millis(50));
}

#[tokio::test(start_paused = true)]
async fn a_start_that_waits_its_delay_is_called_off() {
    let (clock, engine) = engine();
    let script = Script::new();
    script.fail_next_start(WorkerError::text("broken"));
    engine.install("node", script.manifold(NONE)).unwrap();
    settle().await;
    assert_eq!(clock.sleepers(), 1);
    engine.kill();
    engine.wait().await.unwrap();
    assert_eq!(clock.sleepers(), 0);
    assert_eq!(script.attempts(), 1);
}

//! What the way a node ends means for it.

use super::*;

#[tokio::test(start_paused = true)]
async fn after_a_clean_end_a_missing_input_or_an_abort_it_rests_until_an_input_changes() {
    for end in [
        Ok(()),
        Err(WorkerError::missing("x")),
        Err(WorkerError::Aborted),
    ] {
        let (clock, engine) = engine();
        let (input, node) = (Script::new(), Script::new());
        engine.install("input", input.manifold(NONE)).unwrap();
        engine.install("node", node.manifold(["input"])).unwrap();
        idle(&clock).await;
        node.end(end.clone());
        settle().await;
        assert_eq!(clock.sleepers(), 0, "{end:?}");
        assert_eq!(state(&engine, "node"), NodeState::Stopped);
        let starts = node.starts();
        input.end(Err(WorkerError::Bounce));
        idle(&clock).await;
        assert_eq!(node.starts(), starts + 1);
    }
}

#[tokio::test(start_paused = true)]
async fn an_uninstalled_node_leaves_and_its_dependents_miss_it_for_ever() {
    let (clock, engine) = engine();
    let (input, node) = (Script::new(), Script::new());
    engine.install("input", input.manifold(NONE)).unwrap();
    engine.install("node", node.manifold(["input"])).unwrap();
    idle(&clock).await;
    input.end(Err(WorkerError::Uninstall.during("no controller here")));
    idle(&clock).await;
    let report = engine.report();
    assert!(!report.manifolds.contains_key("input"));
    assert_eq!(
        report.uninstalled["input"],
        "no controller here: not needed here"
    );
    assert_eq!(report.manifolds["node"].inputs, ["input"]);
    assert_eq!(report.manifolds["node"].waits_for.as_deref(), Some("input"));
    assert!(node.current().is_none());
}

#[tokio::test(start_paused = true)]
async fn a_node_the_engine_stopped_comes_back_however_it_ends() {
    let ends: [WorkerResult; 6] = [
        Ok(()),
        Err(WorkerError::Uninstall),
        Err(WorkerError::missing("x")),
        Err(WorkerError::Aborted),
        Err(WorkerError::Bounce),
        Err(WorkerError::text("broken")),
    ];
    for end in ends {
        let (clock, engine) = engine();
        let (input, node) = (Script::new(), Script::new());
        node.on_kill(Some(end.clone()));
        engine.install("input", input.manifold(NONE)).unwrap();
        engine.install("node", node.manifold(["input"])).unwrap();
        idle(&clock).await;
        assert_eq!(node.starts(), 1);
        input.end(Err(WorkerError::Bounce));
        let start = clock.monotonic();
        idle(&clock).await;
        assert!(node.current().is_some(), "{end:?}");
        // Never the error delay.
        assert!(
            clock.monotonic() - start < Duration::from_secs(1),
            "{end:?}"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn the_filter_maps_what_the_engine_judges() {
    let (clock, engine) = engine();
    let (leaves, rests) = (Script::new(), Script::new());
    let uninstall = |error: WorkerError| match error.to_string().as_str() {
        "migrated" => Err(WorkerError::Uninstall),
        _ => Err(error),
    };
    engine
        .install("leaves", leaves.manifold(NONE).filter(uninstall))
        .unwrap();
    engine
        .install("rests", rests.manifold(NONE).filter(|_| Ok(())))
        .unwrap();
    settle().await;
    leaves.end(Err(WorkerError::text("migrated")));
    rests.end(Err(WorkerError::text("all done")));
    idle(&clock).await;
    let report = engine.report();
    assert!(report.uninstalled.contains_key("leaves"));
    assert_eq!(report.manifolds["rests"].state, NodeState::Stopped);
    assert_eq!(report.manifolds["rests"].error, None);
}

#[tokio::test(start_paused = true)]
async fn a_panic_is_an_error_of_its_node_alone() {
    let (clock, engine) = engine();
    let neighbour = Script::new();
    engine
        .install("neighbour", neighbour.manifold(NONE))
        .unwrap();
    engine
        .install("start", Manifold::new(|_| async { panic!("in start") }))
        .unwrap();
    engine
        .install(
            "call",
            Manifold::new(|_| -> std::future::Pending<_> { panic!("in call") }),
        )
        .unwrap();
    let work = |_| async { Ok(TaskWorker::spawn(|_| async { panic!("in work") })) };
    engine.install("work", Manifold::new(work)).unwrap();
    let filter =
        Manifold::new(|_| async { Err(WorkerError::Bounce) }).filter(|_| panic!("in filter"));
    engine.install("filter", filter).unwrap();
    settle().await;
    let report = engine.report();
    for (node, text) in [
        ("start", "in start"),
        ("call", "in call"),
        ("work", "in work"),
        ("filter", "in filter"),
    ] {
        let error = report.manifolds[node].error.as_deref();
        assert_eq!(error, Some(format!("panicked: {text}").as_str()));
    }
    assert_eq!(clock.sleepers(), 4);
    assert!(neighbour.current().is_some());
    engine.kill();
    engine.wait().await.unwrap();
}

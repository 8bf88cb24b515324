//! The engine as a whole: its end, its report, its nesting.

use super::*;

#[tokio::test(start_paused = true)]
async fn a_fatal_error_stops_everything_and_is_the_end_of_the_engine() {
    let (clock, engine) =
        engine_with(|config| config.filter(|error| Err(error.during("machine agent"))));
    let (broken, other) = (Script::new(), Script::new());
    engine.install("broken", broken.manifold(NONE)).unwrap();
    engine.install("other", other.manifold(NONE)).unwrap();
    idle(&clock).await;
    broken.end(Err(
        WorkerError::from(Fatal::RebootMachine).during("hook asked")
    ));
    let error = engine.wait().await.unwrap_err();
    assert_eq!(error.code(), "reboot-machine");
    assert_eq!(
        error.to_string(),
        "machine agent: hook asked: machine needs to reboot"
    );
    let report = engine.report();
    assert_eq!(report.state, EngineState::Stopped);
    assert_eq!(
        report.error.as_deref(),
        Some("hook asked: machine needs to reboot")
    );
    assert_eq!(report.manifolds["other"].state, NodeState::Stopped);
    assert!(other.current().is_none());
}

#[tokio::test(start_paused = true)]
async fn what_is_fatal_and_what_is_worst_is_for_the_agent_to_say() {
    let (clock, engine) = engine_with(|config| {
        config
            .fatal_when(|error| error.code() == "entity-removed" || error.code() == "bounce")
            .worst_error(|new, _| new)
    });
    let (first, second) = (Script::new(), Script::new());
    second.on_kill(Some(Err(WorkerError::Bounce)));
    engine.install("first", first.manifold(NONE)).unwrap();
    engine.install("second", second.manifold(NONE)).unwrap();
    idle(&clock).await;
    first.end(Err(WorkerError::EntityRemoved));
    assert_eq!(engine.wait().await.unwrap_err().code(), "bounce");
}

#[tokio::test(start_paused = true)]
async fn a_killed_engine_waits_for_the_last_node_and_ends_cleanly() {
    let (clock, engine) = engine();
    let (willing, stubborn) = (Script::new(), Script::new());
    stubborn.on_kill(None);
    engine.install("willing", willing.manifold(NONE)).unwrap();
    engine.install("stubborn", stubborn.manifold(NONE)).unwrap();
    idle(&clock).await;
    engine.kill();
    engine.kill();
    settle().await;
    let report = engine.report();
    assert_eq!(report.state, EngineState::Stopping);
    assert_eq!(report.manifolds["willing"].state, NodeState::Stopped);
    assert_eq!(report.manifolds["stubborn"].state, NodeState::Stopping);
    stubborn.end(Err(WorkerError::text("at last")));
    engine.wait().await.unwrap();
    engine.wait().await.unwrap();
    assert_eq!(
        engine.report().manifolds["stubborn"].error.as_deref(),
        Some("at last")
    );
    assert_eq!(clock.sleepers(), 0);
}

#[tokio::test(start_paused = true)]
async fn an_engine_without_nodes_dies_at_once() {
    let (_, engine) = engine();
    engine.kill();
    engine.wait().await.unwrap();
    assert_eq!(engine.report().state, EngineState::Stopped);
}

#[tokio::test(start_paused = true)]
async fn engines_nest() {
    let (clock, outer) = engine();
    let script = Script::new();
    let node = script.manifold(NONE);
    let shared = clock.shared();
    let nested = Manifold::new(move |_| {
        let (shared, node) = (shared.clone(), node.clone());
        async move {
            let inner = DependencyEngine::new(EngineConfig::new("inner", shared));
            inner.install("leaf", node).map_err(WorkerError::other)?;
            Ok(Arc::new(inner) as _)
        }
    });
    outer.install("unit", nested).unwrap();
    idle(&clock).await;
    let report = serde_json::to_value(outer.report()).unwrap();
    assert_eq!(
        report["manifolds"]["unit"]["report"]["manifolds"]["leaf"]["state"],
        "started"
    );
    outer.kill();
    outer.wait().await.unwrap();
    assert!(script.current().is_none());
}

#[tokio::test(start_paused = true)]
async fn the_engine_can_be_one_of_its_own_nodes() {
    let (clock, engine) = engine();
    let script = Script::new();
    let row = script.manifold(NONE);
    let installer = Manifold::new(move |context| {
        let row = row.clone();
        async move {
            let engine: DependencyEngine = context.get("self")?;
            let _ = engine.install("more", row);
            Ok(ValueWorker::lend(()))
        }
    });
    engine.install("self", engine.self_manifold()).unwrap();
    engine
        .install("installer", installer.needs(["self"]))
        .unwrap();
    idle(&clock).await;
    assert!(script.current().is_some());
    assert_eq!(
        engine.report().manifolds["self"].report,
        serde_json::Value::Null
    );
    engine.kill();
    engine.wait().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_report_can_be_written_and_read_and_is_there_after_death() {
    let (clock, engine) = engine();
    engine
        .install("node", Script::new().manifold(["input"]))
        .unwrap();
    idle(&clock).await;
    engine.kill();
    engine.wait().await.unwrap();
    let written = serde_json::to_value(engine.report()).unwrap();
    assert_eq!(
        written,
        serde_json::json!({
            "name": "test",
            "state": "stopped",
            "manifolds": { "node": {
                "state": "stopped",
                "inputs": ["input"],
                "error": "waiting for input",
                "waits-for": "input",
            } },
        })
    );
    let read: super::super::EngineReport = serde_json::from_value(written).unwrap();
    assert_eq!(read, engine.report());
}

#[tokio::test(start_paused = true)]
async fn a_thousand_engines_at_rest_keep_no_timer() {
    let clock = FakeClock::new();
    let mut engines = Vec::new();
    for number in 0..1000 {
        let config = EngineConfig::new(format!("unit-{number}"), clock.shared());
        let engine = DependencyEngine::new(config);
        for node in 0..8_u32 {
            let inputs = (0..node).map(|input| format!("node-{input}"));
            let lend = Manifold::new(move |context| async move {
                if node > 0 {
                    context.get::<u32>(&format!("node-{}", node - 1))?;
                }
                Ok(ValueWorker::lend(node))
            });
            engine
                .install(format!("node-{node}"), lend.needs(inputs))
                .unwrap();
        }
        engines.push(engine);
    }
    idle(&clock).await;
    assert_eq!(clock.sleepers(), 0);
    for engine in &engines {
        assert_eq!(state(engine, "node-7"), NodeState::Started);
    }
    for engine in engines {
        engine.kill();
        engine.wait().await.unwrap();
    }
}

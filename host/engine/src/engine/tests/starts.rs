//! Install, inputs, and what a start sees.

use super::*;

#[tokio::test(start_paused = true)]
async fn a_node_rests_on_its_missing_input_and_starts_after_it() {
    let (clock, engine) = engine();
    let (input, node) = (Script::new(), Script::new());
    engine.install("node", node.manifold(["input"])).unwrap();
    idle(&clock).await;
    let report = engine.report();
    assert_eq!(report.manifolds["node"].state, NodeState::Stopped);
    assert_eq!(report.manifolds["node"].waits_for.as_deref(), Some("input"));
    engine.install("input", input.manifold(NONE)).unwrap();
    settle().await;
    assert_waits(&clock, Delays::DEFAULT.bounce);
    idle(&clock).await;
    assert!(node.current().is_some());
    assert_eq!(engine.report().manifolds["node"].error, None);
}

#[tokio::test(start_paused = true)]
async fn a_refused_install_changes_nothing() {
    let (clock, engine) = engine();
    let script = Script::new();
    engine.install("a", script.manifold(["b"])).unwrap();
    let duplicate = engine.install("a", script.manifold(NONE)).unwrap_err();
    assert_eq!(
        (duplicate.code(), duplicate.to_string().as_str()),
        ("duplicate", "a is already installed")
    );
    assert_eq!(
        engine
            .install("c", script.manifold(["c"]))
            .unwrap_err()
            .code(),
        "cycle"
    );
    engine.install("c", script.manifold(["a"])).unwrap();
    assert_eq!(
        engine.install("b", script.manifold(["c"])),
        Err(InstallError::Cycle("b".into()))
    );
    idle(&clock).await;
    assert_eq!(
        engine.report().manifolds.keys().collect::<Vec<_>>(),
        ["a", "c"]
    );
    engine.kill();
    assert_eq!(
        engine.install("d", script.manifold(NONE)),
        Err(InstallError::Dying)
    );
    engine.wait().await.unwrap();
    assert_eq!(
        engine.install("d", script.manifold(NONE)),
        Err(InstallError::Dying)
    );
}

#[tokio::test(start_paused = true)]
async fn a_new_worker_of_an_input_restarts_its_dependents_and_theirs() {
    let (clock, engine) = engine();
    let (a, b, c) = (Script::new(), Script::new(), Script::new());
    engine.install("a", a.manifold(NONE)).unwrap();
    engine.install("b", b.manifold(["a"])).unwrap();
    engine.install("c", c.manifold(["b"])).unwrap();
    idle(&clock).await;
    a.end(Err(WorkerError::Bounce));
    idle(&clock).await;
    assert_eq!(
        b.inputs_at_start(),
        [("a".into(), Some(a.current().unwrap().serial()))]
    );
    assert_eq!(
        c.inputs_at_start(),
        [("b".into(), Some(b.current().unwrap().serial()))]
    );
}

#[tokio::test(start_paused = true)]
async fn a_context_answers_for_declared_inputs_and_only_during_the_start() {
    let (clock, engine) = engine();
    let kept: Arc<Mutex<Option<Context>>> = Arc::default();
    let slot = kept.clone();
    let asks = Manifold::new(move |context| {
        let slot = slot.clone();
        async move {
            context.require("script")?;
            assert_eq!(context.name(), "asks");
            assert_eq!(context.get::<u32>("script")?, 7);
            assert_eq!(context.get::<Serial>("script")?, Serial(1));
            assert_eq!(context.get::<u32>("secret").unwrap_err().code(), "missing");
            assert_eq!(context.get::<u32>("absent").unwrap_err().code(), "missing");
            assert_eq!(context.require("absent").unwrap_err().code(), "missing");
            assert_eq!(context.get_optional::<u32>("absent")?, None);
            assert_eq!(context.get_optional::<u32>("script")?, Some(7));
            assert_eq!(
                context.get::<u32>("lends-nothing").unwrap_err().code(),
                "missing"
            );
            context.require("lends-nothing")?;
            let other_type = context.get::<String>("script").unwrap_err();
            assert_eq!(other_type.code(), "error");
            assert!(other_type.to_string().contains("String"), "{other_type}");
            *slot.lock().unwrap() = Some(context);
            Ok(ValueWorker::lend(()))
        }
    });
    let idler = || {
        TaskWorker::spawn(|worker| async move {
            worker.dying().cancelled().await;
            Ok(())
        })
    };
    Manifolds::new()
        .add("script", Script::lending(7_u32).manifold(NONE))
        .add("secret", Script::lending(8_u32).manifold(NONE))
        .add(
            "lends-nothing",
            Manifold::new(move |_| async move { Ok(idler()) }),
        )
        .add("asks", asks.needs(["script", "lends-nothing", "absent"]))
        .install(&engine)
        .unwrap();
    idle(&clock).await;
    assert_eq!(engine.report().manifolds["asks"].error, None);
    let context = kept.lock().unwrap().take().unwrap();
    let expired = context.get::<u32>("script").unwrap_err();
    assert_eq!(expired.code(), "error");
    assert!(expired.to_string().contains("expired"), "{expired}");
    assert!(context.require("script").is_err());
}

#[tokio::test(start_paused = true)]
async fn the_snapshot_is_of_the_request_not_of_the_start() {
    let (clock, engine) = engine();
    let (input, node) = (Script::new(), Script::new());
    engine
        .install("node", node.manifold_with(NONE, ["input"]))
        .unwrap();
    engine.install("input", input.manifold(NONE)).unwrap();
    settle().await;
    // The request came before the input was there, and so did what the start saw.
    assert_eq!(node.inputs_at_start(), [("input".into(), None)]);
    assert!(node.current().is_none());
    idle(&clock).await;
    assert_eq!(node.inputs_at_start(), [("input".into(), Some(1))]);
}

#[tokio::test(start_paused = true)]
async fn a_start_that_works_is_told_to_hurry_and_its_worker_is_killed() {
    let (_, engine) = engine();
    let (script, release) = (Script::new(), crate::Gate::new());
    let slow = Manifold::new({
        let (script, release) = (script.clone(), release.clone());
        move |context| {
            let (script, release) = (script.clone(), release.clone());
            async move {
                release.unlocked().await;
                assert!(context.abort().is_cancelled());
                script.start()
            }
        }
    });
    let polite = Manifold::new(|context| async move {
        context.or_abort(std::future::pending::<()>()).await?;
        Ok(ValueWorker::lend(()))
    });
    engine.install("slow", slow).unwrap();
    engine.install("polite", polite).unwrap();
    settle().await;
    engine.kill();
    settle().await;
    assert_eq!(state(&engine, "slow"), NodeState::Stopping);
    assert_eq!(state(&engine, "polite"), NodeState::Stopped);
    release.unlock();
    engine.wait().await.unwrap();
    assert_eq!((script.starts(), script.current().is_none()), (1, true));
    assert_eq!(engine.report().manifolds["slow"].start_count, 0);
}

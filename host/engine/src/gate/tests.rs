use std::time::Duration;

use super::Gate;
use crate::clock::FakeClock;
use crate::engine::{DependencyEngine, EngineConfig, NodeState};
use crate::error::WorkerError;
use crate::flag::Flag;
use crate::manifold::{Manifold, Manifolds};
use crate::testing::{Script, run_until_idle, settle};
use crate::worker::{Outputs, Worker};
use crate::{flag, gate};

#[tokio::test(start_paused = true)]
async fn unlocking_is_for_good_and_twice_is_once() {
    let gate = Gate::new();
    assert!(!gate.is_unlocked());
    let waiting = tokio::spawn({
        let gate = gate.clone();
        async move { gate.unlocked().await }
    });
    settle().await;
    assert!(!waiting.is_finished());
    gate.unlock();
    gate.unlock();
    waiting.await.unwrap();
    assert!(gate.is_unlocked());
    gate.unlocked().await;
}

/// What a node behind the flag sees at each start.
fn reader(script: &Script) -> Manifold {
    let script = script.clone();
    Manifold::new(move |context| {
        let worker = context.get::<Flag>("flag").and_then(|flag| {
            if flag.check() {
                script.start()
            } else {
                Err(WorkerError::missing("flag"))
            }
        });
        async move { worker }
    })
    .needs(["flag"])
}

#[tokio::test(start_paused = true)]
async fn the_flag_bounces_at_the_unlock_and_is_true_from_then_on() {
    let (clock, gate, script) = (FakeClock::new(), Gate::new(), Script::new());
    let engine = DependencyEngine::new(EngineConfig::new("test", clock.shared()));
    Manifolds::new()
        .add("gate", gate::lent(gate.clone()))
        .add("flag", gate::flag("gate"))
        .add("reader", reader(&script))
        .install(&engine)
        .unwrap();
    assert!(run_until_idle(&clock, Duration::from_secs(1)).await);
    assert_eq!(engine.report().manifolds["flag"].state, NodeState::Started);
    assert_eq!(
        engine.report().manifolds["reader"].waits_for.as_deref(),
        Some("flag")
    );
    assert_eq!(script.starts(), 0);

    gate.unlock();
    assert!(run_until_idle(&clock, Duration::from_secs(1)).await);
    assert!(script.current().is_some());
    assert_eq!(script.starts(), 1);
    let report = engine.report();
    assert_eq!(report.manifolds["flag"].state, NodeState::Started);
    assert_eq!(report.manifolds["flag"].error, None);
    engine.kill();
    engine.wait().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_gate_of_its_node_is_locked_again_by_a_restart_and_a_lent_one_is_not() {
    for (survives, manifold) in [(false, gate::manifold()), (true, gate::lent(Gate::new()))] {
        let (clock, script, cause) = (FakeClock::new(), Script::new(), Script::new());
        let engine = DependencyEngine::new(EngineConfig::new("test", clock.shared()));
        let unlocker = Manifold::new({
            let script = script.clone();
            move |context| {
                let gate = context.get::<Gate>("gate");
                let worker = gate.and_then(|gate| {
                    // Only the first time: the question is what a restart of the gate leaves.
                    if script.starts() == 0 {
                        gate.unlock();
                    }
                    script.lend(gate);
                    script.start()
                });
                async move { worker }
            }
        });
        Manifolds::new()
            .add("cause", cause.manifold([""; 0]))
            .add("gate", manifold.needs(["cause"]))
            .add("unlocker", unlocker.needs(["gate"]))
            .install(&engine)
            .unwrap();
        assert!(run_until_idle(&clock, Duration::from_secs(1)).await);
        assert!(seen(&script).is_unlocked());
        cause.end(Err(WorkerError::Bounce));
        assert!(run_until_idle(&clock, Duration::from_secs(1)).await);
        assert!(script.starts() >= 2);
        assert_eq!(seen(&script).is_unlocked(), survives);
        engine.kill();
        engine.wait().await.unwrap();
    }
}

fn seen(script: &Script) -> Gate {
    script.current().unwrap().outputs().get::<Gate>().unwrap()
}

#[tokio::test(start_paused = true)]
async fn a_flag_until_a_change_bounces_with_it_or_fails_with_its_error() {
    let gate = Gate::new();
    let change = gate.clone();
    let worker = flag::until(false, async move {
        change.unlocked().await;
        Ok(())
    });
    assert_eq!(worker.outputs().get::<Flag>(), Some(Flag(false)));
    gate.unlock();
    assert_eq!(worker.wait().await.unwrap_err().code(), "bounce");

    let broken = flag::until(true, async { Err(WorkerError::text("watcher closed")) });
    assert_eq!(
        broken.wait().await.unwrap_err().to_string(),
        "watcher closed"
    );
    let killed = flag::until(true, std::future::pending());
    killed.kill();
    killed.wait().await.unwrap();
    let constant = flag::constant(true);
    assert!(constant.outputs().get::<Flag>().unwrap().check());
    assert!(Outputs::default().get::<Flag>().is_none());
}

use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio_util::sync::CancellationToken;

use super::Housing;
use crate::clock::FakeClock;
use crate::engine::{DependencyEngine, EngineConfig, EngineReport, NodeState};
use crate::error::WorkerError;
use crate::flag::Flag;
use crate::fortress::{Fortress, Guard};
use crate::manifold::{Manifold, Manifolds};
use crate::testing::{Script, run_until_idle};
use crate::worker::{SharedWorker, Worker};

struct House {
    clock: FakeClock,
    engine: DependencyEngine,
    upper: Script,
    lower: Script,
    fortress: Arc<Mutex<Option<Arc<Fortress>>>>,
    lodger: Script,
}

impl House {
    async fn with(housing: Housing) -> Self {
        let clock = FakeClock::new();
        let engine = DependencyEngine::new(EngineConfig::new("house", clock.shared()));
        let house = Self {
            clock,
            engine,
            upper: Script::lending(Flag(true)),
            lower: Script::lending(Flag(true)),
            fortress: Arc::default(),
            lodger: Script::new(),
        };
        let slot = house.fortress.clone();
        let fortress = Manifold::new(move |_| {
            let fortress = Arc::new(Fortress::new());
            *slot.lock().unwrap() = Some(fortress.clone());
            async move { Ok(fortress as SharedWorker) }
        });
        Manifolds::new()
            .add("upper", house.upper.manifold([""; 0]))
            .add("lower", house.lower.manifold([""; 0]))
            .add("fortress", fortress)
            .group(housing, |rows| {
                rows.add("lodger", house.lodger.manifold([""; 0]))
            })
            .install(&house.engine)
            .unwrap();
        house.idle().await;
        house
    }

    async fn idle(&self) -> EngineReport {
        assert!(run_until_idle(&self.clock, Duration::from_secs(30)).await);
        self.engine.report()
    }

    fn guard(&self) -> Guard {
        self.fortress.lock().unwrap().as_ref().unwrap().guard()
    }

    async fn flip(&self, flag: &Script, truth: bool) -> EngineReport {
        flag.lend(Flag(truth));
        assert!(flag.end(Err(WorkerError::Bounce)));
        self.idle().await
    }
}

#[tokio::test(start_paused = true)]
async fn the_names_of_flags_and_fortress_become_inputs() {
    let housing = Housing::new()
        .flag("upper")
        .flag("lower")
        .occupy("fortress");
    let housed = housing.decorate(Script::new().manifold(["agent"]));
    assert_eq!(housed.inputs(), ["agent", "upper", "lower", "fortress"]);
}

#[tokio::test(start_paused = true)]
async fn a_node_runs_only_while_all_its_flags_are_true() {
    let house = House::with(Housing::new().flag("upper").flag("lower")).await;
    assert!(house.lodger.current().is_some());
    let report = house.flip(&house.upper, false).await;
    assert_eq!(report.manifolds["lodger"].state, NodeState::Stopped);
    assert_eq!(
        report.manifolds["lodger"].waits_for.as_deref(),
        Some("upper")
    );
    house.flip(&house.upper, true).await;
    assert!(house.lodger.current().is_some());
}

#[tokio::test(start_paused = true)]
async fn the_flag_listed_last_is_asked_first() {
    let house = House::with(Housing::new().flag("upper").flag("lower")).await;
    house.flip(&house.upper, false).await;
    let report = house.flip(&house.lower, false).await;
    assert_eq!(
        report.manifolds["lodger"].waits_for.as_deref(),
        Some("lower")
    );
}

#[tokio::test(start_paused = true)]
async fn an_absent_flag_is_as_good_as_false() {
    let house = House::with(Housing::new().flag("nowhere")).await;
    let report = house.engine.report();
    assert_eq!(
        report.manifolds["lodger"].waits_for.as_deref(),
        Some("nowhere")
    );
    assert_eq!(house.lodger.attempts(), 0);
}

#[tokio::test(start_paused = true)]
async fn an_occupant_waits_for_the_fortress_and_holds_it_until_its_flag_falls() {
    let house = House::with(Housing::new().flag("upper").occupy("fortress")).await;
    assert_eq!(
        house.engine.report().manifolds["lodger"].state,
        NodeState::Starting
    );
    assert_eq!(house.lodger.attempts(), 0);
    house.guard().unlock().unwrap();
    house.idle().await;
    assert!(house.lodger.current().is_some());

    let guard = house.guard();
    let lockdown = tokio::spawn(async move { guard.lockdown(&CancellationToken::new()).await });
    house.idle().await;
    assert!(!lockdown.is_finished());
    house.flip(&house.upper, false).await;
    assert_eq!(lockdown.await.unwrap(), Ok(()));
    assert!(house.lodger.current().is_none());
}

#[tokio::test(start_paused = true)]
async fn nobody_waits_at_the_door_of_a_fortress_whose_flags_forbid_the_visit() {
    let house = House::with(Housing::new().flag("upper").occupy("fortress")).await;
    let report = house.flip(&house.upper, false).await;
    assert_eq!(report.manifolds["lodger"].state, NodeState::Stopped);
    assert_eq!(
        report.manifolds["lodger"].waits_for.as_deref(),
        Some("upper")
    );
}

#[tokio::test(start_paused = true)]
async fn an_engine_stops_although_a_node_waits_at_the_door() {
    let house = House::with(Housing::new().occupy("fortress")).await;
    house.engine.kill();
    house.engine.wait().await.unwrap();
    let report = house.engine.report();
    assert_eq!(
        report.manifolds["lodger"].error.as_deref(),
        Some("start called off")
    );
}

#[tokio::test(start_paused = true)]
async fn a_fortress_that_shuts_down_lets_those_at_its_door_rest_until_it_is_back() {
    let house = House::with(Housing::new().occupy("fortress")).await;
    let fortress = house.fortress.lock().unwrap().clone().unwrap();
    fortress.kill();
    let report = house.idle().await;
    // A fortress that ends cleanly is not started again, and the node rests on it.
    assert_eq!(
        report.manifolds["lodger"].waits_for.as_deref(),
        Some("fortress")
    );
}

#[tokio::test(start_paused = true)]
async fn a_filter_of_the_housing_replaces_that_of_the_node() {
    let own = Script::new()
        .manifold([""; 0])
        .filter(|_| Err(WorkerError::text("own")));
    let kept = Housing::new().decorate(own.clone());
    let filter = kept.filter.unwrap();
    assert_eq!(filter(WorkerError::Bounce).unwrap_err().to_string(), "own");
    let replaced = Housing::new()
        .filter(|_| Err(WorkerError::text("house")))
        .decorate(own);
    let filter = replaced.filter.unwrap();
    assert_eq!(
        filter(WorkerError::Bounce).unwrap_err().to_string(),
        "house"
    );
}

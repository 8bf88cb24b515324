use std::collections::BTreeMap;

use async_trait::async_trait;
use periapt_engine::{FakeClock, NodeReport, SystemClock};
use periapt_model::ModelUuid;
use periapt_wire::rest::WorkerRow;
use serde_json::Value;

use super::*;

fn engine(state: EngineState, node: NodeState) -> EngineReport {
    let node = NodeReport {
        state: node,
        inputs: Vec::new(),
        start_count: 1,
        started_at: None,
        error: None,
        waits_for: None,
        report: Value::Null,
    };
    EngineReport {
        name: "controller".into(),
        state,
        error: None,
        manifolds: BTreeMap::from([("lease-manager".to_owned(), node)]),
        uninstalled: BTreeMap::new(),
    }
}

struct Engine(Box<dyn Fn() -> EngineReport + Send + Sync>);

#[async_trait]
impl Reports for Engine {
    async fn controller(&self) -> Vec<WorkerRow> {
        Vec::new()
    }

    async fn model(&self, _: &ModelUuid) -> Vec<WorkerRow> {
        Vec::new()
    }

    fn controller_engine(&self) -> Option<EngineReport> {
        Some((self.0)())
    }
}

#[tokio::test]
async fn an_engine_that_runs_is_alive() {
    let health = Health::new(SystemClock::shared());
    let reports = Engine(Box::new(|| {
        engine(EngineState::Started, NodeState::Started)
    }));
    let probe = health.alive(Arc::new(reports)).await;
    assert_eq!(probe.status, "ok", "{probe:?}");
    assert_eq!(probe.checks[0].reason, "1 worker running");
}

#[test]
fn an_engine_that_ends_is_not_alive() {
    let health = Health::new(FakeClock::new().shared());
    let mut ending = engine(EngineState::Stopping, NodeState::Started);
    assert_eq!(health.judge(&ending).unwrap_err(), "it is not running");
    ending.error = Some("the disk is gone".into());
    assert_eq!(
        health.judge(&ending).unwrap_err(),
        "it ends: the disk is gone"
    );
}

#[test]
fn a_worker_that_hangs_in_its_end_is_a_stuck_engine() {
    let clock = FakeClock::new();
    let health = Health::new(clock.shared());
    let stopping = engine(EngineState::Started, NodeState::Stopping);
    assert!(health.judge(&stopping).is_ok());
    clock.advance(ENDING - Duration::from_secs(1));
    assert!(health.judge(&stopping).is_ok());
    clock.advance(Duration::from_secs(1));
    let stuck = health.judge(&stopping).unwrap_err();
    assert_eq!(stuck, "lease-manager has been stopping for 60 s");
    // Once it has ended, the next end has its own time.
    assert!(
        health
            .judge(&engine(EngineState::Started, NodeState::Started))
            .is_ok()
    );
    assert!(health.judge(&stopping).is_ok());
}

#[tokio::test]
async fn an_engine_that_does_not_answer_is_stuck() {
    let clock = FakeClock::new();
    let health = Health::new(clock.shared());
    let (go, wait) = std::sync::mpsc::channel::<()>();
    let wait = Mutex::new(wait);
    let reports = Engine(Box::new(move || {
        // Until the test ends.
        let _ = wait.lock().unwrap().recv();
        engine(EngineState::Started, NodeState::Started)
    }));
    let probe = tokio::spawn(async move { health.alive(Arc::new(reports)).await });
    while clock.sleepers() == 0 {
        tokio::task::yield_now().await;
    }
    clock.advance(BOUND);
    let probe = probe.await.unwrap();
    drop(go);
    assert_eq!(probe.status, "failing");
    assert_eq!(probe.checks[0].reason, "it has not answered for 5 s");
}

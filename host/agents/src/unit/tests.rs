//! The leadership tracker on virtual time, and the table of the unit agent.

mod collecting;

use std::sync::Arc;
use std::time::Duration;

use periapt_engine::testing::settle;
use periapt_engine::{FakeClock, SharedWorker};
use periapt_model::UnitName;
use periapt_uniter::Leadership;
use periapt_uniter::leadership::Standing;
use periapt_uniter::testing::Controller;

use super::*;

fn name(text: &str) -> UnitName {
    text.parse().unwrap()
}

fn track(controller: &Controller, clock: &FakeClock, unit: &str) -> (SharedWorker, Leadership) {
    let worker = leadership::start(name(unit), controller.connect().0, clock.shared());
    let handle = worker.outputs().get::<Leadership>().unwrap();
    (worker, handle)
}

/// The table as the catalogue's test sees it.
pub(crate) fn table() -> Manifolds {
    let (connection, _) = Controller::new().connect();
    let host = crate::host::tests::host_context(connection);
    let machine = MachineContext {
        machine: "0".parse().unwrap(),
        host,
        boot: Arc::default(),
    };
    manifolds(&UnitContext {
        unit: name("site/0"),
        machine,
    })
}

async fn until(handle: &Leadership, is: fn(&Standing) -> bool) {
    handle.subscribe().wait_for(is).await.unwrap();
}

#[test]
fn every_input_of_the_table_has_a_row() {
    assert_eq!(table().unknown_inputs(), []);
}

#[tokio::test(start_paused = true)]
async fn a_leader_renews_after_each_guarantee() {
    let (controller, clock) = (Controller::new(), FakeClock::new());
    let (worker, handle) = track(&controller, &clock, "site/0");
    until(&handle, |standing| standing.is_leader()).await;
    assert!(handle.claim_leader().await);
    settle().await;
    assert_eq!(
        controller.count("ClaimLeadership"),
        1,
        "what is known is recent enough"
    );
    for renewal in 2..5 {
        clock.advance(Duration::from_secs(30));
        settle().await;
        assert_eq!(controller.count("ClaimLeadership"), renewal);
        assert!(handle.claim_leader().await);
    }
    worker.kill();
    worker.wait().await.unwrap();
    assert_eq!(
        controller.leader("site"),
        Some(name("site/0")),
        "the lease is left to expire"
    );
}

#[tokio::test(start_paused = true)]
async fn a_promise_counts_from_before_the_claim() {
    let (controller, clock) = (Controller::new(), FakeClock::new());
    controller.hold("ClaimLeadership", true);
    let (worker, handle) = track(&controller, &clock, "site/0");
    settle().await;
    // The answer takes longer than what may be promised of it.
    clock.advance(Duration::from_secs(31));
    controller.hold("ClaimLeadership", false);
    assert!(handle.claim_leader().await);
    assert!(
        controller.count("ClaimLeadership") >= 2,
        "claimed again before it said yes"
    );
    worker.kill();
    worker.wait().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_minion_takes_over_when_leadership_is_released() {
    let (controller, clock) = (Controller::new(), FakeClock::new());
    controller.set_leader("site", Some(name("site/1")));
    let (worker, handle) = track(&controller, &clock, "site/0");
    until(&handle, |standing| *standing == Standing::Minion).await;
    assert!(!handle.claim_leader().await);
    clock.advance(Duration::from_secs(300));
    settle().await;
    assert_eq!(
        controller.count("ClaimLeadership"),
        1,
        "it does not ask again and again"
    );
    controller.set_leader("site", None);
    until(&handle, |standing| standing.is_leader()).await;
    assert_eq!(controller.leader("site"), Some(name("site/0")));

    controller.set_leader("site", Some(name("site/1")));
    clock.advance(Duration::from_secs(30));
    until(&handle, |standing| *standing == Standing::Minion).await;
    assert!(!handle.claim_leader().await);
    worker.kill();
    worker.wait().await.unwrap();
    assert!(!handle.claim_leader().await, "no tracker, no leadership");
}

#[tokio::test(start_paused = true)]
async fn of_two_trackers_one_leads() {
    let (controller, clock) = (Controller::new(), FakeClock::new());
    let (first, one) = track(&controller, &clock, "site/0");
    let (second, two) = track(&controller, &clock, "site/1");
    settle().await;
    assert_ne!(one.claim_leader().await, two.claim_leader().await);
    first.kill();
    second.kill();
    first.wait().await.unwrap();
    second.wait().await.unwrap();
}

//! Upgrade steps on a whole controller.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::Duration;

use periapt_model::ModelUuid;
use periapt_store::Store;
use periapt_store::lease::{Manager, Namespace};
use periapt_wire::rest::{EngineMap, LeaseReport, Page, WorkerRow};
use tempfile::TempDir;

use super::*;
use crate::tests::{deploy_site, introspect, node, options, start, start_with};
use crate::{ControllerError, bootstrap};

static FIRST: AtomicU32 = AtomicU32::new(0);
static FAILS: AtomicBool = AtomicBool::new(true);

static TWO: &[UpgradeStep] = &[
    UpgradeStep {
        name: "first",
        since: "0.1.0",
        run: |_| {
            Box::pin(async {
                FIRST.fetch_add(1, Ordering::SeqCst);
                Ok(())
            })
        },
    },
    UpgradeStep {
        name: "second",
        since: "0.1.0",
        run: |_| {
            Box::pin(async {
                match FAILS.load(Ordering::SeqCst) {
                    true => Err(ControllerError::Internal("the shelf is full".into())),
                    false => Ok(()),
                }
            })
        },
    },
];

async fn engines(home: &TempDir) -> EngineMap {
    serde_json::from_str(&introspect(home.path(), "/depengine").await).unwrap()
}

/// Who pins the lease of the unit that leads; none where it does not lead any more.
async fn leader_is_pinned_by(home: &TempDir) -> Option<Vec<String>> {
    let leases = introspect(home.path(), "/leases").await;
    let leases: Vec<LeaseReport> = serde_json::from_str(&leases).unwrap();
    let lease = leases.into_iter().find(|lease| lease.holder == "site/0");
    lease.map(|lease| lease.pinned_by)
}

async fn until<F: Future<Output = bool>>(what: &str, mut holds: impl FnMut() -> F) {
    for _ in 0..600 {
        if holds().await {
            return;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    panic!("not within a minute: {what}");
}

/// An application that has a leader, from before the upgrade.
async fn leader(home: &TempDir, model: &ModelUuid) {
    let store = crate::bootstrap::store_options(home.path(), None);
    let store = Store::open(store).await.unwrap();
    deploy_site(&store, model).await;
    let leadership = Namespace::ApplicationLeadership;
    let period = Duration::from_secs(60);
    Manager::new(&store)
        .claim(leadership, model, "site", "site/0", period)
        .await
        .unwrap();
    store.close().await;
}

/// upgradesteps: "when a step fails always, then the agent's status is error with the step name,
/// and gated nodes are stopped with 'missing'; after fixing … all start".
#[tokio::test]
async fn a_failing_upgrade_step_keeps_the_gate_closed_and_is_shown_until_it_passes() {
    let home = TempDir::new().unwrap();
    let made = bootstrap(options(home.path())).await.unwrap();
    leader(&home, &made.controller_model).await;
    let controller = start_with(home.path(), made.clone(), |options| {
        options.upgrade_steps = TWO;
    })
    .await;
    until("the report names the step", || async {
        let map = engines(&home).await;
        let runner = node(&map, "controller", NAME).unwrap();
        runner.error.as_deref()
            == Some("upgrade step \"second\" failed: internal error: the shelf is full")
    })
    .await;
    until("what starts models rests on the flag", || async {
        let map = engines(&home).await;
        let manager = node(&map, "controller", "model-worker-manager").unwrap();
        manager.state == "stopped" && manager.waits_for.as_deref() == Some(FLAG)
    })
    .await;
    let map = engines(&home).await;
    assert!(!map.engines.iter().any(|engine| engine.kind == "model"));
    let pinner = Tag::Controller(made.uuid.clone()).to_string();
    assert_eq!(leader_is_pinned_by(&home).await, Some(vec![pinner]));

    let token = controller.log_in().await;
    let rows = controller
        .client()
        .get(controller.url("/v1/workers?limit=1000"))
        .bearer_auth(token)
        .send();
    let rows: Page<WorkerRow> = rows.await.unwrap().json().await.unwrap();
    let row = rows.items.iter().find(|row| row.worker == "upgradesteps");
    let row = row.unwrap();
    assert!(
        row.state == "running" || row.reason.contains("the shelf is full"),
        "{row:?}"
    );

    FAILS.store(false, Ordering::SeqCst);
    until("models have engines", || async {
        let map = engines(&home).await;
        map.engines.iter().any(|engine| engine.kind == "model")
    })
    .await;
    assert_eq!(FIRST.load(Ordering::SeqCst), 1, "done is done");
    assert_eq!(leader_is_pinned_by(&home).await, Some(Vec::new()));
    controller.stop().await;

    let again = start_with(home.path(), made, |options| options.upgrade_steps = TWO).await;
    until("models have engines", || async {
        let map = engines(&home).await;
        map.engines.iter().any(|engine| engine.kind == "model")
    })
    .await;
    assert_eq!(
        FIRST.load(Ordering::SeqCst),
        1,
        "once in a controller's life"
    );
    again.stop().await;
}

/// The step of this version.
#[tokio::test]
async fn what_an_earlier_version_compiled_is_removed_once() {
    let home = TempDir::new().unwrap();
    let made = bootstrap(options(home.path())).await.unwrap();
    let compiled = home.path().join("cache/compiled");
    let old = compiled.join(format!("{}-{}.cwasm", "c".repeat(64), "0".repeat(32)));
    let plant = || {
        std::fs::create_dir_all(&compiled).unwrap();
        std::fs::write(&old, "code for another engine").unwrap();
    };
    let has_engines = || async {
        let map = engines(&home).await;
        map.engines.iter().any(|engine| engine.kind == "model")
    };
    plant();
    let controller = start(home.path(), made.clone()).await;
    until("models have engines", has_engines).await;
    assert!(!old.exists(), "nobody would ever ask for it");
    controller.stop().await;

    plant();
    let again = start(home.path(), made).await;
    until("models have engines", has_engines).await;
    assert!(old.exists(), "once in a controller's life");
    again.stop().await;
}

//! A charm of which the controller has no compiled form yet, or never will.

use periapt_sandbox::{CompileCache, SandboxEngine, Settings};

use super::*;
use crate::sandbox::WasmSandbox;

const WAITS: &str = "waiting for the controller to compile the charm";

fn waits(record: &UnitRecord) -> bool {
    record.agent.status.as_str() == "executing" && record.agent.message == WAITS
}

/// The unit's charm went through its hooks, and none of them failed.
fn went_well(world: &World) {
    assert_eq!(
        world.sandbox.hooks(),
        ["install", "config-changed", "start"]
    );
    assert_eq!(world.controller.count("FailHook"), 0, "nothing failed");
    let runs = world.record().runs;
    assert!(runs.iter().all(|run| run.code.is_empty()), "{runs:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_charm_that_is_being_compiled_is_waited_for_without_an_error() {
    let world = World::new();
    world.sandbox.compiled(false);
    // A uniter that ends is not started again here.
    let agent = world.start();
    world.until(waits).await;
    // Something else changes: it waits on and records nothing new.
    let asked = world.controller.count("RemoteState");
    let told = world.controller.count("SetAgentStatus");
    world.controller.set_title(&unit(), "changed");
    let again = world
        .controller
        .until(|controller| controller.count("RemoteState") > asked);
    tokio::time::timeout(LIMIT, again).await.expect("asks");
    assert!(waits(&world.record()));
    assert_eq!(world.controller.count("SetAgentStatus"), told);
    // A charm that is compiled wakes the units of its model.
    world.sandbox.compiled(true);
    world.controller.change(&unit(), |_| {});
    world.settle().await;
    went_well(&world);
    let begun = world.controller.count("BeginHook");
    assert_eq!(begun, 0, "no hook begins before it can run");
    agent.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_unit_that_waits_for_its_compiled_charm_asks_again_by_itself() {
    let world = World::new();
    world.sandbox.compiled(false);
    let agent = world.start();
    world.until(waits).await;
    world.sandbox.compiled(true);
    world.pass(2, Duration::from_secs(60)).await;
    world.settle().await;
    went_well(&world);
    agent.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_unit_that_waits_for_its_compiled_charm_stops_at_once() {
    let mut world = World::new();
    world.sandbox.compiled(false);
    let agent = world.start();
    world.until(waits).await;
    agent.stop().await;
    world.sandbox.compiled(true);
    world.kill_process();
    let agent = world.start();
    world.settle().await;
    went_well(&world);
    agent.stop().await;
}

/// charmdownloader: "with a wrong charm … no unit runs install". In the real sandbox.
#[tokio::test(flavor = "multi_thread")]
async fn a_charm_that_cannot_be_loaded_never_runs_install() {
    let mut world = World::new();
    let directory = tempfile::tempdir().unwrap();
    let engine = SandboxEngine::new(Settings {
        slots: 4,
        ..Settings::default()
    })
    .unwrap();
    let cache = CompileCache::new(directory.path().join("compiled"), engine.engine_hash()).unwrap();
    let sandbox = WasmSandbox::new(engine, cache);
    world.process = open(&world.clock, &world.directory, Arc::new(sandbox));
    let agent = world.start();
    world.until(waits).await;
    world.pass(2, Duration::from_secs(60)).await;
    // The archive once, its compiled form twice.
    let again = world
        .controller
        .until(|controller| controller.count("blob") >= 3);
    tokio::time::timeout(LIMIT, again).await.expect("asks");
    let record = world.record();
    assert!(record.runs.is_empty(), "{:?}", record.runs);
    assert!(record.commits.is_empty(), "{:?}", record.commits);
    agent.stop().await;
}

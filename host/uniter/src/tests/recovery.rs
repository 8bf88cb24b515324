//! Agents that stop, connections that break, and what is found afterwards.

use std::fs;

use periapt_model::hook::{self, Effects, Info};
use periapt_model::status;
use periapt_model::uniter::OperationStep;

use super::*;
use crate::hook::GRACE;

fn step(record: &UnitRecord) -> OperationStep {
    record.state.operation.as_ref().unwrap().step
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hook_broken_off_by_a_stop_is_run_again_without_error() {
    let mut world = World::new();
    let (agent, barrier) = world.start_into_a_hook().await;
    agent.worker.kill();
    world.pass(3, GRACE).await;
    agent.stopped().await;
    assert_eq!(step(&world.record()), OperationStep::Queued);
    barrier.open();
    // Not even the memory of the process is needed: the record says it.
    world.kill_process();
    let agent = world.start_over().await;
    assert_ne!(world.record().agent.status, status::Agent::Error);
    agent.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hook_that_ends_in_time_is_committed_by_a_stopping_agent() {
    let world = World::new();
    let (agent, barrier) = world.start_into_a_hook().await;
    agent.worker.kill();
    barrier.open();
    agent.stopped().await;
    assert!(world.record().state.operation.unwrap().installed);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lost_connection_loses_nothing() {
    let world = World::new();
    let (mut barrier, pass) = Barrier::new();
    world.sandbox.script(move |seen, _| {
        pass();
        fs::write(seen.state()?.join("file"), "x").unwrap();
        Ok(Effects::default())
    });
    let agent = world.start();
    barrier.entered().await;
    agent.cut_off().await;
    assert_eq!(
        step(&world.record()),
        OperationStep::Queued,
        "nothing could be told"
    );
    barrier.open();
    let agent = world.start_over().await;
    assert!(
        !world
            .record()
            .writes
            .iter()
            .any(|state| state.state_generation > 0),
        "the first run left nothing"
    );
    agent.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_connection_lost_at_the_commit_runs_the_hook_again() {
    let world = World::new();
    world.controller.refuse_next(
        "CommitHook",
        periapt_wire::CallError::Disconnected("cut".to_owned()),
    );
    let agent = world.start();
    let ended = tokio::time::timeout(LIMIT, agent.worker.wait())
        .await
        .expect("ends");
    assert!(ended.is_err());
    let agent = world.start_over().await;
    agent.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_process_killed_during_a_hook_of_which_only_it_knew_finds_it_in_error_and_retries() {
    let mut world = World::new();
    let (agent, barrier) = world.start_into_a_hook().await;
    agent.killed();
    let recorded = world.record();
    assert_eq!(
        (step(&recorded), world.controller.count("BeginHook")),
        (OperationStep::Queued, 0)
    );
    world.sandbox.script(|_, _| Ok(Effects::default()));
    world.kill_process();
    let agent = world.start();
    world
        .until(|record| record.agent.status == status::Agent::Error)
        .await;
    barrier.open();
    let found = world.record();
    assert_eq!(step(&found), OperationStep::Pending, "it can be answered");
    assert_eq!(found.state.sequence, recorded.state.sequence + 1);
    assert_eq!(world.sandbox.hooks(), ["install"], "not run at once");
    world.pass(2, Duration::from_secs(6)).await;
    world.settle().await;
    assert_eq!(
        world.sandbox.hooks(),
        ["install", "install", "config-changed", "start"]
    );
    agent.stop().await;

    // Of hooks that were committed nothing is left to be found.
    world.kill_process();
    let agent = world.start();
    world.settle().await;
    assert_eq!(world.sandbox.hooks().len(), 4);
    agent.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_commit_after_one_of_an_earlier_connection_changes_nothing_and_all_is_read_anew() {
    let world = World::new();
    let agent = world.start();
    world.settle().await;
    let (mut barrier, pass) = Barrier::new();
    world.sandbox.script(move |_, context| {
        pass();
        let state = [("key".to_owned(), Some(context.unit_name()))].into();
        Ok(Effects {
            state,
            ..Effects::default()
        })
    });
    world.controller.set_title(&unit(), "other");
    barrier.entered().await;
    // What an earlier connection had sent comes through meanwhile.
    world.controller.change(&unit(), |record| {
        let hash = record.remote.config_hash.clone();
        record.state.operation.as_mut().unwrap().config_hash = Some(hash);
        record.state.sequence += 1;
    });
    let before = world.record().state;
    barrier.open();
    let ended = tokio::time::timeout(LIMIT, agent.worker.wait()).await;
    let ended = ended.expect("ends").unwrap_err();
    assert_eq!(ended.kind(), Kind::Bounce, "{ended}");
    let agent = world.start();
    world.settle().await;
    let after = world.record().state;
    assert_eq!(after.operation, before.operation);
    assert!(after.charm_state.is_empty());
    assert_eq!(world.sandbox.hooks().len(), 4, "nothing is left to be run");
    agent.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_process_killed_during_a_hook_finds_it_in_error_and_retries() {
    let mut world = World::new();
    let agent = world.start();
    world.settle().await;
    agent.stop().await;
    world.controller.change(&unit(), |record| {
        let state = record.state.operation.as_mut().unwrap();
        state.kind = OperationKind::RunHook;
        state.step = OperationStep::Pending;
        state.hook = Some(Info::new(hook::Kind::ConfigChanged));
    });
    let leftover = world
        .process
        .unit_directory(&unit())
        .join("state/stage-1-1");
    fs::create_dir(&leftover).unwrap();
    world.kill_process();
    let agent = world.start();
    world
        .until(|record| record.agent.status == status::Agent::Error)
        .await;
    assert!(!leftover.exists());
    assert_eq!(world.sandbox.hooks().len(), 3, "not run at once");
    world.pass(2, Duration::from_secs(6)).await;
    world.settle().await;
    assert_eq!(world.sandbox.hooks()[3..], ["config-changed"]);
    agent.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_process_killed_after_the_commit_does_not_run_the_hook_again() {
    let mut world = World::new();
    let agent = world.start();
    world.settle().await;
    agent.stop().await;
    world.controller.change(&unit(), |record| {
        let state = record.state.operation.as_mut().unwrap();
        state.kind = OperationKind::RunHook;
        state.step = OperationStep::Done;
        state.hook = Some(Info::new(hook::Kind::ConfigChanged));
        record.agent = status::Status::new(status::Agent::Executing, "");
    });
    world.kill_process();
    let agent = world.start();
    world.settle().await;
    assert_eq!(world.sandbox.hooks().len(), 3);
    agent.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_unit_removed_by_force_during_a_hook_ends_its_agent() {
    let world = World::new();
    let (agent, barrier) = world.start_into_a_hook().await;
    let (connection, _) = world.controller.connect();
    connection
        .call(&periapt_wire::agent::deployer::RemoveUnit { unit: unit() })
        .await
        .unwrap();
    barrier.open();
    agent.terminated().await;
    assert!(!world.process.unit_directory(&unit()).exists());
}

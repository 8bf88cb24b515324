//! Reboots of the machine: asked for with a commit or at once, and what is run before and after.

use periapt_contract::reboot::Changes;
use periapt_model::status::Agent as AgentStatus;
use periapt_model::uniter::{OperationStep, REBOOTS_NOW, Resolved};
use periapt_sandbox::HookFailure;
use periapt_wire::agent::reboot::ClearReboot;

use super::*;
use crate::testing::{TaskRecord, failure};

fn asking() -> Effects {
    Effects {
        reboot: Changes { wanted: true },
        ..Effects::default()
    }
}

impl World {
    /// What the machine's agent does once its units are between hooks.
    async fn carry_out(&self) {
        let (connection, _cut) = self.controller.connect();
        let machine = machine();
        connection.call(&ClearReboot { machine }).await.unwrap();
    }

    async fn shows_rebooting(&self) {
        self.until(|record| record.agent.status == AgentStatus::Rebooting)
            .await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reboot_takes_effect_with_the_commit_nothing_begins_before_it_and_start_runs_once_after_it()
 {
    let world = World::new();
    world.sandbox.script(|seen, _| match seen.hook.as_str() {
        "config-changed" if seen.config.contains("title=again") => Ok(asking()),
        _ => Ok(Effects::default()),
    });
    let agent = world.start();
    world.settle().await;
    world.controller.set_title(&unit(), "again");
    world.shows_rebooting().await;
    assert!(world.controller.reboots(&machine()).wanted);
    let ran = world.sandbox.hooks().len();
    world.controller.set_title(&unit(), "while it is to reboot");
    world.carry_out().await;
    // In the engine that is about to end nothing runs any more.
    let heard = world.controller.count("RemoteState");
    world.controller.change(&unit(), |_| {});
    let after = |controller: &Controller| controller.count("RemoteState") > heard;
    tokio::time::timeout(LIMIT, world.controller.until(after))
        .await
        .expect("it hears of it");
    assert_eq!(world.sandbox.hooks().len(), ran);
    agent.stop().await;
    let agent = world.start();
    world
        .until(|record| {
            let state = record.state.operation.clone().unwrap_or_default();
            let caught_up = state.config_hash.as_ref() == Some(&record.remote.config_hash);
            is_idle(record) && state.reboots == 1 && caught_up
        })
        .await;
    let hooks = world.sandbox.hooks();
    assert_eq!(hooks[ran..], ["start", "config-changed"]);
    assert_eq!(world.record().state.operation.unwrap().reboots, 1);
    agent.stop().await;
    let agent = world.start();
    world.settle().await;
    assert_eq!(world.sandbox.hooks().len(), hooks.len(), "once");
    agent.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hook_that_fails_asks_for_no_reboot() {
    let world = World::new();
    world.sandbox.script(|_, context| {
        context.may_reboot().unwrap();
        Err(failure("no"))
    });
    let agent = world.start();
    world
        .until(|record| record.agent.status == AgentStatus::Error)
        .await;
    assert!(!world.controller.reboots(&machine()).wanted);
    agent.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reboot_at_once_keeps_nothing_of_its_hook_which_is_run_again_without_an_error() {
    let mut world = World::new();
    world.sandbox.script(|seen, _| match seen.hook.as_str() {
        "config-changed" => {
            std::fs::write(seen.state()?.join("file"), "x").unwrap();
            Err(HookFailure::Reboot)
        }
        _ => Ok(Effects::default()),
    });
    let agent = world.start();
    world.shows_rebooting().await;
    let record = world.record();
    let state = record.state.operation.unwrap();
    assert_eq!(state.step, OperationStep::Queued);
    assert_eq!(state.state_generation, 0, "its files are dropped");
    assert_eq!(record.commits.len(), 1, "that of install");
    assert!(world.controller.reboots(&machine()).wanted);
    // Killed before it is carried out, the next process finds all of that recorded.
    agent.killed();
    world.kill_process();
    world.sandbox.script(|_, _| Ok(Effects::default()));
    let heard = world.controller.count("RemoteState");
    let agent = world.start();
    let hears = |controller: &Controller| controller.count("RemoteState") > heard;
    tokio::time::timeout(LIMIT, world.controller.until(hears))
        .await
        .expect("it starts");
    assert_eq!(world.sandbox.hooks(), ["install", "config-changed"]);
    world.carry_out().await;
    agent.stop().await;
    let agent = world.start();
    world.settle().await;
    assert_eq!(
        world.sandbox.hooks(),
        ["install", "config-changed", "config-changed", "start"]
    );
    let failed = world
        .record()
        .runs
        .into_iter()
        .filter(|run| !run.code.is_empty());
    assert_eq!(failed.count(), 0);
    agent.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hook_that_asks_whenever_it_is_run_fails_after_some_reboots_and_can_be_resolved() {
    let mut world = World::new();
    world.retry.should_retry = false;
    world.sandbox.script(|seen, _| match seen.hook.as_str() {
        "config-changed" => Err(HookFailure::Reboot),
        _ => Ok(Effects::default()),
    });
    for asked in 1..=REBOOTS_NOW {
        let agent = world.start();
        world
            .until(|record| {
                let state = record.state.operation.clone().unwrap_or_default();
                state.reboots_now == asked && record.agent.status == AgentStatus::Rebooting
            })
            .await;
        world.carry_out().await;
        agent.stop().await;
    }
    let agent = world.start();
    world
        .until(|record| record.agent.status == AgentStatus::Error)
        .await;
    assert!(!world.controller.reboots(&machine()).wanted);
    let run = world.record().runs.pop().unwrap();
    assert_eq!(
        (run.hook.as_str(), run.code.as_str()),
        ("config-changed", "reboot")
    );
    assert!(run.message.contains("after 3 reboots"), "{}", run.message);
    world
        .controller
        .change(&unit(), |record| record.remote.resolved = Resolved::NoHooks);
    world.settle().await;
    assert_eq!(world.record().state.operation.unwrap().reboots_now, 0);
    agent.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_task_asks_for_no_reboot() {
    let world = World::new();
    world.add_charm(
        0,
        &["install", "config-changed", "start", "actions/rebuild"],
    );
    let agent = world.start();
    world.settle().await;
    world.sandbox.script(|_, context| {
        let refused = context.may_reboot().unwrap_err();
        assert_eq!(refused.code(), "denied");
        Ok(Effects::default())
    });
    let number = world
        .controller
        .enqueue(&unit(), TaskRecord::new("actions/rebuild"));
    world
        .until(|record| record.tasks[&number].status.has_ended())
        .await;
    assert_eq!(world.record().tasks[&number].message, "");
    assert!(!world.controller.reboots(&machine()).wanted);
    agent.stop().await;
}

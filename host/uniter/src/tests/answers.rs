//! What a person says about a failed hook, when a hook is run again of itself, and what is shown
//! of both.

use periapt_model::hook::Effects;
use periapt_model::status::{self, Status};
use periapt_model::turns::Lock;
use periapt_model::uniter::Resolved;
use periapt_wire::CallError;
use periapt_wire::rpc::code;

use super::*;
use crate::testing::failure;

/// Hooks of this name fail, all others succeed.
fn fail(world: &World, failing: &'static str) {
    world
        .sandbox
        .script(move |seen, _| match seen.hook == failing {
            true => Err(failure("no disk")),
            false => Ok(Effects::default()),
        });
}

fn broken() -> CallError {
    CallError::Refused {
        code: code::INTERNAL.to_owned(),
        message: "broken".to_owned(),
    }
}

fn runs(world: &World, hook: &str) -> usize {
    let hooks = world.sandbox.hooks();
    hooks.iter().filter(|other| *other == hook).count()
}

fn in_error(record: &UnitRecord) -> bool {
    record.agent.status == status::Agent::Error
}

/// A unit whose `config-changed` has failed once, with its retry timer set.
async fn failed() -> (World, Agent) {
    let world = World::new();
    let agent = world.start();
    world.settle().await;
    fail(&world, "config-changed");
    world.controller.set_title(&unit(), "bad");
    world.until(in_error).await;
    world.clock.wait_sleepers(2).await;
    (world, agent)
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_is_heard_while_the_retry_waits_for_the_machine() {
    let (world, agent) = failed().await;
    let other: UnitName = "other/0".parse().unwrap();
    world
        .controller
        .add_unit(&other, &machine(), "local:site-0");
    let turn = world
        .process
        .turns()
        .line_up(&other, Lock::Machine(machine()), "install");
    world.clock.advance(Duration::from_secs(6));
    // The retry is chosen and waits for the machine.
    while world.process.turns().report()[0].queue.is_empty() {
        tokio::task::yield_now().await;
    }
    assert!(in_error(&world.record()), "so it can still be answered");
    let before = runs(&world, "config-changed");
    world
        .controller
        .change(&unit(), |record| record.remote.resolved = Resolved::NoHooks);
    world.settle().await;
    assert_eq!(runs(&world, "config-changed"), before, "it did not run");
    assert_eq!(world.record().remote.resolved, Resolved::None);
    drop(turn);

    // The answer is used up: the next failure is a failure.
    world.controller.set_title(&unit(), "bad again");
    world.until(in_error).await;
    assert_eq!(runs(&world, "config-changed"), before + 1);
    agent.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_that_comes_as_a_retry_begins_keeps_it_from_running() {
    let (world, agent) = failed().await;
    world.controller.hold("BeginHook", true);
    world.clock.advance(Duration::from_secs(6));
    while world.process.turns().report()[0].holder.is_none() {
        tokio::task::yield_now().await;
    }
    world
        .controller
        .change(&unit(), |record| record.remote.resolved = Resolved::NoHooks);
    world.controller.hold("BeginHook", false);
    world.settle().await;
    assert_eq!(
        runs(&world, "config-changed"),
        2,
        "the first, and the failed one"
    );
    assert_eq!(world.record().remote.resolved, Resolved::None);
    agent.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_retry_that_wins_takes_the_answer_with_it() {
    let (world, agent) = failed().await;
    fail(&world, "none");
    world.controller.hold("BeginHook", true);
    world.clock.advance(Duration::from_secs(6));
    world.controller.change(&unit(), |record| {
        record.remote.resolved = Resolved::RetryHooks
    });
    world.controller.hold("BeginHook", false);
    world.settle().await;
    assert_eq!(world.record().remote.resolved, Resolved::None);
    agent.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn each_failing_hook_begins_its_own_series_of_retries() {
    let world = World::new();
    let agent = world.start();
    fail(&world, "config-changed");
    world.until(in_error).await;
    for _ in 0..3 {
        let before = runs(&world, "config-changed");
        world.clock.wait_sleepers(2).await;
        world.clock.advance(Duration::from_secs(60));
        world
            .until(|record| in_error(record) && runs(&world, "config-changed") > before)
            .await;
    }
    // Its next retry would be 40 s from now. A person mends it, and `start` fails at once.
    world.clock.wait_sleepers(2).await;
    fail(&world, "start");
    world.controller.change(&unit(), |record| {
        record.remote.resolved = Resolved::RetryHooks
    });
    world
        .until(|record| in_error(record) && record.agent.data["hook"] == "start")
        .await;
    let now = world.clock.shared().now().as_microsecond();
    let next = world.record().agent.data["next-retry"].clone();
    let next = periapt_model::time::parse(next.as_str().unwrap()).unwrap();
    assert!(
        (4_500_000..=5_500_000).contains(&(next - now)),
        "{next} {now}"
    );
    world.clock.wait_sleepers(2).await;
    world.clock.advance(Duration::from_secs(6));
    world.until(|_| runs(&world, "start") == 2).await;
    agent.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_restart_of_the_uniter_loses_neither_the_reason_nor_the_time_of_an_error() {
    let (world, agent) = failed().await;
    agent.stop().await;
    let told = |record: &UnitRecord| (record.agent.message.clone(), record.agent.data.clone());
    let before = told(&world.record());
    assert_eq!(before.1["reason"], "no disk");
    let again = world.start();
    world.clock.wait_sleepers(2).await;
    let (message, mut data) = told(&world.record());
    assert_eq!(message, before.0);
    data.insert("next-retry".to_owned(), before.1["next-retry"].clone());
    assert_eq!(data, before.1, "but for the time of the next retry");
    again.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_failed_leader_elected_is_skipped_by_a_unit_that_leads_no_more() {
    let world = World::new();
    fail(&world, "leader-elected");
    let agent = world.start();
    agent.lead();
    world
        .until(|record| in_error(record) && record.agent.data["hook"] == "leader-elected")
        .await;
    agent.standing.send_replace(Standing::Minion);
    world.settle().await;
    assert_eq!(
        world.sandbox.hooks(),
        ["install", "leader-elected", "config-changed", "start"]
    );
    agent.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_update_status_that_failed_shows_when_it_runs_again() {
    let world = World::new();
    let agent = world.start();
    world.settle().await;
    fail(&world, "update-status");
    world.pass(1, Duration::from_secs(400)).await;
    world.until(in_error).await;
    let (mut barrier, pass) = Barrier::new();
    world.sandbox.script(move |_, _| {
        pass();
        Ok(Effects::default())
    });
    world.clock.wait_sleepers(2).await;
    world.clock.advance(Duration::from_secs(6));
    barrier.entered().await;
    assert_eq!(world.record().agent.message, "running update-status hook");
    barrier.open();
    world.settle().await;
    agent.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_uniter_that_ends_by_an_error_of_its_own_shows_as_failed() {
    let world = World::new();
    let agent = world.start();
    world.settle().await;
    world.controller.refuse_next("RemoteState", broken());
    world.controller.set_title(&unit(), "other");
    world
        .until(|record| record.agent.status == status::Agent::Failed)
        .await;
    let shown = world.record().agent;
    assert_eq!(shown.message, "resolver loop error");
    assert!(shown.data["reason"].as_str().unwrap().contains("broken"));
    assert!(agent.worker.wait().await.is_err());
    let once_more = world.start();
    world
        .until(|record| record.agent == Status::new(status::Agent::Idle, ""))
        .await;
    once_more.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_principal_that_waits_for_its_subordinates_says_so() {
    let world = World::new();
    let agent = world.start();
    world.settle().await;
    world.controller.change(&unit(), |record| {
        record.subordinates = 1;
        record.remote.life = periapt_model::Life::Dying;
    });
    world
        .until(|record| record.agent.message.starts_with("waiting to leave: "))
        .await;
    let told = world.record().agent.message;
    assert!(told.contains("subordinates"), "{told}");
    world
        .controller
        .change(&unit(), |record| record.subordinates = 0);
    agent.terminated().await;
}

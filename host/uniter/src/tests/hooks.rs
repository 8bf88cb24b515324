//! Which hooks run, and in which order.

use periapt_engine::FortressError;
use periapt_model::Life;
use periapt_model::cause::Cause;
use periapt_model::hook::Effects;
use periapt_model::status::Workload;
use periapt_model::uniter::Causes;
use periapt_wire::agent::uniter::HookReport;

use super::*;

#[tokio::test(flavor = "multi_thread")]
async fn a_new_unit_runs_its_hooks_in_order_and_is_idle() {
    let world = World::new();
    let agent = world.start();
    world.settle().await;
    assert_eq!(
        world.sandbox.hooks(),
        ["install", "config-changed", "start"]
    );
    let record = world.record();
    assert_eq!(record.workload.status, Workload::Unknown);
    assert_eq!(record.charm_in_place.as_deref(), Some("local:site-0"));
    let seen = &world.sandbox.seen()[0];
    let variable = |name: &str| {
        seen.environment
            .iter()
            .find(|(key, _)| key == name)
            .map(|(_, value)| value.as_str())
    };
    assert_eq!(variable("JUJU_UNIT_NAME"), Some("site/0"));
    assert_eq!(variable("JUJU_HOOK_NAME"), Some("install"));
    assert_eq!(variable("JUJU_DISPATCH_PATH"), Some("hooks/install"));
    assert_eq!(variable("JUJU_MACHINE_ID"), Some("0"));
    assert_eq!(variable("JUJU_CHARM_DIR"), Some("/charm"));
    assert_eq!(variable("PATH"), None, "nothing is inherited");
    agent
        .guest
        .enter(&CancellationToken::new())
        .await
        .expect("the charm directory is open");
    agent.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn each_run_says_what_it_was_chosen_from() {
    let world = World::new();
    world.controller.change(&unit(), |record| {
        record.remote.causes = Causes {
            unit: Cause::Deed(1),
            config: Cause::Deed(2),
            ..Causes::default()
        };
    });
    let agent = world.start();
    world.settle().await;
    let causes = || -> Vec<Cause> {
        let runs = world.record().runs.into_iter();
        runs.map(|run| run.cause).collect()
    };
    // The first two tell the unit what there is because it came; the third follows from the second.
    let first = [Cause::Deed(1), Cause::Deed(1), Cause::Before];
    assert_eq!(causes(), first);
    world.controller.set_title(&unit(), "other");
    world
        .until(|record| is_idle(record) && record.runs.len() == 4)
        .await;
    assert_eq!(causes()[3], Cause::Deed(2));
    agent.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_leader_runs_leader_elected_between_install_and_config_changed() {
    let world = World::new();
    let agent = world.start();
    agent.lead();
    world.settle().await;
    assert_eq!(
        world.sandbox.hooks(),
        ["install", "leader-elected", "config-changed", "start"]
    );
    agent.standing.send_replace(Standing::Minion);
    world
        .until(|record| {
            !record
                .state
                .operation
                .as_ref()
                .is_some_and(|state| state.leader)
        })
        .await;
    agent.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn hooks_the_charm_lacks_succeed_without_a_sandbox() {
    let world = World::new();
    world.add_charm(0, &["start"]);
    let agent = world.start();
    world.settle().await;
    assert_eq!(world.sandbox.hooks(), ["start"]);
    assert_eq!(world.controller.count("BeginHook"), 0);
    assert_eq!(world.controller.count("CommitHook"), 2, "what is before it");
    assert_eq!(world.record().runs.len(), 1, "what did not run is no run");
    world.controller.set_title(&unit(), "unseen");
    let hash = world.record().remote.config_hash;
    world
        .until(|record| {
            record
                .state
                .operation
                .as_ref()
                .unwrap()
                .config_hash
                .as_ref()
                == Some(&hash)
        })
        .await;
    agent.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hook_costs_one_call() {
    let world = World::new();
    let agent = world.start();
    world.settle().await;
    let before = world.controller.calls().len();
    world.controller.set_title(&unit(), "other");
    world
        .until(|record| is_idle(record) && record.runs.len() == 4)
        .await;
    let calls = world.controller.calls();
    assert_eq!(
        calls[before..],
        ["RemoteState", "CommitHook"],
        "it also says that the unit is idle"
    );
    let logs = world.controller.logs();
    let ran = logs.iter().filter(|line| line.message.starts_with("ran "));
    assert_eq!(ran.count(), 4, "and what is logged of it: {logs:?}");
    let runs = world.record().runs;
    let used = |run: &HookReport| run.usage.is_some_and(|usage| usage.memory_bytes > 0);
    assert!(runs.iter().all(used), "and what it used: {runs:?}");
    agent.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hook_that_lasts_is_shown_and_its_commit_comes_after_that() {
    let world = World::new();
    let (agent, barrier) = world.start_into_a_hook().await;
    assert_eq!(
        world.controller.count("BeginHook"),
        0,
        "it may be over soon"
    );
    world.pass(2, Duration::from_millis(99)).await;
    tokio::time::sleep(Duration::from_millis(20)).await;
    assert_eq!(world.controller.count("BeginHook"), 0);
    world.controller.hold("BeginHook", true);
    world.clock.advance(Duration::from_millis(1));
    while world.controller.held_up("BeginHook") == 0 {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    world.sandbox.script(|_, _| Ok(Effects::default()));
    barrier.open();
    tokio::time::sleep(Duration::from_millis(20)).await;
    assert_eq!(
        world.controller.count("CommitHook"),
        0,
        "it would be too early"
    );
    world.controller.hold("BeginHook", false);
    world.settle().await;
    let calls = world.controller.calls();
    let hooks = calls.iter().filter(|call| call.ends_with("Hook"));
    let expected = ["BeginHook", "CommitHook", "CommitHook", "CommitHook"];
    assert_eq!(hooks.collect::<Vec<_>>(), expected);
    let lasted = &world.record().writes[1];
    assert_eq!(lasted.failed_hook().unwrap().name(), "install");
    agent.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn twenty_config_changes_during_one_hook_give_one_config_changed() {
    let world = World::new();
    let agent = world.start();
    world.settle().await;
    let (mut barrier, pass) = Barrier::new();
    world.sandbox.script(move |seen, _| {
        if seen.config == "title=first" {
            pass();
        }
        Ok(Effects::default())
    });
    world.controller.set_title(&unit(), "first");
    barrier.entered().await;
    for change in 0..20 {
        world.controller.set_title(&unit(), &change.to_string());
    }
    barrier.open();
    let last = world.record().remote.config_hash;
    world
        .until(|record| {
            is_idle(record)
                && record
                    .state
                    .operation
                    .as_ref()
                    .unwrap()
                    .config_hash
                    .as_ref()
                    == Some(&last)
        })
        .await;
    let seen: Vec<String> = world
        .sandbox
        .seen()
        .into_iter()
        .skip(3)
        .map(|seen| seen.config)
        .collect();
    assert_eq!(seen, ["title=first", "title=19"]);
    agent.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_dying_unit_stops_removes_and_ends_its_agent() {
    let world = World::new();
    let agent = world.start();
    world.settle().await;
    world.controller.change(&unit(), |record| {
        record.remote.life = Life::Dying;
        record.subordinates = 1;
    });
    world
        .until(|record| record.workload.status == Workload::Terminated)
        .await;
    world
        .until(|_| world.controller.count("EnsureDead") >= 1)
        .await;
    assert!(
        matches!(
            tokio::time::timeout(
                Duration::from_millis(50),
                agent.guest.enter(&CancellationToken::new())
            )
            .await,
            Err(_) | Ok(Err(FortressError::Shutdown))
        ),
        "nobody runs the charm any more"
    );
    world
        .controller
        .change(&unit(), |record| record.subordinates = 0);
    agent.terminated().await;
    assert_eq!(
        world.sandbox.hooks(),
        ["install", "config-changed", "start", "stop", "remove"]
    );
    assert_eq!(world.record().remote.life, Life::Dead);
    assert!(!world.process.unit_directory(&unit()).exists());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_unit_that_is_gone_ends_its_agent() {
    let world = World::new();
    let nobody: UnitName = "site/7".parse().unwrap();
    world.start_unit(&nobody).terminated().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn update_status_runs_by_its_timer_and_is_not_shown() {
    let world = World::new();
    let agent = world.start();
    world.settle().await;
    world.pass(1, Duration::from_secs(361)).await;
    world
        .until(|_| {
            world
                .sandbox
                .hooks()
                .last()
                .is_some_and(|hook| hook == "update-status")
        })
        .await;
    // The hook may still be on its way to its commit, which nobody is shown.
    while world.clock.sleepers() != 1 {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    agent.interval.send_replace(Duration::ZERO);
    while world.clock.sleepers() > 0 {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    agent.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn hooks_on_one_machine_run_one_at_a_time() {
    let world = World::new();
    let running = Arc::new(std::sync::atomic::AtomicU32::new(0));
    world.sandbox.script(move |_, _| {
        assert_eq!(
            running.fetch_add(1, Ordering::SeqCst),
            0,
            "alone on its machine"
        );
        std::thread::sleep(Duration::from_millis(3));
        running.fetch_sub(1, Ordering::SeqCst);
        Ok(Effects::default())
    });
    let others: Vec<UnitName> = (1..6)
        .map(|number| format!("site/{number}").parse().unwrap())
        .collect();
    let mut agents = vec![world.start()];
    for other in &others {
        world.controller.add_unit(other, &machine(), "local:site-0");
        agents.push(world.start_unit(other));
    }
    for other in &others {
        tokio::time::timeout(LIMIT, world.controller.until_unit(other, is_idle))
            .await
            .expect("comes to rest");
    }
    assert_eq!(
        world.controller.count("blob"),
        1,
        "the charm was fetched once"
    );
    for agent in &agents {
        agent.stop().await;
    }
}

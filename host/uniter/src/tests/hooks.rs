//! Which hooks run, in which order, and what becomes of what they ask for.

use std::collections::BTreeMap;
use std::fs;

use periapt_client::CallError;
use periapt_engine::FortressError;
use periapt_model::hook::Effects;
use periapt_model::status::Workload;
use periapt_model::uniter::Resolved;
use periapt_model::{Life, status};
use periapt_wire::rpc::code;

use super::*;
use crate::testing::failure;

fn set(key: &str, value: &str) -> Effects {
    let state = BTreeMap::from([(key.to_owned(), Some(value.to_owned()))]);
    Effects {
        state,
        ..Effects::default()
    }
}

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
    assert_eq!(world.controller.count("BeginHook"), 1);
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
async fn a_failing_hook_is_retried_and_leaves_nothing_behind() {
    let world = World::new();
    world.sandbox.script(|seen, context| {
        context.set_workload_version("1.0").unwrap();
        fs::write(seen.state.join("half"), "done").unwrap();
        Err(failure("no disk"))
    });
    let agent = world.start();
    world
        .until(|record| record.agent.status == status::Agent::Error)
        .await;
    let record = world.record();
    assert_eq!(record.agent.message, "hook failed: \"install\"");
    assert_eq!(record.agent.data["hook"], "install");
    assert_eq!(record.agent.data["reason"], "no disk");
    assert_eq!(record.version, "1.0", "what takes effect at once stays");
    assert_eq!(
        (
            record.commits.len(),
            record.state.operation.unwrap().state_generation
        ),
        (0, 0)
    );

    world.pass(2, Duration::from_secs(6)).await;
    world.until(|_| world.sandbox.hooks().len() == 2).await;
    world.sandbox.script(|seen, _| {
        assert!(!seen.state.join("half").exists(), "the retry begins afresh");
        Ok(Effects::default())
    });
    // The second wait is twice the first.
    world.pass(2, Duration::from_secs(6)).await;
    tokio::task::yield_now().await;
    assert_eq!(world.sandbox.hooks().len(), 2);
    world.clock.advance(Duration::from_secs(6));
    world.settle().await;
    assert_eq!(
        world.sandbox.hooks(),
        ["install", "install", "install", "config-changed", "start"]
    );
    agent.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn every_run_is_reported_with_what_it_changed_or_why_it_failed() {
    let world = World::new();
    world.sandbox.script(|seen, context| {
        context.set_unit_status(Workload::Active, "one").unwrap();
        context.set_unit_status(Workload::Active, "two").unwrap();
        if seen.hook == "start" {
            return Err(failure("no disk"));
        }
        fs::write(seen.state.join("file"), &seen.hook).unwrap();
        Ok(Effects {
            open_ports: vec!["80/tcp".parse().unwrap()],
            ..set("counter", "1")
        })
    });
    let agent = world.start();
    world
        .until(|record| record.agent.status == status::Agent::Error)
        .await;
    let runs = world.record().runs;
    let hooks: Vec<(&str, &str)> = runs
        .iter()
        .map(|run| (run.hook.as_str(), run.code.as_str()))
        .collect();
    assert_eq!(
        hooks,
        [
            ("install", ""),
            ("config-changed", ""),
            ("start", runs[2].code.as_str())
        ]
    );
    assert!(!runs[2].code.is_empty());
    assert_eq!(runs[2].message, "no disk");
    assert_eq!(
        runs[2].effects,
        ["status to active"],
        "what takes effect at once stays"
    );
    assert_eq!(
        runs[0].effects,
        [
            "status to active",
            "opened 80/tcp",
            "state counter",
            "files of its state directory"
        ]
    );
    assert!(runs.iter().all(|run| run.charm == "local:site-0"));
    agent.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hook_costs_two_calls_and_the_guest_waits_for_the_first() {
    let world = World::new();
    let agent = world.start();
    world.settle().await;
    let before = world.controller.calls().len();
    world.controller.hold("BeginHook", true);
    world.controller.set_title(&unit(), "held");
    tokio::time::sleep(Duration::from_millis(50)).await;
    assert_eq!(world.sandbox.hooks().len(), 3, "nothing is recorded yet");
    world.controller.hold("BeginHook", false);
    world
        .until(|record| is_idle(record) && record.runs.len() == 4)
        .await;
    let calls = world.controller.calls();
    assert_eq!(
        calls[before..],
        ["RemoteState", "BeginHook", "CommitHook"],
        "the last one also says that the unit is idle"
    );
    agent.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_person_can_skip_or_retry_a_failed_hook() {
    let world = World::new();
    world.sandbox.script(|seen, _| {
        if seen.hook == "start" {
            Err(failure("no"))
        } else {
            Ok(Effects::default())
        }
    });
    let agent = world.start();
    world
        .until(|record| record.agent.status == status::Agent::Error)
        .await;
    world.controller.change(&unit(), |record| {
        record.remote.resolved = Resolved::RetryHooks
    });
    world
        .until(|_| {
            world
                .sandbox
                .hooks()
                .iter()
                .filter(|hook| *hook == "start")
                .count()
                == 2
        })
        .await;
    world
        .until(|record| record.remote.resolved == Resolved::None)
        .await;
    world
        .controller
        .change(&unit(), |record| record.remote.resolved = Resolved::NoHooks);
    world.settle().await;
    assert_eq!(
        world.sandbox.hooks(),
        ["install", "config-changed", "start", "start"]
    );
    assert_eq!(world.record().remote.resolved, Resolved::None);
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
async fn a_refresh_puts_the_new_charm_in_place() {
    let world = World::new();
    let agent = world.start();
    world.settle().await;
    world.add_charm(1, ALL_HOOKS);
    world.controller.change(&unit(), |record| {
        record.remote.charm_url = "local:site-1".to_owned();
        record.remote.charm_modified_version = 1;
    });
    world
        .until(|record| is_idle(record) && record.charm_in_place.as_deref() == Some("local:site-1"))
        .await;
    let seen: Vec<(String, String)> = world
        .sandbox
        .seen()
        .into_iter()
        .skip(3)
        .map(|seen| (seen.hook, seen.charm))
        .collect();
    let new = |hook: &str| (hook.to_owned(), "local:site-1".to_owned());
    assert_eq!(seen, [new("upgrade-charm"), new("config-changed")]);
    agent.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_charm_that_is_not_what_it_should_be_waits_for_another_one() {
    let world = World::new();
    let agent = world.start();
    world.settle().await;
    world.add_charm(1, ALL_HOOKS);
    let digest = charm_info(
        &archive("site", "1"),
        &CharmUrl::new("site", 1).unwrap(),
        &[],
    )
    .unwrap()
    .sha256;
    world
        .controller
        .add_blob(&digest, archive("site", "forged"));
    world.controller.change(&unit(), |record| {
        record.remote.charm_url = "local:site-1".to_owned()
    });
    world
        .until(|record| record.agent.message == "upgrade failed")
        .await;
    world.add_charm(2, ALL_HOOKS);
    world.controller.change(&unit(), |record| {
        record.remote.charm_url = "local:site-2".to_owned();
        record.remote.force_charm_upgrade = true;
    });
    world
        .until(|record| is_idle(record) && record.charm_in_place.as_deref() == Some("local:site-2"))
        .await;
    agent.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn effects_are_committed_with_the_hook_and_files_with_them() {
    let world = World::new();
    world.sandbox.script(|seen, context| {
        if seen.hook == "start" {
            assert_eq!(context.state().unwrap()["from"], "install");
            assert_eq!(
                fs::read_to_string(seen.state.join("file")).unwrap(),
                "install"
            );
        }
        fs::write(seen.state.join("file"), &seen.hook).unwrap();
        Ok(set(
            "from",
            if seen.hook == "start" {
                "start"
            } else {
                "install"
            },
        ))
    });
    let agent = world.start();
    world.sandbox.script({
        let install = "install";
        move |seen, context| {
            if seen.hook != install {
                assert_eq!(context.state().unwrap()["from"], install);
                assert_eq!(
                    fs::read_to_string(seen.state.join("file")).unwrap(),
                    install
                );
                return Ok(Effects::default());
            }
            fs::write(seen.state.join("file"), install).unwrap();
            Ok(set("from", install))
        }
    });
    world.settle().await;
    let record = world.record();
    assert_eq!(record.state.charm_state["from"], "install");
    let generation = record.state.operation.unwrap().state_generation;
    let state = world.process.unit_directory(&unit()).join("state");
    let names: Vec<_> = fs::read_dir(&state)
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    assert_eq!(
        names,
        [generation.to_string().as_str()],
        "one generation stays"
    );
    agent.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refused_commit_is_a_failed_hook() {
    let world = World::new();
    let refused = CallError::Refused {
        code: code::LEASE_DENIED.to_owned(),
        message: "another unit leads".to_owned(),
    };
    world.controller.refuse_next("CommitHook", refused);
    world.sandbox.script(|seen, _| {
        fs::write(seen.state.join("file"), "x").unwrap();
        Ok(set("key", "value"))
    });
    let agent = world.start();
    world
        .until(|record| record.agent.status == status::Agent::Error)
        .await;
    let record = world.record();
    assert_eq!(
        record.agent.data["reason"],
        "its changes were refused: another unit leads"
    );
    assert!(record.state.charm_state.is_empty());
    let run = record.runs.last().unwrap();
    assert_eq!(
        (run.code.as_str(), run.effects.len()),
        ("commit-refused", 0)
    );
    assert!(
        !world
            .process
            .unit_directory(&unit())
            .join("state/1")
            .exists()
    );
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
    world.settle().await;
    assert_eq!(world.clock.sleepers(), 1, "an idle unit has one timer");
    agent.interval.send_replace(Duration::ZERO);
    while world.clock.sleepers() > 0 {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    agent.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_charm_may_do_as_leader_only_what_it_may() {
    let world = World::new();
    world.sandbox.script(|seen, context| {
        if seen.hook == "start" {
            assert!(!context.is_leader().unwrap());
            context.set_unit_status(Workload::Active, "up").unwrap();
            assert_eq!(context.unit_status().unwrap().message, "up");
            assert_eq!(
                context
                    .set_application_status(Workload::Active, "")
                    .unwrap_err()
                    .code(),
                "denied"
            );
            assert!(context.knows_option("title") && !context.knows_option("colour"));
            assert_eq!(context.public_address().unwrap_err().code(), "not-found");
        }
        Ok(Effects::default())
    });
    let agent = world.start();
    world.settle().await;
    let record = world.record();
    assert_eq!(
        (record.workload.status, record.workload.message.as_str()),
        (Workload::Active, "up")
    );
    assert!(record.state.operation.unwrap().status_set);
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

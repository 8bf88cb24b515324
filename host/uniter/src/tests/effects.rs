//! What becomes of what a hook asks for and writes.

use std::fs;

use periapt_model::hook::Effects;
use periapt_model::ports::{Changes, PortRange};
use periapt_model::status::{self, Workload};
use periapt_sandbox::HookContext;
use periapt_wire::CallError;
use periapt_wire::rpc::code;

use super::*;
use crate::leadership::{GUARANTEE, LEASE};
use crate::testing::{Seen, failure};

fn set(key: &str, value: &str) -> Effects {
    Effects {
        state: [(key.to_owned(), Some(value.to_owned()))].into(),
        ..Effects::default()
    }
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
        fs::write(seen.state()?.join("file"), &seen.hook).unwrap();
        Ok(Effects {
            ports: Changes {
                open: vec!["80/tcp".parse::<PortRange>().unwrap().into()],
                close: Vec::new(),
            },
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
async fn effects_are_committed_with_the_hook_and_files_with_them() {
    let world = World::new();
    world.sandbox.script(|seen, context| {
        if seen.hook == "start" {
            assert_eq!(context.state().unwrap()["from"], "install");
            assert_eq!(
                fs::read_to_string(seen.state()?.join("file")).unwrap(),
                "install"
            );
        }
        fs::write(seen.state()?.join("file"), &seen.hook).unwrap();
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
                    fs::read_to_string(seen.state()?.join("file")).unwrap(),
                    install
                );
                return Ok(Effects::default());
            }
            fs::write(seen.state()?.join("file"), install).unwrap();
            Ok(set("from", install))
        }
    });
    world.settle().await;
    let record = world.record();
    assert_eq!(record.state.charm_state["from"], "install");
    let generation = record.state.operation.unwrap().state_generation;
    let state = world.process.unit_directory(&unit()).join("state");
    let mut names: Vec<u64> = fs::read_dir(&state)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .map(|name| name.parse().expect("a generation"))
        .collect();
    names.sort_unstable();
    assert_eq!(names.last(), Some(&generation), "{names:?}");
    assert!(names.len() <= 3, "only the last ones stay: {names:?}");
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
        fs::write(seen.state()?.join("file"), "x").unwrap();
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

const AT_ONCE: [&str; 3] = [
    "SetUnitStatus",
    "SetApplicationStatus",
    "SetWorkloadVersion",
];

/// How often each was called.
fn sent(world: &World) -> [usize; 3] {
    AT_ONCE.map(|method| world.controller.count(method))
}

/// Has a hook run, and waits until it has.
async fn run_one(world: &World, title: &str) {
    let runs = world.record().runs.len();
    world.controller.set_title(&unit(), title);
    let ran = |record: &UnitRecord| is_idle(record) && record.runs.len() > runs;
    world.until(ran).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_said_already_is_not_sent_again_and_every_change_is() {
    let world = World::new();
    world.controller.set_leader("site", Some(unit()));
    let says = |status: Workload, message: &'static str, version: &'static str| {
        world.sandbox.script(move |_, context| {
            context.set_unit_status(status, message).unwrap();
            context.set_application_status(status, message).unwrap();
            context.set_workload_version(version).unwrap();
            Ok(Effects::default())
        });
    };
    says(Workload::Active, "up", "1.0");
    let agent = world.start();
    agent.lead();
    world.settle().await;
    run_one(&world, "leading").await;

    let before = world.controller.calls().len();
    run_one(&world, "the same").await;
    assert_eq!(
        world.controller.calls()[before..],
        ["RemoteState", "CommitHook"]
    );
    assert_eq!(world.record().runs.last().unwrap().effects.len(), 0);

    let mut before = sent(&world);
    let mut added = || {
        let now = sent(&world);
        let added = [0, 1, 2].map(|call| now[call] - before[call]);
        before = now;
        added
    };
    says(Workload::Active, "up again", "1.1");
    run_one(&world, "others").await;
    assert_eq!(added(), [1, 1, 1]);
    says(Workload::Active, "up", "1.0");
    run_one(&world, "and back").await;
    assert_eq!(added(), [1, 1, 1]);
    let back_and_forth = |_: &Seen, context: &mut dyn HookContext| {
        for (message, version) in [("down", "2.0"), ("up", "1.0"), ("up", "1.0")] {
            context.set_unit_status(Workload::Active, message).unwrap();
            context
                .set_application_status(Workload::Active, message)
                .unwrap();
            context.set_workload_version(version).unwrap();
        }
        Ok(Effects::default())
    };
    world.sandbox.script(back_and_forth);
    run_one(&world, "within one hook").await;
    assert_eq!(added(), [2, 2, 2]);

    says(Workload::Active, "up", "1.0");
    world.controller.change(&unit(), |record| {
        record.workload = status::Status::new(Workload::Blocked, "up");
        record.application = record.workload.clone();
        record.version = "0.9".to_owned();
    });
    run_one(&world, "what others changed").await;
    assert_eq!(added(), [1, 1, 1]);
    world
        .clock
        .advance(LEASE - GUARANTEE + Duration::from_secs(1));
    run_one(&world, "when it may lead no more").await;
    assert_eq!(added(), [0, 1, 0]);
    agent.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_status_that_was_there_already_counts_as_the_charms_own() {
    let world = World::new();
    world.sandbox.script(|seen, context| {
        if seen.hook == "start" {
            let there = context.unit_status().unwrap();
            context
                .set_unit_status(there.status, &there.message)
                .unwrap();
        }
        Ok(Effects::default())
    });
    let agent = world.start();
    world.settle().await;
    let record = world.record();
    assert_eq!(sent(&world)[0], 0);
    assert!(record.state.operation.unwrap().status_set);
    assert_eq!(record.workload.message, "installing charm software");
    agent.stop().await;
}

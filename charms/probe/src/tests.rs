use std::collections::BTreeMap;
use std::fs;

use periapt_charm::testing::{Harness, Outcome};
use periapt_charm::{PortRange, Status, StatusKind};

use super::*;

#[test]
fn hooks_without_a_line_succeed_and_are_listed() {
    let mut harness = Harness::<Probe>::new();
    harness.run(Hook::Install).expect("succeeds");
    harness.run(Hook::Start).expect("succeeds");
    assert_eq!(
        harness.state::<Vec<String>>(HOOKS_KEY).expect("is there"),
        ["install", "start"]
    );
}

#[test]
fn a_hook_fails_as_often_as_told() {
    let mut harness = Harness::<Probe>::new();
    harness.set_config(
        "script",
        "install: append before\ninstall: fail 2\ninstall: port open 80/tcp",
    );
    for attempt in 1..=2 {
        let error = harness.run(Hook::Install).expect_err("fails");
        assert_eq!(
            error.to_string(),
            format!("told to fail: attempt {attempt} of 2")
        );
        assert!(!harness.state_dir().join("journal").exists());
    }
    harness.run(Hook::Install).expect("succeeds the third time");
    assert_eq!(
        harness.status(),
        Status::new(StatusKind::Maintenance, "install: attempt 3")
    );
    assert_eq!(harness.ports(), [PortRange::tcp(80)]);
    assert_eq!(
        fs::read_to_string(harness.state_dir().join("journal")).expect("is there"),
        "before\n"
    );
}

#[test]
fn sizes_are_as_told() {
    let mut harness = Harness::<Probe>::new();
    harness.set_config("script", "start: write 100_000\nstart: state-size 130000\nstart: log 5\nstart: allocate 3000000\nstart: hostcalls 10");
    harness.run(Hook::Start).expect("succeeds");
    assert_eq!(
        fs::metadata(harness.state_dir().join("filled"))
            .expect("is there")
            .len(),
        100_000
    );
    assert_eq!(
        harness.state::<String>("fill-2").expect("is there").len(),
        10_000
    );
    assert_eq!(harness.log().len(), 6);
    harness.set_config("script", "start: state-value 70000");
    assert!(harness.run(Hook::Start).is_err());
}

#[test]
fn a_script_with_a_fault_fails_the_hook_and_names_it() {
    let mut harness = Harness::<Probe>::new();
    let error = harness
        .set_config("script", "install: dance")
        .run(Hook::Start)
        .expect_err("fails");
    assert!(error.to_string().contains("dance"));
}

#[test]
fn hooks_of_relations_are_listed_with_who_they_are_about() {
    let mut harness = Harness::<Probe>::new();
    harness.set_config(
        "script",
        "upstream-relation-created: relation-set colour dark red\n\
         upstream-relation-changed: relation-get\n\
         start: relation-set size 3 in upstream\n\
         leader-elected: relation-set-app led by me in upstream\n\
         leader-elected: leader-set term 1\n\
         leader-elected: leader-get\n\
         stop: relation-set a b",
    );
    let id = harness.add_relation("upstream", "up").expect("creates");
    harness.set_settings(&id, "up/0", &[("greeting", "hi")]);
    harness.join(&id, "up/0").expect("joins");
    harness.elect().expect("leads");
    harness.run(Hook::Start).expect("starts");
    harness.depart(&id, "up/0").expect("departs");
    harness.break_relation(&id).expect("breaks");
    assert_eq!(
        harness.state::<Vec<String>>(EVENTS_KEY).expect("is there"),
        [
            "upstream-relation-created upstream:0 up",
            "upstream-relation-joined upstream:0 up/0",
            "upstream-relation-changed upstream:0 up/0",
            "leader-elected",
            "start",
            "upstream-relation-departed upstream:0 up/0",
            "upstream-relation-broken upstream:0 up",
        ]
    );
    let hooks: Vec<String> = harness.state(HOOKS_KEY).expect("is there");
    assert_eq!(hooks[1], "upstream-relation-joined");
    type Bags = BTreeMap<String, BTreeMap<String, BTreeMap<String, String>>>;
    let bags: Bags = harness.state("bags").expect("is there");
    assert_eq!(bags[&id]["up/0"]["greeting"], "hi");
    assert_eq!(bags[&id]["test/0"]["colour"], "dark red");
    assert_eq!(harness.leader_settings()["term"], "1");
    assert!(harness.run(Hook::Stop).is_err(), "which relation?");
}

#[test]
fn what_is_published_is_there_for_the_others() {
    let mut harness = Harness::<Probe>::new();
    let id = harness.add_relation("ring", "test").expect("creates");
    harness.set_config(
        "script",
        "start: relation-set size 3 in ring\nstart: relation-set-app led yes in ring\n\
         start: goal-state\nstart: network-get ring\nstart: is-leader",
    );
    harness.run(Hook::Start).expect_err("is not the leader");
    assert!(!harness.settings(&id, "test/0").contains_key("size"));
    harness.set_leader(true).run(Hook::Start).expect("may");
    assert_eq!(harness.settings(&id, "test/0")["size"], "3");
    assert_eq!(harness.settings(&id, "test")["led"], "yes");
    assert_eq!(harness.state::<bool>("is-leader"), Some(true));
}

#[test]
fn shared_directories_are_written_and_read() {
    let mut harness = Harness::<Probe>::new();
    harness.set_config(
        "script",
        "start: shared-write logs a.log some text\nstart: shared-read logs a.log",
    );
    let shared = harness.add_shared("logs");
    harness.run(Hook::Start).expect("succeeds");
    assert_eq!(
        fs::read_to_string(shared.join("a.log")).expect("is there"),
        "some text\n"
    );
    assert_eq!(
        harness.state::<String>("shared").as_deref(),
        Some("some text")
    );
}

#[test]
fn what_a_path_leads_to_is_told() {
    let mut harness = Harness::<Probe>::new();
    let shared = harness.add_shared("logs");
    let secret = harness.state_dir().join("secret");
    fs::write(&secret, "x").expect("writes");
    let script = |words: &str| format!("start: plant logs {}\nstart: {words}", secret.display());
    let planted = shared.join("planted-0").display().to_string();
    harness.set_config("script", script(&format!("follow {planted}")).as_str());
    harness.run(Hook::Start).expect("succeeds");
    let said = harness.status().message;
    assert!(said.contains(&format!("read {planted}")), "{said}");
    assert_eq!(fs::read_to_string(&secret).expect("is there"), "reached");
    harness.set_config("script", "start: reach /nowhere/at/all /nowhere/else");
    harness.run(Hook::Start).expect("succeeds");
    assert_eq!(harness.status(), Status::active("reach: nothing reached"));
}

#[test]
fn a_reboot_is_asked_for_with_the_commit_or_ends_the_hook() {
    let mut harness = Harness::<Probe>::new();
    harness.set_config(
        "script",
        "config-changed: reboot\nstart: reboot\nstart: fail",
    );
    harness.run(Hook::ConfigChanged).expect("succeeds");
    harness.run(Hook::Start).expect_err("fails");
    assert_eq!(harness.reboots(), 1, "a failed hook asks for nothing");
    harness.set_config("script", "start: reboot-now");
    assert_eq!(harness.run(Hook::Start).expect("ends"), Outcome::Rebooted);
    let hooks = harness.state::<Vec<String>>(HOOKS_KEY).expect("hooks");
    assert_eq!(hooks, ["config-changed"], "nothing of it is committed");
    assert_eq!(harness.run(Hook::Start).expect("again"), Outcome::Ran);
    assert_eq!(harness.status(), Status::active("rebooted at once"));
    assert_eq!(harness.reboots(), 2);
}

#[test]
fn storage_is_written_read_and_told_of() {
    let mut harness = Harness::<Probe>::new();
    harness.declare_storage("data", Some(3));
    harness.set_config("script", "data-storage-attached: status active has it");
    let data = harness.add_storage("data");
    harness.attach_storage(&data).expect("attaches");
    assert_eq!(harness.status(), Status::active("has it"));
    let write = ["data/0", "note", "some", "text"];
    let written = harness.run_command("storage-write", &write).expect("runs");
    assert_eq!(written.return_code, 0);
    let note = harness.storage_dir(&data).join("note");
    assert_eq!(fs::read_to_string(note).expect("is there"), "some text\n");
    for (command, arguments) in [
        ("storage-ids", &[][..]),
        ("storage-ids", &["data"][..]),
        ("storage-get", &["data/0"][..]),
        ("storage-read", &["data/0", "note"][..]),
        ("storage-add", &["data", "2"][..]),
    ] {
        let ended = harness.run_command(command, arguments).expect(command);
        assert_eq!(ended.return_code, 0, "{command}");
    }
    assert_eq!(harness.waiting_storage(), ["data/1", "data/2"]);
    for (command, arguments) in [
        ("storage-get", &[][..]),
        ("storage-ids", &["dat"][..]),
        ("storage-read", &["data/7", "note"][..]),
        ("storage-add", &["data", "1"][..]),
        ("storage-add", &["data"][..]),
    ] {
        harness.run_command(command, arguments).expect_err(command);
    }
    harness.detach_storage(&data).expect("detaches");
    assert_eq!(
        harness.state::<Vec<String>>(EVENTS_KEY).expect("is there"),
        [
            "data-storage-attached data/0",
            "data-storage-detaching data/0"
        ]
    );
}

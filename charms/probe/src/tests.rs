use std::fs;

use periapt_charm::testing::Harness;
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

use periapt_charm::Hook;
use periapt_charm::testing::{Harness, check_actions_yaml, json};

use super::*;

#[test]
fn a_hook_that_fails_leaves_the_plan_and_the_ports_of_before() {
    let mut harness = Harness::<Unruly>::new();
    harness.add_container(CONTAINER, &["80/tcp", "8080/tcp"], &["server.wasm"]);
    harness
        .set_config("page", "one")
        .set_config("port", 80)
        .set_config("ends", "well");
    harness.run(Hook::ConfigChanged).expect("succeeds");
    let plan = harness.plan(CONTAINER);
    assert_eq!(plan["services"][CONTAINER]["port"], 80);
    harness
        .set_config("page", "two")
        .set_config("port", 8080)
        .set_config("ends", "fails");
    harness.run(Hook::ConfigChanged).expect_err("fails");
    assert_eq!(harness.plan(CONTAINER), plan);
    assert_eq!(harness.ports(), [PortRange::tcp(80)]);
    let page = harness.state_dir().join("page/index.html");
    assert_eq!(fs::read_to_string(page).expect("there"), "one");
}

#[test]
fn actions_yaml_says_what_the_code_says() {
    check_actions_yaml::<Unruly>("actions.yaml");
}

#[test]
fn a_flood_of_lines_is_stopped_and_the_action_goes_on() {
    let mut harness = Harness::<Unruly>::new();
    let answer = harness.run_action("flood", json!({})).expect("ends");
    assert_eq!(answer.results, json!({"lines": answer.log.len()}));
    assert!(answer.log.len() >= 100);
}

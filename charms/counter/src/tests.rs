use periapt_charm::testing::Harness;
use periapt_charm::{Hook, StatusKind};

use super::*;

fn counter() -> Harness<Counter> {
    let mut harness = Harness::new();
    harness.add_container(CONTAINER, &["80/tcp"], &["server.wasm"]);
    harness.set_config("start", 10).set_config("greeting", "Hi");
    harness
}

fn shown(harness: &Harness<Counter>) -> (String, Count) {
    let folder = harness.state_dir().join("counter");
    let greeting = fs::read_to_string(folder.join("greeting.txt")).expect("is there");
    let count = fs::read(folder.join("count.json")).expect("is there");
    (greeting, serde_json::from_slice(&count).expect("is JSON"))
}

#[test]
fn each_hook_counts_and_is_shown() {
    let mut harness = counter();
    for hook in [Hook::ConfigChanged, Hook::Start, Hook::UpdateStatus] {
        harness.run(hook).expect("succeeds");
    }
    let (greeting, count) = shown(&harness);
    assert_eq!((greeting.as_str(), count.count, count.hooks), ("Hi", 13, 3));
    assert_eq!(harness.status(), Status::active("counted 13"));
    assert_eq!(harness.plan(CONTAINER)["services"]["web"]["port"], PORT);
    assert_eq!(harness.ports(), [PortRange::tcp(PORT)]);
}

#[test]
fn without_a_greeting_it_says_what_to_do_and_keeps_what_it_showed() {
    let mut harness = counter();
    harness.run(Hook::ConfigChanged).expect("succeeds");
    harness.set_config("greeting", " ");
    harness.run(Hook::ConfigChanged).expect("does not fail");
    assert_eq!(harness.status().kind, StatusKind::Blocked);
    assert_eq!(shown(&harness).1.count, 11);
    harness.set_config("greeting", "Hi");
    harness.run(Hook::ConfigChanged).expect("succeeds");
    assert_eq!(shown(&harness).1.count, 13);
}

#[test]
fn what_is_shown_is_measured() {
    let mut harness = counter();
    harness
        .add_metric("count", "gauge")
        .add_metric("hooks", "gauge");
    harness.run(Hook::CollectMetrics).expect("succeeds");
    assert!(harness.metrics().is_empty(), "there is nothing yet");
    harness.run(Hook::ConfigChanged).expect("succeeds");
    harness.run(Hook::CollectMetrics).expect("succeeds");
    let metrics = harness.metrics().into_iter();
    let values: Vec<(String, f64)> = metrics.map(|one| (one.name, one.value)).collect();
    assert_eq!(
        values,
        [("count".to_owned(), 11.0), ("hooks".to_owned(), 1.0)]
    );
}

#[test]
fn a_unit_above_its_quota_says_so_in_the_log() {
    let mut harness = counter();
    let info = "more than 10 requests in a minute";
    for (color, info) in [(MeterColor::Red, info), (MeterColor::Green, "")] {
        let event = MeterStatus::event(color, info);
        harness.run_event(&event).expect("succeeds");
    }
    let log = harness.log().to_vec();
    let red = "RED: this unit is above a quota: more than 10 requests in a minute";
    let green = "GREEN: this unit is within its quotas";
    let expected = [(Level::Warning, red), (Level::Info, green)];
    assert_eq!(log, expected.map(|(level, line)| (level, line.to_owned())));
}

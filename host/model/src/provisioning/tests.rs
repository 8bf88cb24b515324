use super::{
    Harvest, START_ATTEMPTS, Task, agent_ended, classify, failed_start, is_polled, polled,
};
use crate::Life;
use crate::status::{Machine, Status};

#[test]
fn a_machine_is_classified_by_life_instance_and_status() {
    let pending = Status::new(Machine::Pending, "");
    let failed = Status::new(Machine::ProvisioningError, "no room");
    let started = Status::new(Machine::Started, "");
    let stopped = agent_ended("SIGABRT");
    for (life, has_instance, status, first_look, task) in [
        (Life::Alive, false, &pending, false, Task::Start),
        (Life::Alive, false, &failed, false, Task::Leave),
        (Life::Alive, false, &failed, true, Task::Start),
        (Life::Alive, true, &started, true, Task::Keep),
        (Life::Alive, true, &started, false, Task::Leave),
        (Life::Alive, true, &pending, false, Task::StartAgain),
        (Life::Alive, true, &pending, true, Task::StartAgain),
        (Life::Alive, true, &stopped, true, Task::Keep),
        (Life::Alive, true, &stopped, false, Task::Leave),
        (Life::Dying, true, &started, true, Task::Keep),
        (Life::Dying, true, &started, false, Task::Leave),
        (Life::Dying, false, &pending, false, Task::EnsureDead),
        (Life::Dead, false, &pending, false, Task::Stop),
        (Life::Dead, true, &started, true, Task::Stop),
    ] {
        assert_eq!(
            classify(life, has_instance, status, first_look),
            task,
            "{life} {has_instance} {first_look}"
        );
    }
}

#[test]
fn harvest_modes_decide_about_unknown_and_dead() {
    let machines = [
        ("0".parse().unwrap(), Life::Alive),
        ("1".parse().unwrap(), Life::Dead),
    ];
    for (mode, unknown, dead) in [
        ("none", false, false),
        ("unknown", true, false),
        ("destroyed", false, true),
        ("all", true, true),
    ] {
        let mode: Harvest = mode.parse().unwrap();
        assert!(
            !mode.takes("0", &machines),
            "an alive machine keeps its instance"
        );
        assert_eq!(
            (mode.takes("7", &machines), mode.takes("1", &machines)),
            (unknown, dead),
            "{mode:?}"
        );
    }
    assert!("some".parse::<Harvest>().is_err());
}

#[test]
fn the_last_failed_start_is_an_error() {
    let first = failed_start("no room", 1);
    assert_eq!(first.status, Machine::Pending);
    assert_eq!(
        first.message,
        "failed to start instance (no room), retrying in 10s (9 more attempts)"
    );
    let last = failed_start("no room", START_ATTEMPTS);
    assert_eq!(
        (last.status, last.message.as_str()),
        (Machine::ProvisioningError, "no room")
    );
}

#[test]
fn what_a_provider_says_of_an_instance_changes_its_status_where_nobody_else_has_a_word() {
    let now = |status| Status::new(status, "");
    let found = |status, runs| polled(&now(status), runs).map(|found| found.status);
    assert_eq!(found(Machine::Running, Some(true)), None);
    assert_eq!(found(Machine::Running, Some(false)), Some(Machine::Down));
    assert_eq!(found(Machine::Running, None), Some(Machine::Down));
    assert_eq!(found(Machine::Down, Some(true)), Some(Machine::Running));
    for status in Machine::ALL {
        let theirs = [Machine::Running, Machine::Down].contains(status);
        assert_eq!(is_polled(*status), theirs, "{status}");
        assert!(theirs || found(*status, None).is_none(), "{status}");
    }
    // What it says already is not said again; that it is gone is another thing than that it is down.
    let gone = polled(&now(Machine::Running), None).unwrap();
    assert_eq!(polled(&gone, None), None);
    assert!(polled(&gone, Some(false)).is_some());
}

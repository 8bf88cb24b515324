//! Charms that try to harm: each gets a failed hook with a plain message, and its neighbours
//! do not notice.

mod connections;
mod deep;
mod flood;
mod secrets;
mod slots;
mod text;
mod uploads;
mod walls;

use periapt_tests::{Home, charm};

/// A home with a well-behaved neighbour and short limits.
fn home() -> anyhow::Result<Home> {
    let home = Home::new()?;
    let data = home.controller_directory().display().to_string();
    home.ok([
        "bootstrap",
        "tester",
        "--port",
        "0",
        "--data-dir",
        &data,
        "--limits",
        "wall-clock-ms=3000",
        "--limits",
        "memory-bytes=33554432",
        "--limits",
        "output-bytes=65536",
        "--limits",
        "host-calls=5000",
        "--limits",
        "state-directory-bytes=1048576",
    ])?;
    home.grant_all()?;
    home.ok(["add-model", "test"])?;
    home.ok(["model-config", "automatically-retry-hooks=false"])?;
    home.ok(["deploy", &charm("site").display().to_string(), "neighbour"])?;
    home.until_workload("neighbour/0", "active")?;
    Ok(home)
}

/// Lets the probe do `deed` in its start hook and gives the message of the failure.
fn fails(deed: &str) -> anyhow::Result<String> {
    let home = home()?;
    home.ok([
        "deploy",
        &charm("probe").display().to_string(),
        "probe",
        "--config",
        &format!("script=start: {deed}"),
    ])?;
    let message = home.until_hook_error("probe/0")?;
    assert!(message.contains("hook failed: \"start\""), "{message}");
    let agents = home.agent_pids()?;
    home.ok(["config", "neighbour", "title=Still alive"])?;
    home.until("the neighbour follows its config", |model| {
        let unit = &model["applications"]["neighbour"]["units"]["neighbour/0"];
        unit["workload-status"]["current"] == "active" && unit["juju-status"]["current"] == "idle"
    })?;
    assert_eq!(home.agent_pids()?, agents, "the agent survived");
    home.log()
}

#[test]
fn a_trap() -> anyhow::Result<()> {
    let log = fails("trap")?;
    assert!(
        log.contains("trap") || log.contains("unreachable") || log.contains("panicked"),
        "{log}"
    );
    Ok(())
}

#[test]
fn an_endless_loop() -> anyhow::Result<()> {
    let log = fails("loop")?;
    assert!(
        log.contains("3 s") || log.contains("3000 ms") || log.contains("time limit"),
        "{log}"
    );
    Ok(())
}

#[test]
fn endless_allocation() -> anyhow::Result<()> {
    let log = fails("allocate")?;
    assert!(log.contains("memory"), "{log}");
    Ok(())
}

#[test]
fn a_flood_of_output() -> anyhow::Result<()> {
    let log = fails("flood")?;
    assert!(log.contains("output"), "{log}");
    Ok(())
}

#[test]
fn too_many_host_calls() -> anyhow::Result<()> {
    let log = fails("hostcalls 1000000")?;
    assert!(log.contains("host call") || log.contains("calls"), "{log}");
    Ok(())
}

#[test]
fn a_state_directory_without_end() -> anyhow::Result<()> {
    let log = fails("write 8388608")?;
    assert!(log.contains("state"), "{log}");
    Ok(())
}

#[test]
fn no_way_out_of_its_directories() -> anyhow::Result<()> {
    let home = home()?;
    home.ok([
        "deploy",
        &charm("probe").display().to_string(),
        "probe",
        "--config",
        "script=start: escape",
    ])?;
    let found = home.until("the attempts are over", |model| {
        model["applications"]["probe"]["units"]["probe/0"]["workload-status"]["message"]
            .as_str()
            .is_some_and(|message| message.contains("escape"))
    })?;
    let message = &found["applications"]["probe"]["units"]["probe/0"]["workload-status"]["message"];
    assert_eq!(message, "escape: nothing reached");
    Ok(())
}

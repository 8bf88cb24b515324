//! Machines that start afresh, because a charm asks for it or a person does, and what people ask of a machine.

use anyhow::{Result, ensure};
use periapt_tests::{Home, charm};
use serde_json::Value;

/// Two probes on one machine.
fn two_probes() -> Result<Home> {
    let home = Home::started()?;
    let probe = charm("probe").display().to_string();
    let ready = "script=start: status active ready";
    home.ok(["deploy", &probe, "a", "--config", ready])?;
    home.until_workload("a/0", "active")?;
    home.ok(["deploy", &probe, "b", "--to", "0", "--config", ready])?;
    home.until_workload("b/0", "active")?;
    Ok(home)
}

fn runs(home: &Home, unit: &str) -> Result<Vec<Value>> {
    let told = home.ok(["hooks", unit, "--limit", "1000", "--format", "json"])?;
    Ok(serde_json::from_str(&told)?)
}

fn starts(home: &Home, unit: &str) -> Result<usize> {
    let runs = runs(home, unit)?;
    Ok(runs.iter().filter(|run| run["hook"] == "start").count())
}

/// Waits until both units have run `start` so often, and are idle.
fn until_started(home: &Home, times: usize) -> Result<()> {
    home.until("each to have started once more", |_| {
        ["a/0", "b/0"]
            .iter()
            .all(|unit| starts(home, unit).is_ok_and(|count| count == times))
    })?;
    home.until_workload("a/0", "active")?;
    home.until_workload("b/0", "active")?;
    Ok(())
}

fn script(home: &Home, deed: &str) -> Result<()> {
    let script = format!("script=config-changed: {deed}\nstart: status active ready");
    home.ok(["config", "a", &script])?;
    Ok(())
}

#[test]
fn a_charm_reboots_its_machine_after_a_hook_and_at_once() -> Result<()> {
    let home = two_probes()?;
    let agents = home.agent_pids()?;
    script(&home, "reboot")?;
    until_started(&home, 2)?;
    let history = home.ok(["show-status-log", "b/0"])?;
    ensure!(history.contains("rebooting"), "{history}");

    script(&home, "reboot-now")?;
    until_started(&home, 3)?;
    let history = home.ok(["show-status-log", "a/0"])?;
    ensure!(history.contains("rebooted at once"), "{history}");
    for unit in ["a/0", "b/0"] {
        let runs = runs(&home, unit)?;
        ensure!(runs.iter().all(|run| run["result"] == "ok"), "{runs:#?}");
    }
    ensure!(home.agent_pids()? == agents, "the process is the same one");

    // A hook that fails asks for nothing.
    script(&home, "reboot\nconfig-changed: fail")?;
    home.until_hook_error("a/0")?;
    home.ok(["config", "a", "script=config-changed: status active ready"])?;
    home.until_workload("a/0", "active")?;
    ensure!(starts(&home, "b/0")? == 3, "it did not reboot");
    Ok(())
}

#[test]
fn a_machine_is_asked_what_its_agent_knows_and_reboots() -> Result<()> {
    let home = two_probes()?;
    let sizes = home.ok(["exec", "--machine", "0", "--", "df"])?;
    ensure!(
        sizes.contains("a/0") && sizes.contains("b/0") && sizes.starts_with("Unit"),
        "{sizes}"
    );
    let report = home.ok(["exec", "--machine", "0", "report"])?;
    let report: Value = serde_json::from_str(&report)?;
    let units = &report["manifolds"]["deployer"]["report"]["workers"];
    ensure!(units["a/0"].is_object(), "{report:#}");
    let answer = home.periapt(["exec", "--machine", "0", "--", "rebot"])?;
    ensure!(
        answer.code != 0 && answer.err.contains("did you mean \"reboot\"?"),
        "{answer:?}"
    );
    let told = home.ok(["exec", "--machine", "0", "--", "reboot"])?;
    ensure!(told.contains("once its units are between hooks"), "{told}");
    until_started(&home, 2)?;

    let listed = home.ok(["operations", "--machines", "0"])?;
    for summary in ["df", "report", "reboot"] {
        let summary = format!("{summary} run on machine-0");
        ensure!(listed.contains(&summary), "{listed}");
    }
    let task = home.json(["show-task", "6"])?;
    ensure!(
        task["machine"] == "0" && task["status"] == "completed" && task["command"][0] == "reboot",
        "{task:#}"
    );
    let none = home.periapt(["exec", "--machine", "7", "--", "df"])?;
    ensure!(none.code != 0 && none.err.contains('7'), "{none:?}");
    Ok(())
}

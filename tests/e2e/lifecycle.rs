//! Hooks in their order, errors and retries, scale, refresh, removal.

use std::time::Duration;

use periapt_tests::{Home, charm, charm_with, logged_hooks};

fn deploy_probe(home: &Home, script: &str) -> anyhow::Result<()> {
    let file = charm("probe").display().to_string();
    home.ok([
        "deploy",
        &file,
        "probe",
        "--config",
        &format!("script={script}"),
    ])?;
    Ok(())
}

#[test]
fn hooks_run_in_jujus_order_from_install_to_remove() -> anyhow::Result<()> {
    let home = Home::started()?;
    deploy_probe(&home, "start: status active ready")?;
    home.until_workload("probe/0", "active")?;
    home.ok(["remove-application", "probe", "--no-prompt"])?;
    home.until("nothing is left", |model| {
        model["applications"]
            .as_object()
            .is_none_or(serde_json::Map::is_empty)
            && model["machines"]
                .as_object()
                .is_none_or(serde_json::Map::is_empty)
    })?;
    let hooks = logged_hooks(&home, "probe/0")?;
    assert_eq!(
        hooks,
        [
            "install",
            "ring-relation-created",
            "leader-elected",
            "config-changed",
            "start",
            "stop",
            "remove"
        ]
    );
    Ok(())
}

#[test]
fn many_config_changes_during_one_hook_give_one_config_changed() -> anyhow::Result<()> {
    let home = Home::started()?;
    deploy_probe(&home, "update-status: succeed\nstart: status active ready")?;
    home.until_workload("probe/0", "active")?;
    home.ok(["config", "probe", "script=config-changed: sleep 8000"])?;
    home.until("the slow hook runs", |model| {
        model["applications"]["probe"]["units"]["probe/0"]["juju-status"]["current"] == "executing"
    })?;
    for number in 0..20 {
        home.ok([
            "config",
            "probe",
            &format!("script=config-changed: status active round-{number}"),
        ])?;
    }
    let unit = home.until("the last value arrived", |model| {
        model["applications"]["probe"]["units"]["probe/0"]["workload-status"]["message"]
            == "round-19"
    })?;
    assert_eq!(
        unit["applications"]["probe"]["units"]["probe/0"]["workload-status"]["message"],
        "round-19"
    );
    let changed = logged_hooks(&home, "probe/0")?
        .iter()
        .filter(|hook| *hook == "config-changed")
        .count();
    assert_eq!(
        changed, 3,
        "at deploy, the slow one, and one for all twenty"
    );
    Ok(())
}

#[test]
fn a_failing_hook_is_shown_retried_and_can_be_skipped() -> anyhow::Result<()> {
    let home = Home::started()?;
    home.ok(["model-config", "automatically-retry-hooks=false"])?;
    deploy_probe(&home, "start: fail 1000")?;
    let message = home.until_hook_error("probe/0")?;
    assert!(message.contains("hook failed: \"start\""), "{message}");
    let history = home.ok(["show-status-log", "probe/0"])?;
    assert!(history.contains("error"), "{history}");

    let failed = home.ok(["hooks", "probe/0", "--failed"])?;
    assert!(
        failed.contains("start") && failed.contains("told to fail") && failed.contains("failed"),
        "{failed}"
    );
    let runs: serde_json::Value =
        serde_json::from_str(&home.ok(["hooks", "probe", "--format", "json"])?)?;
    assert_eq!(runs[0]["hook"], "start", "the newest comes first: {runs}");
    assert_eq!(runs[0]["result"], "failed");
    let code = runs[0]["code"].as_str().unwrap_or_default();
    assert!(!code.is_empty(), "a failure has a stable code: {runs}");
    assert!(failed.contains(&format!("({code})")), "{failed}");
    assert_eq!(runs[1]["result"], "ok");

    home.ok(["resolved", "probe/0"])?;
    // The error of before is still shown until the hook runs again.
    home.until("the hook was tried again", |_| {
        let failed = home.ok(["hooks", "probe", "--failed", "--format", "json"]);
        failed.is_ok_and(|failed| failed.matches("\"failed\"").count() == 2)
    })?;
    home.until_hook_error("probe/0")?;
    home.ok(["resolved", "probe/0", "--no-retry"])?;
    home.until("the unit went on", |model| {
        let unit = &model["applications"]["probe"]["units"]["probe/0"];
        unit["workload-status"]["current"] != "error" && unit["juju-status"]["current"] == "idle"
    })?;
    Ok(())
}

#[test]
fn retries_come_by_themselves_with_the_hook_succeeding_at_last() -> anyhow::Result<()> {
    let home = Home::started()?;
    deploy_probe(&home, "install: fail 1\nstart: status active recovered")?;
    let unit = home.until_workload("probe/0", "active")?;
    assert_eq!(unit["workload-status"]["message"], "recovered");
    Ok(())
}

#[test]
fn units_come_and_go_and_numbers_are_never_reused() -> anyhow::Result<()> {
    let home = Home::started()?;
    deploy_probe(&home, "start: status active ready")?;
    home.ok(["add-unit", "probe", "-n", "2"])?;
    for unit in ["probe/0", "probe/1", "probe/2"] {
        home.until_workload(unit, "active")?;
    }
    let leaders = |model: &serde_json::Value| -> Vec<String> {
        let units = model["applications"]["probe"]["units"]
            .as_object()
            .cloned()
            .unwrap_or_default();
        units
            .iter()
            .filter(|(_, unit)| unit["leader"] == true)
            .map(|(name, _)| name.clone())
            .collect()
    };
    let before = leaders(&home.status()?);
    assert_eq!(before.len(), 1, "one leader, got {before:?}");
    home.ok(["remove-unit", &before[0], "--no-prompt"])?;
    home.until("a successor leads without delay", |model| {
        let now = leaders(model);
        now.len() == 1 && now != before
    })?;
    home.ok(["add-unit", "probe"])?;
    home.until_workload("probe/3", "active")?;
    Ok(())
}

#[test]
fn refresh_runs_upgrade_charm_then_config_changed() -> anyhow::Result<()> {
    let home = Home::started()?;
    deploy_probe(&home, "start: status active ready")?;
    home.until_workload("probe/0", "active")?;
    let newer = home.path().join("probe.charm");
    charm_with("probe", &[("files/news.txt", "a newer revision")], &newer)?;
    home.ok(["refresh", "probe", "--path", &newer.display().to_string()])?;
    home.until("the newer hooks ran", |_| {
        logged_hooks(&home, "probe/0")
            .is_ok_and(|hooks| hooks.iter().any(|hook| hook == "upgrade-charm"))
    })?;
    home.until_workload("probe/0", "active")?;
    let hooks = logged_hooks(&home, "probe/0")?;
    assert_eq!(hooks[5..], ["upgrade-charm", "config-changed"], "{hooks:?}");
    assert_eq!(home.status()?["applications"]["probe"]["charm-rev"], 1);
    Ok(())
}

#[test]
fn a_unit_in_error_can_be_removed_by_force() -> anyhow::Result<()> {
    let home = Home::started()?;
    home.ok([
        "model-config",
        "automatically-retry-hooks=false",
        "force-wait=2s",
    ])?;
    deploy_probe(&home, "install: fail 1000")?;
    home.until_hook_error("probe/0")?;
    home.ok(["remove-application", "probe", "--force", "--no-prompt"])?;
    home.until("nothing is left", |model| {
        model["applications"]
            .as_object()
            .is_none_or(serde_json::Map::is_empty)
            && model["machines"]
                .as_object()
                .is_none_or(serde_json::Map::is_empty)
    })?;
    Ok(())
}

#[test]
fn destroying_the_controller_leaves_no_process() -> anyhow::Result<()> {
    let home = Home::started()?;
    deploy_probe(&home, "start: status active ready")?;
    home.until_workload("probe/0", "active")?;
    let mut pids = home.agent_pids()?;
    pids.push(home.controller_pid()?);
    assert_eq!(pids.len(), 2, "a controller and one agent: {pids:?}");
    home.ok([
        "destroy-controller",
        "tester",
        "--destroy-all-models",
        "--no-prompt",
    ])?;
    std::thread::sleep(Duration::from_millis(500));
    assert!(home.agent_pids()?.is_empty() && home.controller_pid().is_err());
    Ok(())
}

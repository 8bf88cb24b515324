//! Incidents, the timeline and single runs of hooks, from the real program's command line.

use anyhow::{Context, Result, ensure};
use periapt_tests::{Home, charm};
use serde_json::Value;

/// Two units of the probe whose hook `start` fails and is not tried again by itself.
fn broken() -> Result<Home> {
    let home = Home::started()?;
    home.ok(["model-config", "automatically-retry-hooks=false"])?;
    let probe = charm("probe").display().to_string();
    let script = "script=start: fail 1000";
    home.ok(["deploy", &probe, "probe", "-n", "2", "--config", script])?;
    home.until_hook_error("probe/0")?;
    home.until_hook_error("probe/1")?;
    Ok(home)
}

fn incidents(home: &Home) -> Result<Vec<Value>> {
    let listed = home.json(["incidents"])?;
    Ok(listed.as_array().cloned().unwrap_or_default())
}

#[test]
fn one_cause_is_one_incident_until_it_is_mended() -> Result<()> {
    let home = broken()?;
    let found = incidents(&home)?;
    let [incident] = found.as_slice() else {
        anyhow::bail!("{found:#?}");
    };
    ensure!(
        incident["units"] == serde_json::json!(["probe/0", "probe/1"])
            && incident["hook"] == "start"
            && incident["reason"]
                .as_str()
                .is_some_and(|reason| reason.contains("told to fail")),
        "{incident:#}"
    );
    let before = incident["changed-before"].as_array();
    ensure!(
        before.is_some_and(|before| before.iter().any(|entry| entry["verb"] == "deployed")),
        "{incident:#}"
    );
    let id = incident["id"].as_str().context("an id")?.to_owned();
    let shown = home.ok(["incidents"])?;
    ensure!(
        shown.contains(&id) && shown.contains("changed before:"),
        "{shown}"
    );

    // Silenced it is still there, and comes back as soon as somebody wants to hear of it.
    home.ok(["incidents", "--silence", &id, "--for", "2h"])?;
    ensure!(incidents(&home)?.is_empty());
    let all = home.json(["incidents", "--all"])?;
    ensure!(all[0]["silenced"]["until"].is_string(), "{all:#}");
    home.ok(["incidents", "--end-silence", &id])?;
    ensure!(incidents(&home)?.len() == 1);

    // A script has to say that it means it.
    let asked = home.periapt(["incidents", "--skip", &id])?;
    ensure!(
        asked.code == 2 && asked.err.contains("--no-prompt"),
        "{asked:?}"
    );
    let wrong = home.periapt(["incidents", "--retry", "probe-start-0"])?;
    ensure!(
        wrong.code == 3 && wrong.err.contains("periapt incidents"),
        "{wrong:?}"
    );

    home.ok(["config", "probe", "script=start: status active ready"])?;
    home.ok(["incidents", "--retry", &id])?;
    home.until_workload("probe/0", "active")?;
    home.until_workload("probe/1", "active")?;
    ensure!(incidents(&home)?.is_empty());
    let audit = home.ok(["audit", "-m", "test"])?;
    for wanted in [
        format!("retried incident {id}"),
        format!("silenced incident {id} for 7200 seconds"),
        format!("ended the silence of incident {id}"),
    ] {
        ensure!(audit.contains(&wanted), "{wanted}: {audit}");
    }
    Ok(())
}

#[test]
fn all_units_of_an_incident_are_skipped_at_once() -> Result<()> {
    let home = broken()?;
    let found = incidents(&home)?;
    let id = found[0]["id"].as_str().context("an id")?;
    home.ok(["incidents", "--skip", id, "--no-prompt"])?;
    for unit in ["probe/0", "probe/1"] {
        home.until(&format!("{unit} goes on"), |status| {
            let unit = &status["applications"]["probe"]["units"][unit];
            unit["workload-status"]["current"] != "error"
                && unit["juju-status"]["current"] == "idle"
        })?;
    }
    ensure!(incidents(&home)?.is_empty());
    Ok(())
}

#[test]
fn the_timeline_tells_who_changed_what_to_what_and_what_hooks_did() -> Result<()> {
    let home = broken()?;
    home.ok(["config", "probe", "script=start: fail 1001"])?;
    let told = home.ok(["timeline", "probe", "--utc"])?;
    for wanted in [
        "admin deployed",
        "admin changed script of probe",
        "changed script of probe from \"start: fail 1000\" to \"start: fail 1001\"",
        "failed in start of probe/0",
    ] {
        ensure!(told.contains(wanted), "{wanted}: {told}");
    }
    let configs = home.json(["timeline", "--kinds", "config"])?;
    let all = configs.as_array().context("entries")?;
    ensure!(
        all.iter().all(|entry| entry["kind"] == "config"),
        "{configs:#}"
    );
    let since = all[0]["time"].as_str().context("a time")?;
    let none = home.json(["timeline", "--to", "2020-01-01T00:00:00Z"])?;
    ensure!(none == serde_json::json!([]), "{none}");
    let later = home.json(["timeline", "--kinds", "config", "--from", since])?;
    ensure!(
        later.as_array().is_some_and(|later| later.len() == 1),
        "{later:#}"
    );
    let odd = home.periapt(["timeline", "--from", "yesterday"])?;
    ensure!(odd.code != 0 && odd.err.contains("yesterday"), "{odd:?}");
    Ok(())
}

#[test]
fn one_run_of_a_hook_is_told_with_what_it_used_and_logged() -> Result<()> {
    let home = broken()?;
    let runs = home.json(["hooks", "probe/0", "--failed"])?;
    let id = runs[0]["id"].as_i64().context("a run")?.to_string();
    let shown = home.ok(["show-hook", &id, "--utc"])?;
    for wanted in [
        "start of probe/0",
        "told to fail",
        " memory, ",
        " host calls",
    ] {
        ensure!(shown.contains(wanted), "{wanted}: {shown}");
    }
    let details = home.json(["show-hook", &id])?;
    let (used, limit) = (&details["run"]["usage"], &details["run"]["limits"]);
    for what in ["memory-bytes", "host-calls"] {
        ensure!(
            used[what].as_u64() > Some(0) && used[what].as_u64() <= limit[what].as_u64(),
            "{what}: {details:#}"
        );
    }
    let missing = home.periapt(["show-hook", "7000000"])?;
    ensure!(missing.code == 3, "{missing:?}");
    Ok(())
}

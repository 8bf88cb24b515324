//! Two processes of one controller on one PostgreSQL database, and what is left when one of them
//! is killed.

mod pair;

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use pair::Pair;
use periapt_client::ApiConnection;
use periapt_tests::{Home, assert_three_lines, charm, kill};
use periapt_wire::agent::leadership::ClaimLeadership;
use periapt_wire::rpc::code;

/// How long a lease lasts, with room for a loaded machine.
const LEASE: Duration = Duration::from_secs(60 + 60);

#[test]
fn a_hundred_claimers_over_both_processes_never_make_two_holders() -> Result<()> {
    let pair = Pair::start()?;
    pair.home
        .ok(["deploy", &charm("noop").display().to_string(), "noop"])?;
    let agent = pair.agent_config()?;
    tokio::runtime::Runtime::new()?.block_on(async {
        let connections = [
            pair.connect(&agent, &pair.first).await?,
            pair.connect(&agent, &pair.second).await?,
        ];
        for round in 0..10 {
            let application = format!("rival{round}x");
            let claims = (0..100).map(|number| {
                let connection: ApiConnection = connections[number % 2].clone();
                let unit = format!("{application}/{number}");
                tokio::spawn(async move {
                    let claim = ClaimLeadership {
                        unit: unit.parse()?,
                        duration_ms: 60_000,
                    };
                    match connection.call(&claim).await {
                        Ok(_) => Ok(Some(unit)),
                        Err(error) if error.is(code::LEASE_DENIED) => Ok(None),
                        Err(error) => Err(anyhow::Error::from(error)),
                    }
                })
            });
            let mut winners = Vec::new();
            for claim in claims.collect::<Vec<_>>() {
                winners.extend(claim.await??);
            }
            ensure!(winners.len() == 1, "round {round}: {winners:?}");
            for directory in [&pair.first, &pair.second] {
                let holders = pair.leases(directory, "application-leadership")?;
                ensure!(holders.get(&application) == winners.first(), "{holders:?}");
            }
        }
        Ok(())
    })
}

#[test]
fn a_killed_process_leaves_its_models_to_the_other_and_units_go_on() -> Result<()> {
    let pair = Pair::start()?;
    let home = &pair.home;
    home.ok([
        "deploy",
        &charm("probe").display().to_string(),
        "probe",
        "--config",
        "script=start: status active ready",
    ])?;
    home.until_workload("probe/0", "active")?;
    let agents = home.agent_pids()?;
    ensure!(agents.len() == 1, "{agents:?}");
    let both = [pair.address(&pair.first)?, pair.address(&pair.second)?];
    pair.until("the agent knows both addresses", || {
        Ok(pair.agent_config()?["api-addresses"] == serde_json::json!(both))
    })?;
    ensure!(home.agent_pids()? == agents, "no restart for an address");

    let model = pair.model()?;
    let responsible = pair.leases(&pair.second, "singular-controller")?;
    ensure!(
        responsible.get(&model).map(String::as_str) == Some("machine-0"),
        "{responsible:?}"
    );
    kill(home.controller_pid_in(&pair.first)?);
    let killed = Instant::now();

    home.ok([
        "config",
        "probe",
        "script=config-changed: status active two",
    ])?;
    home.until("the change arrives over the other process", |model| {
        model["applications"]["probe"]["units"]["probe/0"]["workload-status"]["message"] == "two"
    })?;
    pair.until("the other process is responsible", || {
        let responsible = pair.leases(&pair.second, "singular-controller")?;
        Ok(responsible.get(&model).map(String::as_str) == Some("machine-1"))
    })?;
    let took = killed.elapsed();
    ensure!(took < LEASE, "{took:?}");
    home.ok(["add-unit", "probe"])?;
    home.until("its workers make a new unit", |model| {
        let unit = &model["applications"]["probe"]["units"]["probe/1"];
        unit["juju-status"]["current"] == "idle"
    })?;
    ensure!(home.agent_pids()? == agents, "adopted, not doubled");

    // The first comes back and finds the other at work, and its agent connected there.
    let mut first = home.run_controller(&pair.first)?;
    pair.until("the agent is not lost to the first", || {
        let presence = pair.introspect(&pair.first, "presence")?;
        let rows = presence.as_array().context("rows")?;
        let row = rows.iter().find(|row| row["model"] == model.as_str());
        Ok(row.is_some_and(|row| row["state"] == "connected elsewhere"))
    })?;
    let responsible = pair.leases(&pair.first, "singular-controller")?;
    ensure!(
        responsible.get(&model).map(String::as_str) == Some("machine-1"),
        "{responsible:?}"
    );
    ensure!(home.agent_pids()? == agents, "nobody restarted the agent");
    kill(home.controller_pid_in(&pair.first)?);
    let _ = first.wait();
    Ok(())
}

#[test]
fn a_controller_with_its_data_in_a_file_is_not_joined() -> Result<()> {
    let home = Home::started()?;
    let first = home.controller_directory().display().to_string();
    let second = home.path().join("second").display().to_string();
    let join = [
        "controller",
        "join",
        "--from",
        &first,
        "--data-dir",
        &second,
    ];
    let refused = home.periapt(join)?;
    assert_three_lines(
        &refused,
        1,
        &["controller-needs-postgresql", "--postgres-url"],
    );
    let nothing = home.path().join("nothing").display().to_string();
    let join = [
        "controller",
        "join",
        "--from",
        &nothing,
        "--data-dir",
        &second,
    ];
    assert_three_lines(&home.periapt(join)?, 1, &["controller-not-found"]);
    Ok(())
}

/// Names with their holders.
type Holders = BTreeMap<String, String>;

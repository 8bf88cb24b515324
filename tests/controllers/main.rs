//! Two processes of one controller on one PostgreSQL database, and what is left when one of them
//! is killed.

mod backups;
mod files;
mod holes;
mod pair;
mod ports;

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use pair::{Pair, Schema};
use periapt_tests::receivers::Webhook;
use periapt_tests::{Home, assert_three_lines, charm, kill};
use periapt_wire::ApiConnection;
use periapt_wire::agent::leadership::ClaimLeadership;
use periapt_wire::rpc::code;

/// How long a lease lasts, with room for a loaded machine.
const LEASE: Duration = Duration::from_secs(60 + 60);
/// After how long without a sign of life a process is lost, with room for a loaded machine.
const LOST: Duration = Duration::from_secs(30 + 30);

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
            pair.add_rivals(&application).await?;
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
        // Who is not there wins nothing, however free the lease.
        for (number, connection) in connections.iter().enumerate() {
            let claim = ClaimLeadership {
                unit: format!("nobody/{number}").parse()?,
                duration_ms: 60_000,
            };
            let refused = connection.call(&claim).await;
            ensure!(refused.is_err_and(|error| error.is(code::NOT_FOUND)));
        }
        Ok(())
    })
}

#[test]
fn a_process_that_is_gone_for_good_is_removed() -> Result<()> {
    let pair = Pair::start()?;
    let home = &pair.home;
    home.ok(["deploy", &charm("noop").display().to_string(), "noop"])?;
    pair.agent_config()?;
    let both = [pair.address(&pair.first)?, pair.address(&pair.second)?];
    let nodes = || -> Result<serde_json::Value> {
        let listed = home.ok(["controller", "nodes", "--format", "json"])?;
        Ok(serde_json::from_str::<serde_json::Value>(&listed)?["nodes"].take())
    };
    let listed = nodes()?;
    for (node, address) in both.iter().enumerate() {
        let row = &listed[node.to_string()];
        ensure!(
            row["state"] == "running" && row["address"] == address.as_str(),
            "{listed}"
        );
    }
    let refused = home.periapt(["controller", "remove-node", "1", "--no-prompt"])?;
    assert_three_lines(&refused, 4, &["process 1 runs", "--force"]);
    assert_three_lines(
        &home.periapt(["controller", "remove-node", "5", "--no-prompt"])?,
        3,
        &["no process 5"],
    );

    // The first dies; after half a minute nobody is told of its address any more.
    kill(home.controller_pid_in(&pair.first)?);
    let killed = Instant::now();
    pair.until("the first counts as lost", || {
        Ok(nodes()?["0"]["state"] == "lost")
    })?;
    let took = killed.elapsed();
    ensure!(took < LOST, "{took:?}");
    pair.until("the agent knows the living one only", || {
        Ok(pair.agent_config()?["api-addresses"] == serde_json::json!(both[1..]))
    })?;

    let model = pair.model()?;
    home.ok(["controller", "remove-node", "0", "--no-prompt"])?;
    ensure!(
        nodes()?.as_object().map(|all| all.len()) == Some(1),
        "{}",
        nodes()?
    );
    let known = home.ok(["controllers", "--format", "json"])?;
    ensure!(
        !known.contains(&both[0]) && known.contains(&both[1]),
        "{known}"
    );
    pair.until("the other process is responsible", || {
        let responsible = pair.leases(&pair.second, "singular-controller")?;
        Ok(responsible.get(&model).map(String::as_str) == Some("machine-1"))
    })?;
    let last = home.periapt(["controller", "remove-node", "1", "--force", "--no-prompt"])?;
    assert_three_lines(&last, 4, &["the only one", "destroy-controller"]);

    // It does not come back by accident, and can join again.
    let first = pair.first.display().to_string();
    let back = home.periapt(["controller", "run", "--data-dir", &first])?;
    assert_three_lines(&back, 1, &["process 0", "was removed", "controller join"]);
    ensure!(nodes()?.get("0").is_none(), "{}", nodes()?);
    let second = pair.second.display().to_string();
    let join = [
        "controller",
        "join",
        "--from",
        &second,
        "--data-dir",
        &first,
    ];
    home.ok(join.iter().chain(&["--port", "0"]))?;
    ensure!(nodes()?["2"]["state"] == "running", "{}", nodes()?);
    let again = home.periapt(join)?;
    assert_three_lines(&again, 4, &["controller-already-running"]);
    let back = pair.address(&pair.first)?;
    pair.until("the agent hears of it", || {
        Ok(pair.agent_config()?["api-addresses"] == serde_json::json!([&both[1], &back]))
    })?;

    // By force one that runs, which then ends by itself.
    let pid = home.controller_pid_in(&pair.first)?;
    home.ok(["controller", "remove-node", "2", "--force", "--no-prompt"])?;
    pair.until("the removed one has ended", || {
        Ok(
            !std::path::Path::new(&format!("/proc/{}", pid.as_raw_nonzero())).exists()
                || home.controller_pid_in(&pair.first).is_err(),
        )
    })?;
    let log = std::fs::read_to_string(pair.first.join("controller.log"))?;
    ensure!(log.contains("was removed from its controller"), "{log}");
    home.ok(["status"])?;
    Ok(())
}

#[test]
fn a_killed_process_leaves_its_models_to_the_other_and_units_go_on() -> Result<()> {
    let pair = Pair::start()?;
    let home = &pair.home;
    pair.deploy_probe()?;
    let both = [pair.address(&pair.first)?, pair.address(&pair.second)?];
    pair.until("the agent knows both addresses", || {
        Ok(pair.agent_config()?["api-addresses"] == serde_json::json!(both))
    })?;
    let agents = home.agent_pids()?;
    ensure!(agents.len() == 1, "{agents:?}");

    let model = pair.model()?;
    let responsible = pair.leases(&pair.second, "singular-controller")?;
    ensure!(
        responsible.get(&model).map(String::as_str) == Some("machine-0"),
        "{responsible:?}"
    );
    kill(home.controller_pid_in(&pair.first)?);
    let killed = Instant::now();

    pair.change_probe()?;
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

/// Takes half a minute: what fires is gathered for ten seconds, and what comes twice would come within the next ten.
#[test]
fn of_two_processes_one_tells_of_an_alert_and_the_other_goes_on_when_it_is_killed() -> Result<()> {
    let pair = Pair::start()?;
    let home = &pair.home;
    let webhook = Webhook::started()?;
    let url = format!("url={}", webhook.url());
    let key = "key=0123456789abcdef";
    home.ok(["add-alert-receiver", "ops", "webhook", &url, key])?;
    for (rule, threshold) in [("before", "0"), ("after", "1s")] {
        let words = ["add-alert-rule", rule, "unit-error", threshold];
        home.ok([&words[..], &["--receiver", "ops"]].concat())?;
    }
    home.ok(["model-config", "automatically-retry-hooks=false"])?;
    home.ok(["silence-alert-rule", "after", "1h"])?;
    pair.deploy_probe()?;
    home.ok(["config", "probe", "script=config-changed: fail 1000"])?;
    home.until_hook_error("probe/0")?;
    webhook.until_told("before", 1, 0)?;
    std::thread::sleep(Duration::from_secs(10));
    let told = |rule: &str| {
        let all = webhook.posted().into_iter();
        let of_rule = all.filter(|one| one.json().is_ok_and(|body| body["rule"] == rule));
        of_rule.count()
    };
    ensure!(
        (told("before"), told("after")) == (1, 0),
        "{:?}",
        webhook.posted()
    );

    kill(home.controller_pid_in(&pair.first)?);
    home.ok(["silence-alert-rule", "after", "0"])?;
    webhook.until_told("after", 1, 0)?;
    std::thread::sleep(Duration::from_secs(10));
    ensure!(
        (told("before"), told("after")) == (1, 1),
        "{:?}",
        webhook.posted()
    );
    Ok(())
}

/// `workers` is about the process that answers: both know who there is, and one has the agent.
#[test]
fn each_process_says_what_runs_in_it_and_in_the_agents_connected_to_it() -> Result<()> {
    let pair = Pair::start()?;
    pair.deploy_probe()?;
    let runtime = tokio::runtime::Runtime::new()?;
    let clients = runtime.block_on(async {
        let first = pair.client(&pair.first).await?;
        anyhow::Ok([first, pair.client(&pair.second).await?])
    })?;
    let state = |process: usize, worker: &str| -> Result<(String, String)> {
        let rows = runtime.block_on(clients[process].controller_workers())?;
        let row = rows.into_iter().find(|row| row.worker == worker);
        let row = row.context("no such worker")?;
        Ok((row.state, row.reason))
    };
    for process in [0, 1] {
        for (worker, expected) in [
            ("peergrouper", "running"),
            ("centralhub", "uninstalled"),
            ("pubsub", "uninstalled"),
            ("stateconverter", "uninstalled"),
        ] {
            let (found, reason) = state(process, worker)?;
            ensure!(found == expected, "{worker} is {found}: {reason}");
        }
    }
    pair.until("one process has the agent and the other says so", || {
        let mut both = [state(0, "uniter")?, state(1, "uniter")?];
        both.sort();
        let [(here, _), (elsewhere, why)] = &both;
        let says = why.contains("connected to the process that answers");
        Ok(here == "running" && elsewhere == "uninstalled" && says)
    })
}

/// The password in `agent.json` is good for the agent's first login, whichever process it was.
#[test]
fn no_process_takes_the_password_that_an_agent_has_replaced() -> Result<()> {
    let pair = Pair::start()?;
    pair.deploy_probe()?;
    let agent = pair.agent_config()?;
    let given = agent["password"].as_str().context("no password")?;
    tokio::runtime::Runtime::new()?.block_on(async {
        for directory in [&pair.first, &pair.second] {
            pair.connect(&agent, directory).await?;
            let refused = pair.connect_with(&agent, directory, given).await;
            let refused = refused.err().context("the old password is taken")?;
            ensure!(refused.to_string().contains("invalid"), "{refused}");
        }
        Ok(())
    })
}

#[test]
fn the_page_about_several_processes_works_as_written() -> Result<()> {
    let schema = Schema::make()?;
    let home = Home::with_environment(&[("PERIAPT_POSTGRES_URL", &schema.url())])?;
    let page = periapt_tests::root().join("docs/how-to/several-controllers.md");
    let text = std::fs::read_to_string(page)?;
    let blocks = text.split("```sh\n").skip(1);
    let script: Vec<&str> = blocks
        .filter_map(|block| block.split("```").next())
        .collect();
    let program = periapt_tests::program();
    let folder = program.parent().context("no folder")?.display().to_string();
    let mut command = home.command::<&str>([]);
    let shown = std::process::Command::new("timeout")
        .args(["170", "bash", "-euo", "pipefail", "-c", &script.join("\n")])
        .envs(
            command
                .env("NO_COLOR", "1")
                .get_envs()
                .filter_map(|(name, value)| Some((name, value?))),
        )
        .env("PATH", format!("{folder}:{}", std::env::var("PATH")?))
        .current_dir(home.path())
        .output()?;
    let shown = periapt_tests::Answer::from(shown);
    ensure!(shown.code == 0, "{shown:?}");
    let rows: Vec<&str> = shown
        .out
        .lines()
        .filter(|line| line.contains(" running "))
        .collect();
    ensure!(rows.len() == 5, "two, one, and two processes: {shown:?}");
    ensure!(rows[4].starts_with("2 "), "{shown:?}");
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

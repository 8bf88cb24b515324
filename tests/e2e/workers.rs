//! What single workers promise to a person, on the real program.

use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use periapt_tests::{Home, PATIENCE, assert_three_lines, charm, kill};
use rustix::process::{Signal, kill_process};
use serde_json::Value;

fn until<T>(what: &str, mut probe: impl FnMut() -> anyhow::Result<Option<T>>) -> anyhow::Result<T> {
    let started = Instant::now();
    let mut last = None;
    while started.elapsed() < PATIENCE {
        match probe() {
            Ok(Some(found)) => return Ok(found),
            Ok(None) => {}
            Err(error) => last = Some(error),
        }
        std::thread::sleep(Duration::from_millis(200));
    }
    anyhow::bail!("waited in vain for: {what}; {last:?}")
}

/// A node of the controller's engine.
fn node(home: &Home, name: &str) -> anyhow::Result<Value> {
    let map: Value =
        serde_json::from_str(&home.ok(["introspect", "depengine", "--format", "json"])?)?;
    let engines = map["engines"].as_array().cloned().unwrap_or_default();
    let controller = engines.iter().find(|engine| engine["id"] == "controller");
    let nodes = controller.and_then(|engine| engine["nodes"].as_array().cloned());
    let found = nodes
        .unwrap_or_default()
        .into_iter()
        .find(|node| node["name"] == name);
    found.ok_or_else(|| anyhow::anyhow!("there is no node {name}"))
}

/// The configuration that the model's agent keeps.
fn agent_addresses(home: &Home) -> anyhow::Result<Value> {
    let agents = home.controller_directory().join("agents");
    for entry in std::fs::read_dir(agents)?.flatten() {
        let path: PathBuf = entry.path().join("agent.json");
        if let Ok(bytes) = std::fs::read(path) {
            let config: Value = serde_json::from_slice(&bytes)?;
            return Ok(config["api-addresses"].clone());
        }
    }
    anyhow::bail!("no agent has a configuration")
}

/// Whether a connection to this port of this machine stands.
fn connected(port: u16) -> anyhow::Result<bool> {
    let table = std::fs::read_to_string("/proc/net/tcp")?;
    let remote = format!("0100007F:{port:04X}");
    Ok(table.lines().skip(1).any(|line| {
        let mut words = line.split_whitespace().skip(2);
        words.next() == Some(remote.as_str()) && words.next() == Some("01")
    }))
}

fn listens(port: u16) -> bool {
    TcpStream::connect(SocketAddr::from(([127, 0, 0, 1], port))).is_ok()
}

/// controllerport: "when `controller-api-port` is set, then the process listens on it … and
/// http-server's start-count grew by one".
#[test]
fn agents_move_to_a_port_of_their_own_and_back() -> anyhow::Result<()> {
    let home = Home::started()?;
    home.ok(["deploy", &charm("site").display().to_string(), "site"])?;
    home.until_workload("site/0", "active")?;
    let common = agent_addresses(&home)?;
    let port = TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
    let own = serde_json::json!([format!("127.0.0.1:{port}")]);
    let starts = || anyhow::Ok(node(&home, "http-server")?["start-count"].as_u64());
    let before = starts()?;

    home.ok(["controller-config", &format!("controller-api-port={port}")])?;
    until("the agent is there", || {
        Ok((agent_addresses(&home)? == own && connected(port)?).then_some(()))
    })?;
    assert_eq!(starts()?, before.map(|count| count + 1));
    let file = home.controller_directory().join("controller.json");
    let kept: Value = serde_json::from_slice(&std::fs::read(file)?)?;
    assert_eq!(kept["controller-api-port"], port);
    home.ok(["config", "site", "title=Moved"])?;
    home.until_workload("site/0", "active")?;
    // People stay where they are.
    home.ok(["status"])?;

    // It is served from the first moment of the next process on.
    kill(home.controller_pid()?);
    let mut controller = home.restart_controller()?;
    until("the agent is there again", || {
        Ok(connected(port)?.then_some(()))
    })?;
    assert_eq!(agent_addresses(&home)?, own);

    // A port that is taken leaves agents at the common one, and is said.
    let taken = TcpListener::bind("127.0.0.1:0")?;
    let taken_port = taken.local_addr()?.port();
    home.ok([
        "controller-config",
        &format!("controller-api-port={taken_port}"),
    ])?;
    until("the agent is back", || {
        Ok((agent_addresses(&home)? == common && !connected(port)?).then_some(()))
    })?;
    let report = node(&home, "controller-port")?["report"].clone();
    let said = report["error"].as_str().unwrap_or_default().to_owned();
    assert!(said.contains(&taken_port.to_string()), "{report}");

    home.ok(["controller-config", "--reset", "controller-api-port"])?;
    until("the port is closed", || {
        let report = node(&home, "controller-port")?["report"].clone();
        Ok((report["error"].is_null() && !listens(port)).then_some(()))
    })?;
    home.until_workload("site/0", "active")?;
    let refused = home.periapt(["controller-config", "controller-api-port=70000"])?;
    assert_three_lines(&refused, 2, &["controller-api-port", "65535"]);
    kill(home.controller_pid()?);
    controller.wait()?;
    Ok(())
}

/// simplesignalhandler: "… then it ends in good order and with status 0".
#[test]
fn a_controller_asked_to_stop_by_a_signal_ends_with_status_0() -> anyhow::Result<()> {
    let home = Home::started()?;
    kill(home.controller_pid()?);
    for signal in [Signal::TERM, Signal::INT] {
        let mut controller = home.restart_controller()?;
        until("the controller answers", || {
            Ok(home.status().is_ok().then_some(()))
        })?;
        kill_process(home.controller_pid()?, signal)?;
        assert_eq!(controller.wait()?.code(), Some(0), "{signal:?}");
        assert!(home.controller_pid().is_err(), "nobody starts it again");
    }
    Ok(())
}

/// credentialvalidator, as a person sees it.
#[test]
fn a_suspended_model_goes_on_and_starts_nothing() -> anyhow::Result<()> {
    let home = Home::started()?;
    home.ok(["deploy", &charm("site").display().to_string(), "site"])?;
    home.until_workload("site/0", "active")?;
    assert!(
        home.ok(["show-credential"])?
            .contains("validity-check: valid")
    );
    assert!(home.ok(["clouds"])?.contains("local"));
    home.ok([
        "add-model",
        "twin",
        "local/default",
        "--credential",
        "test",
        "--no-switch",
    ])?;
    assert!(home.ok(["credentials"])?.contains("test, twin"));
    home.ok(["invalidate-credential", "moving to another disk"])?;
    let shown = home.ok(["show-credential", "--format", "json"])?;
    let shown: Value = serde_json::from_str(&shown)?;
    let held = &shown["controller-credentials"]["local"]["test"];
    assert_eq!(held["content"]["validity-check"], "invalid", "{shown}");
    assert_eq!(held["content"]["reason"], "moving to another disk");
    assert_eq!(held["models"]["twin"], "admin", "{shown}");
    // The new model says that it is made until that is over.
    until("both models are suspended", || {
        let models = home.ok(["models"])?;
        Ok((models.matches("suspended").count() == 2).then_some(()))
    })?;
    assert!(home.ok(["status"])?.contains("moving to another disk"));

    // What runs goes on, and a unit waits for its machine.
    home.ok(["config", "site", "title=Suspended"])?;
    home.until_workload("site/0", "active")?;
    home.ok(["add-unit", "site"])?;
    home.until("the machine is there", |status| {
        status["machines"]["1"].is_object()
    })?;
    std::thread::sleep(Duration::from_secs(3));
    let machine = home.status()?["machines"]["1"].clone();
    assert_eq!(machine["juju-status"]["current"], "pending", "{machine}");

    home.ok(["update-credential"])?;
    home.until_workload("site/1", "active")?;
    assert!(!home.ok(["models"])?.contains("suspended"));

    let refused = home.periapt(["retry-provisioning", "0"])?;
    assert_three_lines(&refused, 4, &["machine 0", "provisioning error"]);
    let answer = home.periapt(["retry-provisioning", "--all"])?;
    assert_eq!(answer.code, 0, "{answer:?}");
    assert!(
        answer.err.contains("no machines with a provisioning error"),
        "{answer:?}"
    );
    Ok(())
}

/// upgradesteps, as a person sees it.
#[test]
fn an_upgrade_step_that_fails_is_shown_until_it_passes() -> anyhow::Result<()> {
    let trouble = tempfile::NamedTempFile::new()?;
    let fault = format!("upgrade-step-forget-compiled@{}", trouble.path().display());
    let home = Home::with_environment(&[("PERIAPT_FAULT", &fault)])?;
    let data = home.controller_directory().display().to_string();
    home.ok(["bootstrap", "tester", "--port", "0", "--data-dir", &data])?;
    let row = until("the worker says what failed", || {
        let rows: Value = serde_json::from_str(&home.ok(["workers", "--format", "json"])?)?;
        let rows = rows.as_array().cloned().unwrap_or_default();
        let row = rows.into_iter().find(|row| row["worker"] == "upgradesteps");
        Ok(row.filter(|row| row["state"] == "resting"))
    })?;
    let reason = row["reason"].as_str().unwrap_or_default();
    assert!(
        reason.starts_with("upgrade step \"forget-compiled\" failed: "),
        "{row}"
    );
    let log = std::fs::read_to_string(home.controller_directory().join("controller.log"))?;
    assert!(
        log.contains("upgrade step failed and will be tried again"),
        "{log}"
    );
    assert_eq!(node(&home, "model-worker-manager")?["state"], "stopped");

    trouble.close()?;
    until("a model can be added", || {
        Ok(home.ok(["add-model", "test"]).ok())
    })?;
    home.ok(["deploy", &charm("site").display().to_string(), "site"])?;
    home.until_workload("site/0", "active")?;
    Ok(())
}

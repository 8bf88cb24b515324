//! A failed hook changes nothing that runs, however much it asked for before.

use std::net::TcpStream;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use periapt_tests::web::{free_port, get, until_page};
use periapt_tests::{Home, PATIENCE, charm};
use serde_json::Value;

const HOST: &str = "unruly.test.localhost";
const UNIT: &str = "unruly/0";

/// What is to be seen of the unit's server: its process, its state and its port.
#[derive(Debug, PartialEq)]
struct Seen {
    serves: Vec<i32>,
    services: Value,
    ports: Value,
}

fn seen(home: &Home) -> Result<Seen> {
    let pids = home.workload_pids("serve")?;
    let services = home.ok(["services", UNIT, "--format", "json"])?;
    Ok(Seen {
        serves: pids.iter().map(|pid| pid.as_raw_nonzero().get()).collect(),
        services: serde_json::from_str(&services)?,
        ports: home.unit(UNIT)?["open-ports"].clone(),
    })
}

#[test]
fn a_failed_hook_changes_nothing_that_runs() -> Result<()> {
    let home = Home::started()?;
    let port = free_port()?;
    home.ok(["controller-config", &format!("ingress-port={port}")])?;
    home.ok(["deploy".as_ref(), charm("unruly").as_os_str()])?;
    home.ok(["expose", "unruly"])?;
    home.until_workload(UNIT, "active")?;
    until_page(port, HOST, "one")?;
    let address = home.unit(UNIT)?["public-address"].clone();
    let address = address.as_str().context("no address")?.to_owned();
    let begun = Instant::now();
    let before = loop {
        // What is seen of it comes a moment later than its pages.
        let before = seen(&home)?;
        if before.services[0]["current"] == "active" {
            break before;
        }
        ensure!(begun.elapsed() < PATIENCE, "{before:?}");
        std::thread::sleep(Duration::from_millis(50));
    };
    ensure!(before.ports == serde_json::json!(["80/tcp"]), "{before:?}");
    TcpStream::connect((address.as_str(), 80)).context("the unit's own address")?;

    for ends in ["traps", "fails"] {
        let change = ["page=two", "port=8080", &format!("ends={ends}")];
        home.ok(["config", "unruly"].iter().chain(&change))?;
        home.until_hook_error(UNIT)?;
        for _ in 0..20 {
            ensure!(get(port, HOST, "/")? == (200, "one".to_owned()), "{ends}");
            std::thread::sleep(Duration::from_millis(25));
        }
        let after = seen(&home)?;
        ensure!(after == before, "{ends}: {before:?} {after:?}");
        let opened = TcpStream::connect((address.as_str(), 8080));
        ensure!(opened.is_err(), "{ends}: a port is open");
    }

    home.ok(["config", "unruly", "ends=well"])?;
    // Its next attempt may be some time off.
    home.ok(["resolved", UNIT])?;
    until_page(port, HOST, "two")?;
    home.until("the other port alone", |status| {
        let unit = &status["applications"]["unruly"]["units"][UNIT];
        unit["open-ports"] == serde_json::json!(["8080/tcp"])
    })?;
    Ok(())
}

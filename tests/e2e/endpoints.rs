//! A port that a hook opens for one endpoint is reached where that endpoint is exposed, and nowhere else.

use std::net::TcpStream;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use periapt_tests::{Home, PATIENCE, charm};

/// No other charm opens these, so another controller of this machine does not listen there.
const DOWNSTREAM: u16 = 18_081;
const SIDE: u16 = 18_082;

#[test]
fn a_port_of_an_endpoint_is_reached_while_that_endpoint_is_exposed() -> Result<()> {
    let home = Home::started()?;
    let script = format!(
        "config-changed: port open {DOWNSTREAM}/tcp in downstream\n\
         config-changed: port open {SIDE}/tcp in side\n\
         config-changed: status active opened"
    );
    let probe = charm("probe").display().to_string();
    home.ok(["deploy", &probe, "--config", &format!("script={script}")])?;
    home.until_workload("probe/0", "active")?;
    home.ok(["expose", "probe", "--endpoints", "downstream"])?;
    let status = home.until("an address of its own", |status| {
        let unit = &status["applications"]["probe"]["units"]["probe/0"];
        let address = unit["public-address"].as_str();
        address.is_some_and(|address| address != "127.0.0.1")
    })?;
    let unit = &status["applications"]["probe"]["units"]["probe/0"];
    let address = unit["public-address"].as_str().context("no address")?;
    until_listening(address, DOWNSTREAM, true)?;
    until_listening(address, SIDE, false)?;
    let application = home.ok(["show-application", "probe", "--format", "json"])?;
    let application: serde_json::Value = serde_json::from_str(&application)?;
    let endpoints = &application["probe"]["exposed-endpoints"];
    ensure!(endpoints["downstream"].is_object(), "{application:#}");

    home.ok(["expose", "probe", "--endpoints", "side"])?;
    until_listening(address, SIDE, true)?;
    until_listening(address, DOWNSTREAM, true)?;
    home.ok(["unexpose", "probe", "--endpoints", "downstream"])?;
    until_listening(address, DOWNSTREAM, false)?;
    until_listening(address, SIDE, true)?;

    let script = format!("config-changed: port close {SIDE}/tcp in side");
    home.ok(["config", "probe", &format!("script={script}")])?;
    until_listening(address, SIDE, false)?;
    Ok(())
}

fn until_listening(address: &str, port: u16, listening: bool) -> Result<()> {
    let begun = Instant::now();
    while TcpStream::connect((address, port)).is_ok() != listening {
        ensure!(begun.elapsed() < PATIENCE, "{address}:{port}: {listening}");
        std::thread::sleep(Duration::from_millis(50));
    }
    Ok(())
}

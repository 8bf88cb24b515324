//! Quotas of units: from the requests of strangers to what a charm hears of them.

use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use periapt_tests::web::{free_port, get};
use periapt_tests::{Home, charm};
use serde_json::{Value, json};

/// More than the quota, and few enough to be sent at once.
const REQUESTS: usize = 25;
const QUOTA: usize = 10;
/// Counts come within twenty seconds, and the status falls when the minute after is over.
const FALLS: Duration = Duration::from_secs(200);

/// It takes two real minutes: the status falls once a whole minute was within the quota, and the program's clock
/// is the machine's.
#[test]
fn a_unit_above_its_quota_of_requests_is_told_red_and_green_again_after_the_minute() -> Result<()> {
    let home = Home::started()?;
    let port = free_port()?;
    home.ok(["controller-config", &format!("ingress-port={port}")])?;
    let counter = charm("counter").display().to_string();
    home.ok(["deploy", &counter, "counter"])?;
    home.until_workload("counter/0", "active")?;
    home.ok(["expose", "counter"])?;
    let host = "counter.test.localhost";
    home.until("a page", |_| {
        get(port, host, "/").is_ok_and(|(status, _)| status == 200)
    })?;
    seen_by_its_check(&home)?;
    home.ok(["model-config", &format!("unit-requests-quota={QUOTA}")])?;
    for _ in 0..REQUESTS {
        get(port, host, "/")?;
    }
    let begun = Instant::now();
    let why = format!("more than {QUOTA} requests in a minute (unit-requests-quota)");
    let status = home.until("a unit above its quota", |status| {
        let meter = &status["applications"]["counter"]["units"]["counter/0"]["meter-status"];
        meter["color"] == "red" && meter["message"] == why.as_str()
    })?;
    ensure!(
        status["applications"]["counter"]["application-status"]["current"] == "active",
        "it goes on: {status:#}"
    );
    let unit = home.ok(["show-unit", "counter/0"])?;
    ensure!(unit.contains("meter-status"), "{unit}");
    let red = format!("RED: this unit is above a quota: {why}");
    home.until("the charm's word of it", |_| logged(&home, &red))?;
    ensure!(get(port, host, "/")?.0 == 200, "nobody is turned away");

    let green = "GREEN: this unit is within its quotas";
    ensure!(!logged(&home, green), "{}", home.log()?);
    while !logged(&home, green) {
        ensure!(begun.elapsed() < FALLS, "it stays red: {}", home.log()?);
        std::thread::sleep(Duration::from_secs(1));
    }
    let unit = home.unit("counter/0")?;
    ensure!(unit["meter-status"].is_null(), "{unit:#}");
    let hooks = home.ok(["hooks", "counter"])?;
    ensure!(!hooks.contains("meter-status-changed"), "{hooks}");
    Ok(())
}

/// What its layer has the supervisor ask it is seen in every place.
fn seen_by_its_check(home: &Home) -> Result<()> {
    let first = || -> Result<Value> {
        let told = home.ok(["checks", "counter/0", "--format", "json"])?;
        let told: Value = serde_json::from_str(&told)?;
        Ok(told[0].clone())
    };
    home.until("a check that is up", |_| {
        first().is_ok_and(|check| check["status"] == "up")
    })?;
    let check = first()?;
    ensure!(check["check"] == "health", "{check:#}");
    ensure!(check["level"] == "ready", "{check:#}");
    ensure!(check["on-failure"] == json!([]), "{check:#}");
    let table = home.ok(["checks", "counter/0"])?;
    ensure!(table.contains("nothing happens"), "{table}");
    // What is seen of the service comes a moment later than its pages.
    home.until("a service that came to be active", |_| {
        let told = home.ok(["services", "counter/0", "--format", "json"]);
        let told = told.ok().and_then(|told| serde_json::from_str(&told).ok());
        let history = told.map(|told: Value| told[0]["history"].clone());
        let history = history.as_ref().and_then(Value::as_array);
        history
            .and_then(|history| history.last())
            .is_some_and(|last| last["current"] == "active")
    })?;
    let metrics = home.ok(["introspect", "metrics"])?;
    let up = |line: &str| line.starts_with("periapt_check_up{") && line.ends_with(" 1");
    ensure!(metrics.lines().any(up), "{metrics}");
    Ok(())
}

fn logged(home: &Home, line: &str) -> bool {
    home.log().is_ok_and(|log| log.contains(line))
}

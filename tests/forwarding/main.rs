//! Logs that leave the controller, received by a real rsyslog.

mod daemon;

use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use daemon::{Certificates, Daemon};
use periapt_tests::{Home, PATIENCE, charm};
use serde_json::Value;

/// Lines of the model's log: entity and message.
fn logged(home: &Home) -> Result<Vec<(String, String)>> {
    let text = home.ok([
        "debug-log",
        "--replay",
        "--no-tail",
        "--level",
        "TRACE",
        "--format",
        "json",
    ])?;
    text.lines()
        .map(|line| {
            let record: Value = serde_json::from_str(line)?;
            let text = |member: &str| record[member].as_str().unwrap_or_default().to_owned();
            // As rsyslog writes it: one line, control characters escaped.
            Ok((
                text("entity"),
                text("message").replace('\n', "#012").replace('\t', "#011"),
            ))
        })
        .collect()
}

/// Gives the site a title, and waits until what its hook said of it is in the log: a target that
/// stops while a line is under way never gets that line.
fn retitled(home: &Home, title: &str) -> Result<()> {
    let rendered = |home: &Home| -> Result<usize> {
        let of_site = |(_, message): &&(String, String)| message.starts_with("rendered ");
        Ok(logged(home)?.iter().filter(of_site).count())
    };
    let before = rendered(home)?;
    home.ok(["config", "site", &format!("title={title}")])?;
    let begun = Instant::now();
    while rendered(home)? == before {
        ensure!(
            begun.elapsed() < PATIENCE,
            "nothing was rendered for {title}"
        );
        std::thread::sleep(Duration::from_millis(100));
    }
    home.until_workload("site/0", "active")?;
    Ok(())
}

/// Lines with how often each is there.
fn counted(lines: impl IntoIterator<Item = (String, String)>) -> BTreeMap<(String, String), usize> {
    let mut counts = BTreeMap::new();
    for line in lines {
        *counts.entry(line).or_default() += 1;
    }
    counts
}

/// What the daemon has, by the same measure.
fn received(daemon: &Daemon) -> BTreeMap<(String, String), usize> {
    counted(daemon.received().iter().filter_map(|line| {
        let mut parts = line.splitn(4, '|');
        let (_, host, program, message) =
            (parts.next()?, parts.next()?, parts.next()?, parts.next()?);
        let entity = host.split_once('.').map_or(host, |(entity, _)| entity);
        (program == "periapt").then(|| (entity.to_owned(), message.trim_start().to_owned()))
    }))
}

/// Waits until every line of the log has arrived once, and nothing else has.
fn until_same(home: &Home, daemon: &Daemon) -> Result<usize> {
    let begun = Instant::now();
    loop {
        let (expected, found) = (counted(logged(home)?), received(daemon));
        if expected == found {
            return Ok(found.values().sum());
        }
        if begun.elapsed() > PATIENCE {
            let missing: Vec<_> = expected
                .iter()
                .filter(|(line, count)| found.get(*line) != Some(*count))
                .take(5)
                .collect();
            let extra: Vec<_> = found
                .iter()
                .filter(|(line, count)| expected.get(*line) != Some(*count))
                .take(5)
                .collect();
            anyhow::bail!(
                "the daemon has something else: missing {missing:#?}, not expected {extra:#?}"
            );
        }
        std::thread::sleep(Duration::from_millis(200));
    }
}

/// The report of a worker of the model `test`, or of the controller.
fn report(home: &Home, model: Option<&str>, worker: &str) -> Result<Value> {
    let mut socket = UnixStream::connect(home.controller_directory().join("introspection.sock"))?;
    socket.write_all(b"GET /depengine HTTP/1.1\r\nHost: periapt\r\nConnection: close\r\n\r\n")?;
    let mut answer = String::new();
    socket.read_to_string(&mut answer)?;
    let body = answer.split_once("\r\n\r\n").context("no body")?.1;
    let all: Value = serde_json::from_str(body)?;
    let wanted = model.map_or_else(|| "controller".to_owned(), |uuid| format!("model/{uuid}"));
    let found = |list: &Value, member: &str, name: &str| -> Value {
        let mut items = list.as_array().into_iter().flatten();
        items
            .find(|item| item[member] == *name)
            .cloned()
            .unwrap_or_default()
    };
    let engine = found(&all["engines"], "id", &wanted);
    Ok(found(&engine["nodes"], "name", worker)["report"].clone())
}

fn until_report(
    home: &Home,
    model: Option<&str>,
    worker: &str,
    holds: impl Fn(&Value) -> bool,
) -> Result<Value> {
    let begun = Instant::now();
    loop {
        let last = report(home, model, worker)?;
        if holds(&last) {
            return Ok(last);
        }
        ensure!(
            begun.elapsed() < PATIENCE,
            "the report of {worker} stays {last:#}"
        );
        std::thread::sleep(Duration::from_millis(100));
    }
}

fn uuid(home: &Home) -> Result<String> {
    let models: Value = serde_json::from_str(&home.ok(["models", "--format", "json"])?)?;
    let all = models["models"].as_array().context("models")?;
    let found = all.iter().find(|model| {
        model["short-name"] == "test"
            || model["name"]
                .as_str()
                .is_some_and(|name| name.ends_with("test"))
    });
    let uuid = found.and_then(|model| model["model-uuid"].as_str().or(model["uuid"].as_str()));
    Ok(uuid.context("the model test has a UUID")?.to_owned())
}

#[test]
fn a_models_log_reaches_rsyslog_over_tcp_and_survives_its_absence() -> Result<()> {
    let home = Home::started()?;
    let mut daemon = Daemon::new(&home.path().join("rsyslog"), None)?;
    daemon.start()?;
    home.ok(["deploy", &charm("site").display().to_string()])?;
    home.until_workload("site/0", "active")?;
    let model = uuid(&home)?;
    let host = format!("syslog-host={}", daemon.address());
    home.ok(["model-config", "logforward-enabled=true", &host])?;
    let first = until_same(&home, &daemon)?;
    ensure!(first > 0, "something is logged");

    // Lines that come while it is connected.
    retitled(&home, "Forwarded")?;
    until_same(&home, &daemon)?;

    // And those of its absence.
    daemon.stop();
    until_report(&home, Some(&model), "log-forwarder", |report| {
        report["state"] == "retrying"
    })?;
    retitled(&home, "Meanwhile")?;
    daemon.start()?;
    until_report(&home, Some(&model), "log-forwarder", |report| {
        report["state"] == "connected"
    })?;
    until_same(&home, &daemon)?;
    Ok(())
}

#[test]
fn a_models_log_reaches_rsyslog_over_tls_with_certificates_on_both_sides() -> Result<()> {
    let home = Home::started()?;
    let certificates = Certificates::make()?;
    let mut daemon = Daemon::new(&home.path().join("rsyslog"), Some(&certificates))?;
    daemon.start()?;
    home.ok(["deploy", &charm("site").display().to_string()])?;
    home.until_workload("site/0", "active")?;
    let model = uuid(&home)?;
    let file = |name: &str, text: &str| -> Result<String> {
        let path = home.path().join(name);
        std::fs::write(&path, text)?;
        Ok(format!("{name}=@{}", path.display()))
    };
    // An authority that does not vouch for the daemon is not good enough.
    let stranger = Certificates::make()?;
    home.ok([
        "model-config",
        "logforward-enabled=true",
        &format!("syslog-host={}", daemon.address()),
        &file("syslog-ca-cert", &stranger.authority)?,
        &file("syslog-client-cert", &certificates.client.0)?,
        &file("syslog-client-key", &certificates.client.1)?,
    ])?;
    let refused = until_report(&home, Some(&model), "log-forwarder", |report| {
        report["state"] == "retrying"
    })?;
    ensure!(
        refused["error"]
            .as_str()
            .is_some_and(|error| error.contains("certificate")),
        "{refused}"
    );
    ensure!(received(&daemon).is_empty());

    home.ok([
        "model-config",
        &file("syslog-ca-cert", &certificates.authority)?,
    ])?;
    let told = until_report(&home, Some(&model), "log-forwarder", |report| {
        report["state"] == "connected"
    })?;
    ensure!(told["tls"] == true, "{told}");
    until_same(&home, &daemon)?;
    let warned = home.ok(["controller-config", "auditing-enabled"])?;
    ensure!(warned.trim() == "true");
    Ok(())
}

/// syslogger: the local daemon has the model's lines, with their severity.
#[test]
fn a_model_that_logs_to_syslog_is_heard_by_the_local_daemon() -> Result<()> {
    let home = Home::started()?;
    let mut daemon = Daemon::new(&home.path().join("rsyslog"), None)?;
    daemon.start()?;
    ensure!(
        report(&home, None, "syslog")?["target"] == "",
        "discarded by default"
    );
    home.ok([
        "model-config",
        "logging-output=database,syslog",
        "logging-config=<root>=DEBUG",
    ])?;
    home.ok([
        "controller-config",
        &format!("syslog-target=unix:{}", daemon.socket().display()),
    ])?;
    until_report(&home, None, "syslog", |report| report["target"] != "")?;
    home.ok(["deploy", &charm("site").display().to_string()])?;
    home.until_workload("site/0", "active")?;
    home.ok(["config", "site", "theme=purple"])?;
    home.until_workload("site/0", "blocked")?;
    let severities = logged_severities(&home)?;
    let begun = Instant::now();
    loop {
        let lines = daemon.received();
        let heard = |severity: &str| {
            lines.iter().any(|line| {
                let of_unit = line.contains("unit-site-0") && line.contains("|periapt|");
                of_unit && line.starts_with(&format!("{severity}|"))
            })
        };
        if severities.iter().all(|severity| heard(severity)) {
            break;
        }
        ensure!(
            begun.elapsed() < PATIENCE,
            "not all of {severities:?} in {lines:#?}"
        );
        std::thread::sleep(Duration::from_millis(200));
    }
    ensure!(!severities.is_empty());

    // The audit log knows who set it up.
    let audit = home.ok([
        "audit",
        "--matching",
        "controller/config",
        "--format",
        "json",
    ])?;
    let audit: Value = serde_json::from_str(&audit)?;
    ensure!(
        audit[0]["who"] == "user-admin" && audit[0]["result"] == "200",
        "{audit}"
    );
    let changes = home.ok(["audit", "-m", "test"])?;
    ensure!(
        changes.contains("changed") && changes.contains("of the model"),
        "{changes}"
    );
    Ok(())
}

/// Severities of the unit's lines, by syslog's names.
fn logged_severities(home: &Home) -> Result<Vec<&'static str>> {
    let text = home.ok([
        "debug-log",
        "--replay",
        "--no-tail",
        "--include",
        "unit-site-0",
        "--level",
        "INFO",
        "--format",
        "json",
    ])?;
    let mut found = Vec::new();
    for line in text.lines() {
        let record: Value = serde_json::from_str(line)?;
        let name = match record["level"].as_str() {
            Some("ERROR") => "err",
            Some("WARNING") => "warning",
            _ => "info",
        };
        if !found.contains(&name) {
            found.push(name);
        }
    }
    Ok(found)
}

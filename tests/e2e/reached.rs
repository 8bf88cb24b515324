//! Nobody has to guess why an exposed application is not found: the command, the status and whoever asks are told,
//! and hear of it once it is.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::os::unix::net::UnixStream;

use anyhow::{Context, Result, ensure};
use periapt_model::ModelUuid;
use periapt_model::reach::Network;
use periapt_model::reach::published::{Answer, Published, Request};
use periapt_tests::web::{free_port, until_found};
use periapt_tests::{Home, charm};
use serde_json::Value;

const TITLE: &str = "Documentation";

/// A controller with one site, and what the site says of itself.
fn deployed(port: u16) -> Result<(Home, String)> {
    let home = Home::started()?;
    home.ok(["controller-config", &format!("ingress-port={port}")])?;
    let site = charm("site").display().to_string();
    home.ok([
        "deploy",
        &site,
        "docs",
        "--config",
        &format!("title={TITLE}"),
    ])?;
    home.until_workload("docs/0", "active")?;
    let said = message(&home.status()?)?;
    Ok((home, said))
}

fn message(status: &Value) -> Result<String> {
    let message = &status["applications"]["docs"]["application-status"]["message"];
    Ok(message.as_str().context("no message")?.to_owned())
}

/// Every place at which a person looks says why the application is not found by name.
fn told(home: &Home, said: &str, why: &str) -> Result<()> {
    home.ok(["expose", "docs"])?;
    let status = home.until(why, |status| {
        message(status).is_ok_and(|message| message.contains(why))
    })?;
    let status = message(&status)?;
    let answer = home.periapt(["expose", "docs"])?;
    let line = answer.err.lines().find(|line| line.contains(why));
    let line = line.with_context(|| format!("expose does not say why: {answer:?}"))?;
    ensure!(line.starts_with("docs can"), "{line}");
    // Others may have the unit's own address as well, which comes first then.
    let (own, trouble) = status.split_once("; ").unwrap_or_default();
    ensure!(own == said, "{status}");
    ensure!(trouble.contains("not found by name: "), "{status}");
    let reach: Value = serde_json::from_str(&home.ok(["reachability", "--format", "json"])?)?;
    let failed = reach["ingress-failed"].as_str().unwrap_or_default();
    ensure!(failed.contains(why), "{reach:#}");
    let shown: Value =
        serde_json::from_str(&home.ok(["show-application", "docs", "--format", "json"])?)?;
    ensure!(
        !shown.to_string().contains("http://docs.test.localhost"),
        "{shown:#}"
    );
    Ok(())
}

/// Whoever watches the model hears that it is found now, without asking again.
fn found(home: &Home, port: u16) -> Result<()> {
    let query = "!contains(message, \"not found by name\")";
    home.ok([
        "wait-for",
        "application",
        "docs",
        "--query",
        query,
        "--timeout",
        "2m",
    ])?;
    let page = until_found(port, "docs.test.localhost", TITLE)?;
    ensure!(page.contains(TITLE), "{page}");
    let answer = home.periapt(["expose", "docs"])?;
    let url = format!("docs can be reached at http://docs.test.localhost:{port}/");
    ensure!(answer.code == 0 && answer.err.contains(&url), "{answer:?}");
    Ok(())
}

#[test]
fn an_ingress_port_that_is_taken_is_said_wherever_one_looks() -> Result<()> {
    let taken = TcpListener::bind("127.0.0.1:0")?;
    let port = taken.local_addr()?.port();
    let (home, said) = deployed(port)?;
    told(&home, &said, "is in use by another program")?;
    drop(taken);
    found(&home, port)
}

/// Another controller that shares the machine's supervisor has a model of the same name; what it says to the
/// supervisor is said here in its place.
#[test]
fn a_name_that_two_models_have_is_said_wherever_one_looks() -> Result<()> {
    let port = free_port()?;
    let (home, said) = deployed(port)?;
    let socket = home
        .controller_directory()
        .join("agents/workloads/control.sock");
    let mut control = BufReader::new(UnixStream::connect(socket)?);
    let other: ModelUuid = "00000000-0000-4000-8000-000000000001".parse()?;
    let mut say = |number, document| -> Result<()> {
        let model = other.clone();
        let request = Request {
            number,
            model,
            document,
        };
        writeln!(control.get_mut(), "{}", serde_json::to_string(&request)?)?;
        loop {
            let mut line = String::new();
            ensure!(control.read_line(&mut line)? > 0, "the supervisor is gone");
            // One of the number 0 is to nobody's question.
            if serde_json::from_str::<Answer>(&line)?.number == number {
                return Ok(());
            }
        }
    };
    say(
        1,
        Some(Box::new(Published {
            name: "test".parse()?,
            directory: home.path().to_owned(),
            ingress: ([127, 0, 0, 1], port).into(),
            network: Network::default(),
            addresses: Default::default(),
            traces: false,
        })),
    )?;
    told(&home, &said, "is called test as well")?;
    say(2, None)?;
    found(&home, port)
}

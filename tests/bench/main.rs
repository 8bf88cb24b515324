//! `cargo xtask bench`: the figures of SPECIFICATION.md, measured on the real program in one run.
//!
//! Absolute times belong to the machine; the ratio to the peer, measured beside it, carries over.

mod feed;
mod figures;
mod leases;
mod peer;
mod relations;
mod web;

use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use figures::{Figures, peak_memory, resident_memory};
use periapt_client::rest::{Authorization, RestClient};
use periapt_model::config::Value;
use periapt_tests::{Home, charm, kill};
use periapt_wire::rest::{ConfigChange, LogQuery};

const MODEL: &str = "test";

fn main() -> Result<()> {
    let quick = std::env::args().any(|argument| argument == "--quick");
    // For those who work on these alone.
    if std::env::args().any(|argument| argument == "--feed") {
        return feed(&tokio::runtime::Runtime::new()?, quick);
    }
    if std::env::args().any(|argument| argument == "--web") {
        return page(&tokio::runtime::Runtime::new()?, quick);
    }
    if std::env::args().any(|argument| argument == "--relations") {
        return related(&tokio::runtime::Runtime::new()?, quick);
    }
    if std::env::args().any(|argument| argument == "--leases") {
        return leases(&tokio::runtime::Runtime::new()?, quick);
    }
    let (hooks, peers, units, statuses) = if quick {
        (50, 10, 50, 20)
    } else {
        (500, 60, 1000, 200)
    };
    let python = std::env::var_os("PERIAPT_BENCH_PYTHON")
        .map(PathBuf::from)
        .context("PERIAPT_BENCH_PYTHON names a Python that has ops")?;
    let runtime = tokio::runtime::Runtime::new()?;

    println!("(a) one hook, from event chosen to commit durable; no-op charm, config-changed");
    let ours = runtime.block_on(hook_dispatch(hooks))?;
    let ops = peer(&python, peers)?;
    println!("    Periapt, Rust charm          {ours}");
    println!("    ops on CPython, stub tools   {ops}");
    println!(
        "    ratio                        p50 {:.0} times, p99 {:.0} times",
        ops.p(50).as_secs_f64() / ours.p(50).as_secs_f64(),
        ops.p(99).as_secs_f64() / ours.p(99).as_secs_f64()
    );

    println!("(b) {units} units of site, from nothing to all active");
    let home = Home::started()?;
    let settled = runtime.block_on(settle(&home, units))?;
    println!("    {settled}");

    println!("(c) status of that model as JSON over HTTPS, {statuses} times");
    println!("    {}", runtime.block_on(status(&home, statuses))?);

    println!("(d) controller killed, start to ready with that model, 5 times");
    println!("    {}", runtime.block_on(restart(&home))?);
    drop(home);

    feed(&runtime, quick)?;
    leases(&runtime, quick)?;
    page(&runtime, quick)?;
    related(&runtime, quick)
}

/// (i) and (j).
fn related(runtime: &tokio::runtime::Runtime, quick: bool) -> Result<()> {
    let (pages, sites, heard) = if quick {
        (25, 25, 100)
    } else {
        (250, 250, 1000)
    };
    let size = relations::Size {
        pages,
        sites,
        units: 7,
        each: 10,
    };
    println!("(i) a model with many relations, from nothing to all settled");
    println!("    {}", runtime.block_on(relations::settle(&size))?);
    println!("(j) one change of a site's title, seen by the pages related to it");
    println!("    {}", runtime.block_on(relations::heard(heard))?);
    Ok(())
}

/// (h).
fn page(runtime: &tokio::runtime::Runtime, quick: bool) -> Result<()> {
    let units = if quick { 50 } else { 500 };
    println!("(h) the page of a model with {units} units in Chromium, cold; then changes to it");
    println!("    {}", runtime.block_on(web::measure(units))?);
    Ok(())
}

/// (g).
fn leases(runtime: &tokio::runtime::Runtime, quick: bool) -> Result<()> {
    let claims = if quick { 1_000 } else { 20_000 };
    println!("(g) claims of leases by their holders over the API, 32 at once, {claims} of them");
    let home = leases::home()?;
    for leases in [1, 1_000] {
        let figures = runtime.block_on(leases::claims(&home, leases, claims))?;
        println!("    {leases:>5} leases   {figures}");
    }
    Ok(())
}

/// (e) and (f).
fn feed(runtime: &tokio::runtime::Runtime, quick: bool) -> Result<()> {
    let size = if quick {
        feed::Size {
            readers: 10,
            applications: 50,
            changes: 1_000,
            per_second: 200,
            seconds: 3,
        }
    } else {
        feed::Size {
            readers: 100,
            applications: 500,
            changes: 20_000,
            per_second: 1_000,
            seconds: 15,
        }
    };
    println!("(e) readers of events behind writers");
    println!("    {}", runtime.block_on(feed::lag(&size))?);

    println!(
        "(f) status of 100 applications, wrk, {} s each",
        size.seconds
    );
    println!("    {}", runtime.block_on(feed::status(&size))?);
    Ok(())
}

/// A client logged in with the account that bootstrap wrote.
async fn client(home: &Home) -> Result<RestClient> {
    let (address, ca, token) = session(home).await?;
    Ok(RestClient::new(&[address], &ca)?.with(Authorization::Bearer(token)))
}

/// Address and CA of the controller, and a token for it.
async fn session(home: &Home) -> Result<(String, String, String)> {
    let read = |file: &str| -> Result<serde_json::Value> {
        let text = std::fs::read_to_string(home.path().join("client").join(file))?;
        Ok(serde_saphyr::from_str(&text)?)
    };
    let controllers = read("controllers.yaml")?;
    let controller = &controllers["controllers"]["tester"];
    let address = controller["api-endpoints"][0]
        .as_str()
        .context("no endpoint")?
        .to_owned();
    let ca = controller["ca-cert"].as_str().context("no CA")?;
    let accounts = read("accounts.yaml")?;
    let account = &accounts["controllers"]["tester"];
    let user = account["user"].as_str().context("no user")?;
    let password = account["password"].as_str().context("no password")?;
    let client = RestClient::new(std::slice::from_ref(&address), ca)?;
    let token = client.login(user, password).await?.1.token;
    Ok((address, ca.to_owned(), token))
}

/// Times of `hooks` runs of config-changed, as the uniter logs them.
async fn hook_dispatch(hooks: usize) -> Result<Figures> {
    let home = Home::started()?;
    home.ok(["deploy", &charm("noop").display().to_string(), "noop"])?;
    // It does nothing, so it never says that it is active.
    home.ok([
        "wait-for",
        "application",
        "noop",
        "--query",
        "len(units) > 0 && forEach(units, unit => unit.agent-status==\"idle\")",
        "--timeout",
        "3m",
    ])?;
    let client = client(&home).await?;
    let name = "noop".parse()?;
    for number in 0..hooks {
        let set = [("salt".to_owned(), Value::Text(number.to_string()))]
            .into_iter()
            .collect();
        client
            .set_application_config(
                MODEL,
                &name,
                &ConfigChange {
                    set,
                    reset: Vec::new(),
                },
            )
            .await?;
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    tokio::time::sleep(Duration::from_secs(2)).await;
    let mut times = Vec::new();
    let query = LogQuery {
        replay: true,
        include: Some("noop/0".to_owned()),
        ..LogQuery::default()
    };
    let mut lines = client.logs(MODEL, &query).await?;
    while let Some(line) = lines.next().await {
        times.extend(hook_time(&line?.message, "config-changed"));
    }
    anyhow::ensure!(
        times.len() * 10 >= hooks * 5,
        "only {} of {hooks} hooks are in the log",
        times.len()
    );
    Ok(Figures::new(times))
}

/// `ran "config-changed" hook in 0.812 ms` as a duration.
fn hook_time(message: &str, hook: &str) -> Option<Duration> {
    let rest = message.strip_prefix(&format!("ran \"{hook}\" hook in "))?;
    let milliseconds: f64 = rest.strip_suffix(" ms")?.parse().ok()?;
    Some(Duration::from_secs_f64(milliseconds / 1000.0))
}

fn peer(python: &std::path::Path, runs: usize) -> Result<Figures> {
    let directory = tempfile::tempdir()?;
    let charm = peer::OpsCharm::write(directory.path(), python)?;
    charm.dispatch()?;
    Ok(Figures::new(
        (0..runs).map(|_| charm.dispatch()).collect::<Result<_>>()?,
    ))
}

async fn settle(home: &Home, units: usize) -> Result<String> {
    let started = Instant::now();
    home.ok([
        "deploy",
        &charm("site").display().to_string(),
        "site",
        "-n",
        &units.to_string(),
    ])?;
    let client = client(home).await?;
    let mut changes = client.events(Some(MODEL), None).await?;
    loop {
        let status = client.status(MODEL, &[]).await?;
        let application = status
            .applications
            .get("site")
            .context("site is deployed")?;
        let active = application.units.iter().flatten().filter(|(_, unit)| {
            unit.workload_status.status == "active" && unit.agent_status.status == "idle"
        });
        if active.count() == units {
            break;
        }
        anyhow::ensure!(
            started.elapsed() < Duration::from_secs(900),
            "not settled after 15 minutes"
        );
        changes
            .next()
            .await
            .context("the stream of events ended")??;
        tokio::time::sleep(Duration::from_millis(500)).await;
    }
    let seconds = started.elapsed().as_secs_f64();
    let query = LogQuery {
        replay: true,
        ..LogQuery::default()
    };
    let mut lines = client.logs(MODEL, &query).await?;
    let mut hooks = 0_usize;
    while let Some(line) = lines.next().await {
        hooks += usize::from(line?.message.starts_with("ran \""));
    }
    let controller = home.controller_pid()?;
    let agent = home.agent_pids()?.into_iter().next().context("no agent")?;
    Ok(format!(
        "{seconds:.1} s, {hooks} hooks, {:.0} hooks/s; memory peak (now): controller {} ({}), agent {} ({}) MiB",
        hooks as f64 / seconds,
        peak_memory(controller)?,
        resident_memory(controller)?,
        peak_memory(agent)?,
        resident_memory(agent)?
    ))
}

async fn status(home: &Home, times: usize) -> Result<Figures> {
    let client = client(home).await?;
    let mut figures = Vec::new();
    for _ in 0..times {
        let started = Instant::now();
        client.status(MODEL, &[]).await?;
        figures.push(started.elapsed());
    }
    Ok(Figures::new(figures))
}

async fn restart(home: &Home) -> Result<Figures> {
    let mut figures = Vec::new();
    for _ in 0..5 {
        kill(home.controller_pid()?);
        let client = client_without_login(home)?;
        let started = Instant::now();
        let mut process = home.restart_controller()?;
        while client.ready().await.is_err() {
            anyhow::ensure!(
                started.elapsed() < Duration::from_secs(60),
                "not ready after a minute"
            );
            anyhow::ensure!(process.try_wait()?.is_none(), "the controller ended");
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        figures.push(started.elapsed());
    }
    Ok(Figures::new(figures))
}

fn client_without_login(home: &Home) -> Result<RestClient> {
    let text = std::fs::read_to_string(home.path().join("client/controllers.yaml"))?;
    let controllers: serde_json::Value = serde_saphyr::from_str(&text)?;
    let controller = &controllers["controllers"]["tester"];
    let address = controller["api-endpoints"][0]
        .as_str()
        .context("no endpoint")?
        .to_owned();
    Ok(RestClient::new(
        &[address],
        controller["ca-cert"].as_str().context("no CA")?,
    )?)
}

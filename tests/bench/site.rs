//! (b), (c) and (d): many units whose charm writes files, the status of them, and a controller that
//! starts again with them.

use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use periapt_client::rest::RestClient;
use periapt_tests::account::client;
use periapt_tests::counters::Counters;
use periapt_tests::{Home, kill};

use crate::figures::{Figures, peak_memory, resident_memory};
use crate::hooks::{changed, median, settled};
use crate::report::{Budget, Report};
use crate::{MODEL, relations};

pub async fn measure(
    report: &mut Report,
    units: usize,
    rounds: usize,
    statuses: usize,
) -> Result<()> {
    let home = Home::started()?;
    let client = client(&home).await?;
    report.part('b', &format!("{units} units of site"));
    let site = relations::upload(&client, "site").await?;
    let began = Instant::now();
    relations::deploy(&client, &site, "site", u32::try_from(units)?).await?;
    let query = format!(
        "len(units) == {units} && forEach(units, unit => unit.workload-status==\"active\" && unit.agent-status==\"idle\")"
    );
    settled(&client, MODEL, query).await?;
    let seconds = began.elapsed().as_secs_f64();
    let metrics = client.controller_introspection("metrics").await?;
    let hooks: f64 = metrics
        .lines()
        .filter(|line| line.starts_with("periapt_hooks_total{"))
        .filter_map(|line| line.rsplit(' ').next()?.parse::<f64>().ok())
        .sum();
    report.figure("from nothing to all active and idle", seconds, "s");
    report.budget(
        "from nothing",
        hooks / seconds,
        "hooks/s",
        Budget::AtLeast(500.0),
    );
    let before = Counters::read(&home, &client).await?;
    let mut rates = Vec::new();
    for round in 0..rounds {
        rates.push(changed(&client, "site", units, "title", round).await?);
    }
    let after = Counters::read(&home, &client).await?;
    let rate = median(rates);
    report.budget(
        "a changed title, median of the rounds",
        rate,
        "hooks/s",
        Budget::AtLeast(700.0),
    );
    report.per_hook(&after.per_hook(&before, units * rounds));
    memory(report, &home)?;

    report.part('c', "status of that model as JSON over HTTPS");
    report.times("status", &status(&client, statuses).await?, None, None);

    report.part(
        'd',
        "controller killed, start to ready with that model, 5 times",
    );
    report.times("start to ready", &restart(&home).await?, None, None);
    Ok(())
}

/// What controller and agent hold.
pub fn memory(report: &mut Report, home: &Home) -> Result<()> {
    let agent = home.agent_pids()?.into_iter().next().context("no agent")?;
    for (who, pid) in [("controller", home.controller_pid()?), ("agent", agent)] {
        report.figure(
            &format!("memory of the {who}"),
            resident_memory(pid)? as f64,
            "MiB",
        );
        report.figure(
            &format!("memory of the {who}, most"),
            peak_memory(pid)? as f64,
            "MiB",
        );
    }
    Ok(())
}

pub async fn status(client: &RestClient, times: usize) -> Result<Figures> {
    let mut figures = Vec::new();
    for _ in 0..times {
        let started = Instant::now();
        client.status(MODEL, &[]).await?;
        figures.push(started.elapsed());
    }
    Ok(Figures::new(figures))
}

async fn restart(home: &Home) -> Result<Figures> {
    let client = client(home).await?;
    let mut figures = Vec::new();
    for _ in 0..5 {
        kill(home.controller_pid()?);
        let started = Instant::now();
        let mut process = home.restart_controller()?;
        while client.ready().await.is_err() {
            ensure!(
                started.elapsed() < Duration::from_secs(60),
                "not ready after a minute"
            );
            ensure!(process.try_wait()?.is_none(), "the controller ended");
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        figures.push(started.elapsed());
    }
    Ok(Figures::new(figures))
}

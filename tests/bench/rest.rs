//! (l): what units cost that have nothing to do.

use std::time::Duration;

use anyhow::{Context, Result};
use periapt_client::rest::RestClient;
use periapt_tests::Home;
use periapt_tests::account::client;
use periapt_tests::counters::Counters;
use periapt_wire::rest::{AddModel, Deploy};

use crate::figures::share_of_memory;
use crate::hooks::{idle, settled};
use crate::report::{Budget, Report};
use crate::{MODEL, relations};

/// How much is measured.
pub struct Size {
    /// The units that are there before their cost is measured, and then.
    pub first: usize,
    pub units: usize,
    pub many: usize,
    pub models: usize,
    pub each: u32,
    /// For how long processor time is counted.
    pub watched: Duration,
}

/// After the last hook, until what it left is cleared away.
const SETTLES: Duration = Duration::from_secs(20);

pub async fn measure(report: &mut Report, size: &Size) -> Result<()> {
    one_model(report, size).await?;
    many_models(report, size).await
}

async fn one_model(report: &mut Report, size: &Size) -> Result<()> {
    let home = Home::started()?;
    let client = client(&home).await?;
    let noop = relations::upload(&client, "noop").await?;
    let mut before = None;
    for (name, units) in [
        ("first", size.first),
        ("more", size.units - size.first),
        ("many", size.many - size.units),
    ] {
        let there = match name {
            "first" => size.first,
            "more" => size.units,
            _ => size.many,
        };
        relations::deploy(&client, &noop, name, u32::try_from(units)?).await?;
        idle(&client, there).await?;
        tokio::time::sleep(SETTLES).await;
        let held = Held::of(&home)?;
        if let ("more", Some(Held { controller, agents })) = (name, &before) {
            for (who, now, then) in [
                ("controller", held.controller, controller),
                ("agent", held.agents, agents),
            ] {
                report.budget(
                    &format!("one more idle unit, {who}"),
                    (now as f64 - *then as f64) / units as f64,
                    "KiB",
                    Budget::AtMost(40.0),
                );
            }
            let percent = processor(&home, &client, size.watched).await?;
            report.budget(
                &format!("{there} units at rest, controller and agent"),
                percent,
                "% of a core",
                Budget::AtMost(0.3),
            );
        }
        if name == "many" {
            report.budget(
                &format!("{there} idle units, controller and agent"),
                held.mebibytes(),
                "MiB",
                Budget::AtMost(1024.0),
            );
        }
        before = Some(held);
    }
    Ok(())
}

async fn many_models(report: &mut Report, size: &Size) -> Result<()> {
    let home = Home::started()?;
    let client = client(&home).await?;
    let archive = std::fs::read(periapt_tests::charm("noop"))?;
    for number in 0..size.models {
        let model = format!("{MODEL}{number}");
        let add = AddModel::new(model.parse()?);
        client.add_model(&add).await?;
        let charm = client
            .upload_charm(&model, archive.clone().into(), None, None)
            .await?;
        let deploy = Deploy {
            channel: None,
            resources: Default::default(),
            trust: false,
            constraints: String::new(),
            application: "noop".parse()?,
            charm: charm.url.to_string(),
            units: size.each,
            config: Default::default(),
            placement: Vec::new(),
            storage: Default::default(),
            attach_storage: Vec::new(),
            capabilities: Default::default(),
        };
        client.deploy(&model, &deploy).await?;
        let query = "len(units) > 0 && forEach(units, unit => unit.agent-status==\"idle\")";
        settled(&client, &model, query.to_owned()).await?;
    }
    tokio::time::sleep(SETTLES).await;
    let what = format!("{} models of {} idle units", size.models, size.each);
    let percent = processor(&home, &client, size.watched).await?;
    report.budget(&what, percent, "% of a core", Budget::AtMost(1.0));
    let held = Held::of(&home)?.mebibytes();
    report.budget(&what, held, "MiB", Budget::AtMost(2048.0));
    Ok(())
}

/// Processor time of controller and agents, in hundredths of a core.
async fn processor(home: &Home, client: &RestClient, watched: Duration) -> Result<f64> {
    let before = Counters::read(home, client).await?;
    tokio::time::sleep(watched).await;
    let used = Counters::read(home, client).await?.cpu_since(&before);
    Ok(used.as_secs_f64() / watched.as_secs_f64() * 100.0)
}

/// Memory of both sides, KiB, with each shared page once.
struct Held {
    controller: u64,
    agents: u64,
}

impl Held {
    fn of(home: &Home) -> Result<Self> {
        let agents = home.agent_pids().context("agents")?;
        Ok(Self {
            controller: share_of_memory(home.controller_pid()?)?,
            agents: agents.into_iter().map(share_of_memory).sum::<Result<_>>()?,
        })
    }

    fn mebibytes(&self) -> f64 {
        (self.controller + self.agents) as f64 / 1024.0
    }
}

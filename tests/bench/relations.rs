//! (i) and (j): a model with many relations, and one change that many related units hear of.

use std::time::{Duration, Instant};

use anyhow::Result;
use periapt_client::rest::RestClient;
use periapt_tests::account::client;
use periapt_tests::{Home, charm};
use periapt_wire::rest::Deploy;
use periapt_wire::status::FullStatus;

use crate::MODEL;
use crate::hooks::{microseconds, runs, set};
use crate::report::{Budget, Report};
use crate::site::{memory, status};

/// How large the model is: pages with one unit each, sites with several, each page related to
/// some of the sites.
pub struct Size {
    pub pages: usize,
    pub sites: usize,
    pub units: u32,
    pub each: usize,
}

const PATIENCE: Duration = Duration::from_secs(1800);
const STATUSES: usize = 200;
/// Between two changes while the status is asked for: each is heard by ten units.
const CHANGES: Duration = Duration::from_millis(50);

pub async fn settle(report: &mut Report, size: &Size) -> Result<()> {
    let home = Home::started()?;
    let client = client(&home).await?;
    let site = upload(&client, "site").await?;
    let front = upload(&client, "front").await?;
    let started = Instant::now();
    for number in 0..size.sites {
        deploy(&client, &site, &format!("site{number}"), size.units).await?;
    }
    for number in 0..size.pages {
        deploy(&client, &front, &format!("page{number}"), 1).await?;
    }
    for page in 0..size.pages {
        for one in 0..size.each {
            let (page, site) = (
                format!("page{page}:website"),
                format!("site{}:website", (page * size.each + one) % size.sites),
            );
            client.integrate(MODEL, [&page, &site]).await?;
        }
    }
    let described = started.elapsed();
    let says = match size.each {
        1 => "1 site".to_owned(),
        each => format!("{each} sites"),
    };
    until(&client, |status| {
        status.applications.iter().all(|(name, application)| {
            let mut units = application.units.iter().flatten();
            units.all(|(_, unit)| {
                unit.workload_status.status == "active"
                    && unit.agent_status.status == "idle"
                    && (!name.starts_with("page") || unit.workload_status.info == says)
            })
        })
    })
    .await?;
    let settled = started.elapsed();
    report.figure("described after", described.as_secs_f64(), "s");
    report.budget(
        "settled after",
        settled.as_secs_f64(),
        "s",
        Budget::AtMost(75.0),
    );
    tokio::time::sleep(Duration::from_secs(5)).await;
    let rest = status(&client, STATUSES).await?;
    report.times("status at rest", &rest, None, Some(Budget::AtMost(20.0)));
    let busy = while_changing(&client, size, status(&client, STATUSES)).await?;
    report.times(
        "status while units go on",
        &busy,
        None,
        Some(Budget::AtMost(50.0)),
    );
    memory(report, &home)
}

/// What `asks` gives while titles of sites change, each heard by the pages related to it.
async fn while_changing<T>(
    client: &RestClient,
    size: &Size,
    asks: impl Future<Output = Result<T>>,
) -> Result<T> {
    let changes = async {
        for number in 0.. {
            let site = format!("site{}", number % size.sites);
            set(client, &site, "title", &format!("Title {number}")).await?;
            tokio::time::sleep(CHANGES).await;
        }
        anyhow::Ok(())
    };
    tokio::select! {
        asked = asks => asked,
        ended = changes => Err(ended.err().unwrap_or_else(|| anyhow::anyhow!("no changes"))),
    }
}

/// One site, and so many pages related to it: from the API's answer to a change of its title to
/// the commit of the last hook that saw it.
pub async fn heard(report: &mut Report, pages: u32) -> Result<()> {
    let home = Home::started()?;
    let client = client(&home).await?;
    let site = upload(&client, "site").await?;
    let front = upload(&client, "front").await?;
    deploy(&client, &site, "site", 1).await?;
    deploy(&client, &front, "page", pages).await?;
    client
        .integrate(MODEL, ["page:website", "site:website"])
        .await?;
    until(&client, |status| {
        let units = status.applications["page"].units.iter().flatten();
        let related = units.filter(|(_, unit)| {
            unit.workload_status.info == "1 site" && unit.agent_status.status == "idle"
        });
        related.count() == pages as usize
    })
    .await?;
    set(&client, "site", "title", "Heard").await?;
    let since = microseconds()?;
    let hook = Some("website-relation-changed");
    let heard = runs(&client, "page", hook, since, pages as usize).await?;
    let ended = heard.iter().map(|run| run.started_at + run.duration).max();
    let took = Duration::from_micros(u64::try_from(ended.unwrap_or(since) - since)?);
    report.budget(
        "the last hook ended after",
        took.as_secs_f64(),
        "s",
        Budget::AtMost(1.5),
    );
    Ok(())
}

/// Uploads a charm of the project; its URL.
pub async fn upload(client: &RestClient, name: &str) -> Result<String> {
    let archive = std::fs::read(charm(name))?;
    let charm = client
        .upload_charm(MODEL, archive.into(), None, None)
        .await?;
    Ok(charm.url.to_string())
}

pub async fn deploy(client: &RestClient, charm: &str, name: &str, units: u32) -> Result<()> {
    let deploy = Deploy {
        channel: None,
        resources: Default::default(),
        trust: false,
        constraints: String::new(),
        application: name.parse()?,
        charm: charm.to_owned(),
        units,
        config: Default::default(),
        placement: Vec::new(),
        storage: Default::default(),
        attach_storage: Vec::new(),
        capabilities: Default::default(),
    };
    client.deploy(MODEL, &deploy).await?;
    Ok(())
}

async fn until(client: &RestClient, holds: impl Fn(&FullStatus) -> bool) -> Result<()> {
    let began = Instant::now();
    while !holds(&client.status(MODEL, &[]).await?) {
        anyhow::ensure!(began.elapsed() < PATIENCE, "not settled after half an hour");
        tokio::time::sleep(Duration::from_millis(500)).await;
    }
    Ok(())
}

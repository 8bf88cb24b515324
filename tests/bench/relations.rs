//! (i) and (j): a model with many relations, and one change that many related units hear of.

use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use periapt_client::rest::RestClient;
use periapt_model::ApplicationName;
use periapt_model::config::Value;
use periapt_tests::{Home, charm};
use periapt_wire::rest::{ConfigChange, Deploy, HookQuery};
use periapt_wire::status::FullStatus;

use crate::figures::{peak_memory, resident_memory};
use crate::{MODEL, client};

/// How large the model is: pages with one unit each, sites with several, each page related to
/// some of the sites.
pub struct Size {
    pub pages: usize,
    pub sites: usize,
    pub units: u32,
    pub each: usize,
}

const PATIENCE: Duration = Duration::from_secs(1800);

pub async fn settle(size: &Size) -> Result<String> {
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
    let mut statuses = Vec::new();
    for _ in 0..50 {
        let asked = Instant::now();
        client.status(MODEL, &[]).await?;
        statuses.push(asked.elapsed());
    }
    let controller = home.controller_pid()?;
    let agent = home.agent_pids()?.into_iter().next().context("no agent")?;
    Ok(format!(
        "{} applications, {} units, {} relations: described in {:.1} s, settled after {:.1} s; \
         status {}; memory peak (now): controller {} ({}), agent {} ({}) MiB",
        size.pages + size.sites,
        size.pages + size.sites * size.units as usize,
        size.pages * size.each,
        described.as_secs_f64(),
        settled.as_secs_f64(),
        crate::figures::Figures::new(statuses),
        peak_memory(controller)?,
        resident_memory(controller)?,
        peak_memory(agent)?,
        resident_memory(agent)?
    ))
}

/// One site, and so many pages related to it: from the API's answer to a change of its title to
/// the commit of the last hook that saw it.
pub async fn heard(pages: u32) -> Result<String> {
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
    let title = [("title".to_owned(), Value::Text("Heard".to_owned()))];
    let change = ConfigChange {
        set: title.into_iter().collect(),
        reset: Vec::new(),
    };
    let application: ApplicationName = "site".parse()?;
    client
        .set_application_config(MODEL, &application, &change)
        .await?;
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH)?;
    let changed = i64::try_from(now.as_micros())?;
    let began = Instant::now();
    loop {
        let mut ends = Vec::new();
        let mut query = HookQuery {
            application: Some("page".to_owned()),
            hook: Some("website-relation-changed".to_owned()),
            since: Some(changed),
            limit: Some(1000),
            ..HookQuery::default()
        };
        loop {
            let page = client.hooks(MODEL, &query).await?;
            ends.extend(page.items.iter().map(|run| run.started_at + run.duration));
            query.after = page.next;
            if query.after.is_none() {
                break;
            }
        }
        if ends.len() >= pages as usize {
            let last = ends.iter().max().copied().unwrap_or(changed);
            let seconds = Duration::from_micros(u64::try_from(last - changed)?).as_secs_f64();
            return Ok(format!(
                "{pages} units: the last hook ended {seconds:.1} s after the change"
            ));
        }
        anyhow::ensure!(
            began.elapsed() < PATIENCE,
            "only {} of {pages} units heard of it",
            ends.len()
        );
        tokio::time::sleep(Duration::from_millis(500)).await;
    }
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
        application: name.parse()?,
        charm: charm.to_owned(),
        units,
        config: Default::default(),
        placement: Vec::new(),
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

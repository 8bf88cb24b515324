//! The promises to a person who deploys charms, kept by the real program from end to end.

mod accounts;
mod actions;
mod agents;
mod alerts;
mod author;
mod blocks;
mod bundle_api;
mod bundle_revisions;
mod bundles;
mod catalogue;
mod causes;
mod endpoints;
mod files;
mod gateway;
mod grants;
#[path = "../../host/serving/src/tests/guest.rs"]
#[allow(clippy::unwrap_used, clippy::panic, dead_code)]
mod guest;
mod incidents;
mod juju_scripts;
mod lifecycle;
mod metrics;
mod observe;
mod quotas;
mod reached;
mod reboots;
mod refresh;
mod resources;
mod scale;
mod secret_backends;
mod secrets;
mod servers;
mod serving;
mod site;
mod status;
mod storage;
mod storage_pools;
mod unruly;
mod workers;

use anyhow::Result;
use periapt_tests::{Home, charm};

/// The site with two units that are active.
fn two_sites() -> Result<Home> {
    let home = Home::started()?;
    let site = charm("site").display().to_string();
    home.ok(["deploy", &site, "site", "-n", "2"])?;
    home.until_workload("site/0", "active")?;
    home.until_workload("site/1", "active")?;
    Ok(home)
}

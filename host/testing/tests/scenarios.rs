//! The charms of this project, told as scenarios.

use std::path::PathBuf;
use std::time::Duration;

use periapt_testing::{Scenario, ScenarioError};

fn charm(name: &str) -> PathBuf {
    let packed = std::env::var_os("PERIAPT_TEST_CHARMS").map_or_else(
        || PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../target/charms")),
        PathBuf::from,
    );
    packed.join(format!("{name}.charm"))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_site_is_deployed_configured_and_removed() -> Result<(), ScenarioError> {
    let scenario = Scenario::start().await?;
    scenario.deploy(charm("site"), "site", 2).await?;
    scenario.until_active("site").await?;
    let pages = [("pages", "- {name: index, text: \"# Hello\"}")];
    let refused = scenario.configure("site", &[("no-such", "x")]).await;
    assert_eq!(refused.unwrap_err().code(), "scenario-refused");
    let _ = pages;
    scenario.configure("site", &[("title", "Virtual")]).await?;
    scenario.until_active("site").await?;
    scenario.remove_application("site", false).await?;
    scenario
        .until("nothing to be left", |status| {
            status.applications.is_empty() && status.machines.is_empty()
        })
        .await?;
    scenario.stop().await
}

#[tokio::test(flavor = "multi_thread")]
async fn five_minutes_until_update_status_take_no_time() -> Result<(), ScenarioError> {
    let scenario = Scenario::start().await?;
    scenario.deploy(charm("probe"), "probe", 1).await?;
    scenario
        .until("the unit to rest", |status| {
            status.applications["probe"]
                .units
                .iter()
                .flatten()
                .any(|(_, unit)| unit.agent_status.status == "idle")
        })
        .await?;
    scenario.pass(Duration::from_secs(400)).await?;
    let hooks = scenario.hooks(Some("probe/0")).await?;
    assert!(hooks.iter().any(|run| run.hook == "update-status"));
    scenario.stop().await
}

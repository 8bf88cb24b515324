//! What the scenarios of this project's charms share.

use std::path::PathBuf;

use periapt_testing::{Scenario, ScenarioError};

pub type Done = Result<(), ScenarioError>;

/// A packed charm of the project.
pub fn charm(name: &str) -> PathBuf {
    let packed = std::env::var_os("PERIAPT_TEST_CHARMS").map_or_else(
        || PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../target/charms")),
        PathBuf::from,
    );
    packed.join(format!("{name}.charm"))
}

/// The hooks a unit ran well, in their order.
#[allow(dead_code, reason = "not every file of scenarios asks")]
pub async fn hooks(scenario: &Scenario, unit: &str) -> Result<Vec<String>, ScenarioError> {
    let runs = scenario.hooks(Some(unit)).await?;
    Ok(runs
        .into_iter()
        .filter(|run| run.result == "ok")
        .map(|run| run.hook)
        .collect())
}

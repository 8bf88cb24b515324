//! What the scenarios of this project's charms share.

#![allow(clippy::unwrap_used, reason = "tests")]

use std::collections::BTreeMap;
use std::io::{Cursor, Read, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use periapt_testing::{Scenario, ScenarioError};
use periapt_wire::rest::UnitRelation;

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
pub async fn hooks(scenario: &Scenario, unit: &str) -> Result<Vec<String>, ScenarioError> {
    let runs = scenario.hooks(Some(unit)).await?;
    Ok(runs
        .into_iter()
        .filter(|run| run.result == "ok")
        .map(|run| run.hook)
        .collect())
}

/// What the charm `probe` of a unit saw until it was removed, by its own account: a unit's runs go with it, its log stays.
pub async fn begun_hooks(scenario: &Scenario, unit: &str) -> Result<Vec<String>, ScenarioError> {
    for _ in 0..200 {
        let log = scenario.log(unit).await?;
        let begun = log.iter().filter_map(|line| {
            let (hook, _) = line
                .strip_prefix("hook ")?
                .split_once(", committed before:")?;
            Some(hook.to_owned())
        });
        let begun: Vec<String> = begun.collect();
        if begun.last().is_some_and(|hook| hook == "remove") {
            return Ok(begun);
        }
        scenario.pass(Duration::from_millis(100)).await?;
    }
    Err(ScenarioError::Never {
        what: format!("{unit} to be removed"),
        model: format!("{:?}", scenario.log(unit).await?),
    })
}

/// Waits until a unit ran the hook well and gives all it ran.
pub async fn until_ran(
    scenario: &Scenario,
    unit: &str,
    hook: &str,
) -> Result<Vec<String>, ScenarioError> {
    until_ran_times(scenario, unit, hook, 1).await
}

/// As [`until_ran`], for a hook that comes more than once.
pub async fn until_ran_times(
    scenario: &Scenario,
    unit: &str,
    hook: &str,
    times: usize,
) -> Result<Vec<String>, ScenarioError> {
    for _ in 0..2000 {
        let ran = hooks(scenario, unit).await?;
        if ran.iter().filter(|ran| *ran == hook).count() >= times {
            return Ok(ran);
        }
        scenario.pass(Duration::from_millis(100)).await?;
    }
    Err(ScenarioError::Never {
        what: format!("{unit} to run {hook}"),
        model: format!("{:?}", hooks(scenario, unit).await?),
    })
}

/// Waits until the workload of a unit has failed.
pub async fn until_in_error(scenario: &Scenario, unit: &str) -> Result<(), ScenarioError> {
    let application = unit.split('/').next().unwrap_or_default();
    let failed = scenario.until("the hook to fail", |status| {
        let units = status.applications[application].units.iter().flatten();
        units
            .into_iter()
            .any(|(name, found)| name == unit && found.workload_status.status == "error")
    });
    failed.await.map(|_| ())
}

/// A unit's relation at an endpoint, with the settings.
pub async fn relation_of(
    scenario: &Scenario,
    unit: &str,
    endpoint: &str,
) -> Result<UnitRelation, ScenarioError> {
    let relations = scenario.unit(unit).await?.relations;
    let mut found = relations
        .into_iter()
        .filter(|relation| relation.endpoint == endpoint);
    found.next().ok_or_else(|| ScenarioError::Never {
        what: format!("{unit} to have a relation at {endpoint}"),
        model: String::new(),
    })
}

/// The settings of a unit itself in its relation at an endpoint; nothing while it has none.
pub async fn own_bag(
    scenario: &Scenario,
    unit: &str,
    endpoint: &str,
) -> Result<BTreeMap<String, String>, ScenarioError> {
    let relations = scenario.unit(unit).await?.relations;
    let mut found = relations
        .into_iter()
        .filter(|relation| relation.endpoint == endpoint);
    Ok(found
        .next()
        .map(|relation| relation.local_unit.data)
        .unwrap_or_default())
}

/// The kinds of the hooks that ran of the relations at an endpoint, in their order.
pub async fn at_endpoint(
    scenario: &Scenario,
    unit: &str,
    endpoint: &str,
) -> Result<Vec<String>, ScenarioError> {
    let prefix = format!("{endpoint}-relation-");
    let ran = hooks(scenario, unit).await?;
    Ok(ran
        .iter()
        .filter_map(|hook| hook.strip_prefix(&prefix))
        .map(str::to_owned)
        .collect())
}

/// The component of a charm under other metadata, in a file of the scenario's own.
pub fn variant(of: &str, metadata: &str, into: &Path) -> PathBuf {
    let bytes = std::fs::read(charm(of)).unwrap();
    let mut source = zip::ZipArchive::new(Cursor::new(bytes)).unwrap();
    let path = into.join(format!("{}.charm", metadata.len()));
    let mut target = zip::ZipWriter::new(std::fs::File::create(&path).unwrap());
    let options = zip::write::SimpleFileOptions::default();
    for index in 0..source.len() {
        let mut entry = source.by_index(index).unwrap();
        let name = entry.name().unwrap().into_owned();
        let mut bytes = Vec::new();
        entry.read_to_end(&mut bytes).unwrap();
        target.start_file(name.as_str(), options).unwrap();
        match name.as_str() {
            "metadata.yaml" => target.write_all(metadata.as_bytes()).unwrap(),
            _ => target.write_all(&bytes).unwrap(),
        }
    }
    target.finish().unwrap();
    path
}

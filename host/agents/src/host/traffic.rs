//! How many requests the services of this process's units answered, told to the controller.
//!
//! Trigger: the supervisor of the machine puts a file into `workloads/counted`. Action: reads all of them, and tells
//! in one call the counters of those units that have others than were told. Effect: the controller's figures of an
//! application have them. Counters only grow and the controller adds what they grew by, so they are told anew with
//! each connection, and a call of which nobody knows whether it arrived is made again.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use periapt_engine::{Manifold, ResultExt, TaskWorker, WorkerResult};
use periapt_model::workload::desired::file_name;
use periapt_model::workload::traffic::{Counted, FOLDER};
use periapt_model::{Tag, UnitName};
use periapt_wire::agent::workloads::{CountRequests, UnitRequests};
use periapt_wire::rpc::code;
use periapt_wire::{ApiConnection, CallError};

use super::notices::Notices;
use super::{AgentContext, agent, apicaller};

pub const NAME: &str = "traffic";

/// Between two rounds.
const PAUSE: Duration = Duration::from_secs(10);
/// Bytes of a file; a larger one is none of the supervisor's.
const BYTES: u64 = 1 << 20;

/// Lends nothing.
#[must_use]
pub fn manifold() -> Manifold {
    Manifold::new(|context| async move {
        let api: ApiConnection = context.get(apicaller::NAME)?;
        let AgentContext { process, .. } = context.get(agent::NAME)?;
        let clock = context.clock();
        let directory = process.observed().with_file_name(FOLDER);
        Ok(TaskWorker::spawn(move |worker| async move {
            let notices =
                Notices::of_files_put_into(&directory).while_doing("watching what is counted")?;
            let mut told = BTreeMap::new();
            loop {
                worker.or_dying(tell(&api, &directory, &mut told)).await??;
                worker.or_dying(notices.happened()).await?;
                worker.or_dying(clock.sleep(PAUSE)).await?;
            }
        }))
    })
    .needs([agent::NAME, apicaller::NAME])
}

async fn tell(
    api: &ApiConnection,
    directory: &Path,
    told: &mut BTreeMap<UnitName, Counted>,
) -> WorkerResult {
    let asked = directory.to_owned();
    let all = tokio::task::spawn_blocking(move || read(&asked));
    let all = all.await.while_doing("reading what is counted")?;
    let news = all
        .iter()
        .filter(|(unit, counted)| told.get(unit) != Some(counted));
    let records: Vec<UnitRequests> = news
        .map(|(unit, counted)| UnitRequests {
            entity: Tag::Unit(unit.clone()),
            begun: counted.begun,
            services: counted.services.clone(),
        })
        .collect();
    if records.is_empty() {
        return Ok(());
    }
    match api.call(&CountRequests { records }).await {
        // One of them is not this agent's, which a file of its own cannot say.
        Err(CallError::Refused { code, message }) if code == code::UNAUTHORIZED => {
            tracing::warn!(code, message, "what is counted is not wanted");
        }
        said => {
            said.while_doing("telling what is counted")?;
        }
    }
    *told = all;
    Ok(())
}

/// What the files say that are of the unit of their name.
fn read(directory: &Path) -> BTreeMap<UnitName, Counted> {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    let read = |path: PathBuf| -> Option<(UnitName, Counted)> {
        let small = fs::metadata(&path).ok()?.len() <= BYTES;
        let counted: Counted =
            serde_json::from_slice(&fs::read(&path).ok().filter(|_| small)?).ok()?;
        let own = path.file_name()?.to_str()? == file_name(&counted.unit);
        let unit = counted.unit.parse().ok().filter(|_| own)?;
        Some((unit, counted))
    };
    entries.filter_map(|entry| read(entry.path())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_of_the_unit_of_its_name_and_no_other_is_read() {
        let home = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| fs::write(home.path().join(name), text).unwrap();
        let text = r#"{"unit": "docs/0", "begun": 7, "services": {"web/site": {"successes": 2}}}"#;
        write("docs-0.json", text);
        write("docs-1.json", text);
        write(".docs-2.json.next", text);
        write(
            "docs-3.json",
            r#"{"unit": "docs/3", "begun": -7, "services": {}}"#,
        );
        let read = read(home.path());
        let units: Vec<&str> = read.keys().map(UnitName::as_str).collect();
        assert_eq!(units, ["docs/0"]);
        let docs = &read[&"docs/0".parse().unwrap()];
        assert_eq!((docs.begun, docs.services["web/site"].successes), (7, 2));
    }
}

//! **apiconfigwatcher**: makes the API connection new when the controller's addresses change.
//!
//! Trigger: the list of addresses differs from the one this worker started with. Action: it
//! bounces. Effect: the api-caller, which names it as an input, connects anew. The order of the
//! addresses never matters to it.

use periapt_engine::{Manifold, SharedWorker, TaskWorker, WorkerError};
use serde_json::json;
use tokio::sync::watch;

use super::{ModelContext, agent};

pub const NAME: &str = "api-config-watcher";

/// Lends nothing.
pub fn manifold() -> Manifold {
    Manifold::new(|context| async move {
        let model: ModelContext = context.get(agent::NAME)?;
        Ok(worker(model.api_addresses))
    })
    .needs([agent::NAME])
}

/// Bounces when `addresses` are no longer those of now.
pub fn worker(mut addresses: watch::Receiver<Vec<String>>) -> SharedWorker {
    let first = sorted(&addresses.borrow_and_update());
    TaskWorker::spawn(move |worker| async move {
        worker.set_report(json!({ "addresses": first }));
        loop {
            if worker.or_dying(addresses.changed()).await?.is_err() {
                // Whoever knows the addresses has gone: they cannot change any more.
                worker.dying().cancelled().await;
                return Ok(());
            }
            if sorted(&addresses.borrow_and_update()) != first {
                return Err(WorkerError::Bounce);
            }
        }
    })
}

fn sorted(addresses: &[String]) -> Vec<String> {
    let mut addresses = addresses.to_vec();
    addresses.sort();
    addresses
}

//! **apiconfigwatcher**: makes the connection new when the controller's addresses change.
//!
//! Trigger: the addresses in the agent's configuration differ from those this worker started
//! with. Action: it bounces. Effect: the api-caller, which names it as an input, connects anew.
//! The order of the addresses never matters to it.

use periapt_engine::{Manifold, TaskWorker, WorkerError};
use serde_json::json;

use super::{AgentContext, agent};
use crate::agent_config::AgentConfig;

pub const NAME: &str = "api-config-watcher";

/// Lends nothing.
#[must_use]
pub fn manifold() -> Manifold {
    Manifold::new(|context| async move {
        let agent: AgentContext = context.get(agent::NAME)?;
        let mut config = agent.conf.subscribe();
        let first = sorted(&config.borrow_and_update());
        Ok(TaskWorker::spawn(move |worker| async move {
            worker.set_report(json!({ "addresses": first }));
            let changed = worker
                .or_dying(config.wait_for(|config| sorted(config) != first))
                .await?
                .is_ok();
            if changed {
                return Err(WorkerError::Bounce);
            }
            // The configuration has no owner any more, so it cannot change.
            worker.dying().cancelled().await;
            Ok(())
        }))
    })
    .needs([agent::NAME])
}

fn sorted(config: &AgentConfig) -> Vec<String> {
    let mut addresses = config.api_addresses.clone();
    addresses.sort();
    addresses
}

//! **apiconfigwatcher**: makes the connection new when the controller's addresses change.
//!
//! Trigger: none of the addresses this worker started with is in the agent's configuration any
//! more. Action: it bounces. Effect: the api-caller, which names it as an input, connects anew.
//! One process of a controller that comes, goes or dies costs nobody a connection: whoever was
//! connected to it loses that by itself.

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
        let first = config.borrow_and_update().api_addresses.clone();
        Ok(TaskWorker::spawn(move |worker| async move {
            worker.set_report(json!({ "addresses": first }));
            let changed = worker
                .or_dying(config.wait_for(|config| moved(config, &first)))
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

/// Whether the controller is somewhere else altogether.
fn moved(config: &AgentConfig, first: &[String]) -> bool {
    let now = &config.api_addresses;
    now != first && !now.iter().any(|address| first.contains(address))
}

//! **apiaddressupdater**: keeps the controller's addresses in the agent's configuration.
//!
//! Trigger: a new connection. Action: asks the controller for its addresses and records them
//! when they differ. Effect: an agent finds a controller that has moved while it was connected.
//! It never records an empty list, with which no agent could connect again.

use std::sync::Arc;

use periapt_client::ApiConnection;
use periapt_engine::{Manifold, ResultExt, TaskWorker};
use periapt_wire::agent::host::HostModel;
use serde_json::json;

use super::{AgentContext, agent, apicaller};

pub const NAME: &str = "api-address-updater";

/// Lends nothing.
#[must_use]
pub fn manifold() -> Manifold {
    Manifold::new(|context| async move {
        let agent: AgentContext = context.get(agent::NAME)?;
        let connection: ApiConnection = context.get(apicaller::NAME)?;
        Ok(TaskWorker::spawn(move |worker| async move {
            let model = worker.or_dying(connection.call(&HostModel {})).await?;
            let addresses = model
                .while_doing("asking for the controller's addresses")?
                .api_addresses;
            worker.set_report(json!({ "addresses": addresses }));
            if !addresses.is_empty() {
                let conf = Arc::clone(&agent.conf);
                let update = move || conf.update(|config| config.api_addresses = addresses);
                tokio::task::spawn_blocking(update)
                    .await
                    .worker_error()?
                    .while_doing("recording the controller's addresses")?;
            }
            worker.dying().cancelled().await;
            Ok(())
        }))
    })
    .needs([agent::NAME, apicaller::NAME])
}

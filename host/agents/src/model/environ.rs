//! **environ**: the model's provider, lent to everyone who needs machines.
//!
//! Trigger: start, and changes of the model's configuration. Action: it opens the provider and
//! counts configuration versions. Effect: the report shows what the provider does. While this
//! node is down, nobody starts or stops an instance; the agents go on running. A change of the
//! configuration never restarts its users.

use std::sync::Arc;

use periapt_client::ApiConnection;
use periapt_engine::{Manifold, Outputs, ResultExt, TaskWorker};
use periapt_providers::Provider;
use periapt_wire::agent::model_config::WatchModelConfig;
use serde_json::json;

use super::{ModelContext, agent, apicaller};

pub const NAME: &str = "environ-tracker";

/// Lends an `Arc<dyn Provider>`.
pub fn manifold() -> Manifold {
    Manifold::new(|context| async move {
        let model: ModelContext = context.get(agent::NAME)?;
        let api: ApiConnection = context.get(apicaller::NAME)?;
        let provider: Arc<dyn Provider> = model
            .providers
            .open(model.uuid.as_str())
            .while_doing("opening the provider")?;
        let tracked = Arc::clone(&provider);
        Ok(TaskWorker::lending(
            Outputs::of(provider),
            move |worker| async move {
                let watch = worker.or_dying(api.watch(&WatchModelConfig {})).await?;
                let mut watcher = watch.while_doing("watching the model's configuration")?;
                let mut version = 0_u64;
                loop {
                    worker
                        .or_dying(watcher.next())
                        .await?
                        .while_doing("watching the model's configuration")?;
                    version += 1;
                    worker.set_report(json!({
                        "provider": tracked.kind(),
                        "config-version": version,
                        "environment": tracked.describe(),
                    }));
                }
            },
        ))
    })
    .needs([agent::NAME, apicaller::NAME])
}

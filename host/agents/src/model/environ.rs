//! **environ**: the model's provider, lent to everyone who needs machines.
//!
//! Trigger: start, and changes of those options of the model that the users of a provider follow.
//! Action: it opens the provider, has it check its credential, and lends it with the options in
//! force. Effect: the report shows them with a version that grows with each change, and what the
//! provider does at this moment. A change never restarts the users; a credential that the
//! provider refuses is marked as not valid, which stops them. While this node is down, nobody
//! starts or stops an instance; the agents go on running.

use std::sync::Arc;

use periapt_engine::{Manifold, Outputs, ResultExt, TaskWorker, WorkerError};
use periapt_model::config::{Value, Values};
use periapt_model::provisioning::Harvest;
use periapt_providers::Provider;
use periapt_wire::agent::model_config::{GetModelConfig, WatchModelConfig};
use periapt_wire::{ApiConnection, CallError};
use serde::Serialize;
use serde_json::json;
use tokio::sync::watch;

use super::{ModelContext, agent, apicaller, credentialvalidator};
use crate::watching::Watching;

pub const NAME: &str = "environ-tracker";

/// The model's options that users of its provider follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct EnvironConfig {
    /// Instances started or stopped at the same time.
    pub num_provision_workers: usize,
    pub provisioner_harvest_mode: Harvest,
}

impl EnvironConfig {
    fn read(values: &Values) -> Result<Self, WorkerError> {
        let workers = match values.get("num-provision-workers") {
            Some(Value::Integer(workers)) => usize::try_from(*workers).unwrap_or(1).max(1),
            other => return Err(unusable("num-provision-workers", other)),
        };
        let harvest = match values.get("provisioner-harvest-mode") {
            Some(Value::Text(mode)) => mode.parse().map_err(WorkerError::text)?,
            other => return Err(unusable("provisioner-harvest-mode", other)),
        };
        Ok(Self {
            num_provision_workers: workers,
            provisioner_harvest_mode: harvest,
        })
    }
}

fn unusable(option: &str, value: Option<&Value>) -> WorkerError {
    WorkerError::text(format!("option {option} is not usable: {value:?}"))
}

/// Lends an `Arc<dyn Provider>`, and a `watch::Receiver<EnvironConfig>` that its users follow.
pub fn manifold() -> Manifold {
    Manifold::new(|context| async move {
        let model: ModelContext = context.get(agent::NAME)?;
        let api: ApiConnection = context.get(apicaller::NAME)?;
        let provider: Arc<dyn Provider> = model.open_provider()?;
        if let Err(refused) = provider.check_credential().await {
            credentialvalidator::note_refusal(&api, &refused).await?;
            return Err(refused).while_doing("checking the credential");
        }
        let first = context.or_abort(config(&api)).await?;
        let first = EnvironConfig::read(&first.while_doing("reading the configuration")?)?;
        let in_force = watch::Sender::new(first);
        let lent = Outputs::of(Arc::clone(&provider)).and(in_force.subscribe());
        Ok(TaskWorker::lending(lent, move |worker| async move {
            let (watch, doing) = (WatchModelConfig {}, "watching the model's configuration");
            let mut options = Watching::begin(&worker, &api, &watch, doing).await?;
            let mut version = 1_u64;
            loop {
                let (shown, provider) = (*in_force.borrow(), Arc::clone(&provider));
                let cloud_type = model.cloud_type.clone();
                worker.report_from(move || {
                    json!({
                        "provider": cloud_type,
                        "config-version": version,
                        "config": shown,
                        "environment": provider.describe(),
                    })
                });
                options.changed().await?;
                let now = worker.or_dying(config(&api)).await?;
                let now = EnvironConfig::read(&now.while_doing("reading the configuration")?)?;
                version += u64::from(in_force.send_if_modified(|config| {
                    let changed = *config != now;
                    *config = now;
                    changed
                }));
            }
        }))
    })
    .needs([agent::NAME, apicaller::NAME])
}

async fn config(api: &ApiConnection) -> Result<Values, CallError> {
    api.call(&GetModelConfig {}).await
}

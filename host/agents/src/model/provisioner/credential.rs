//! The configuration of the model's agents, with a password made at most once.
//!
//! An agent that runs, perhaps one that an earlier controller started, goes on with the password
//! it has: a new one is made only when the provider has no configuration of this model at hand.

use std::sync::Arc;

use periapt_client::ApiConnection;
use periapt_engine::{ResultExt, WorkerError};
use periapt_providers::Provider;
use periapt_wire::agent::provisioner::MakeAgentCredential;
use tokio::sync::Mutex;

use crate::agent_config::AgentConfig;
use crate::model::ModelContext;

pub struct Credential {
    model: ModelContext,
    api: ApiConnection,
    provider: Arc<dyn Provider>,
    made: Mutex<Option<(AgentConfig, Vec<u8>)>>,
}

impl Credential {
    pub fn new(model: ModelContext, api: ApiConnection, provider: Arc<dyn Provider>) -> Self {
        Self {
            model,
            api,
            provider,
            made: Mutex::new(None),
        }
    }

    /// The configuration file's bytes, with the addresses of this moment.
    pub async fn config(&self) -> Result<Vec<u8>, WorkerError> {
        let mut made = self.made.lock().await;
        // The file comes first: the agent may have written it anew. What was made is not in a
        // file while no instance has started yet.
        let known = match self.left_behind().await? {
            Some(left) => Some(left),
            None => made.clone(),
        };
        let (tag, password) = match &known {
            Some((known, _)) => (known.tag.clone(), known.password.clone()),
            None => {
                let credential = self
                    .api
                    .call(&MakeAgentCredential {})
                    .await
                    .while_doing("making the agent's password")?;
                (credential.tag, credential.password)
            }
        };
        let config = AgentConfig {
            tag,
            password,
            model_uuid: self.model.uuid.clone(),
            controller_uuid: self.model.controller.clone(),
            api_addresses: addresses(
                &self.model.agent_addresses.borrow(),
                known.as_ref().map(|(known, _)| known),
            ),
            ca_cert: self.model.ca_cert.to_string(),
            directory: self.model.agents_directory.join(self.model.uuid.as_str()),
        };
        // Nothing changed: the very same bytes, whoever wrote them last, so that the provider
        // has no reason to restart an agent that runs.
        let bytes = match known {
            Some((known, bytes)) if known == config => bytes,
            _ => serde_json::to_vec_pretty(&config).worker_error()?,
        };
        *made = Some((config, bytes.clone()));
        Ok(bytes)
    }

    /// What agents were last started with, if it belongs to this model and controller.
    async fn left_behind(&self) -> Result<Option<(AgentConfig, Vec<u8>)>, WorkerError> {
        let left = self.provider.agent_config().await;
        let Some(bytes) = left.while_doing("reading the agent's configuration")? else {
            return Ok(None);
        };
        let config = serde_json::from_slice::<AgentConfig>(&bytes)
            .ok()
            .filter(|config| {
                config.model_uuid == self.model.uuid
                    && config.controller_uuid == self.model.controller
            });
        Ok(config.map(|config| (config, bytes)))
    }
}

/// The addresses to write. An agent that knows one of the controller's processes hears of the
/// others from it: it is not restarted for them.
fn addresses(all: &[String], known: Option<&AgentConfig>) -> Vec<String> {
    match known {
        Some(known) if known.api_addresses.iter().any(|one| all.contains(one)) => {
            known.api_addresses.clone()
        }
        _ => all.to_vec(),
    }
}

//! The configuration of the model's agents, with a password for each.
//!
//! Where one agent hosts all instances, its password is made at most once: one that runs, perhaps
//! started by an earlier controller, goes on with what it has, and a new one is made only when the
//! provider has no configuration of this model at hand. Where each instance has its own agent, each
//! that is started gets a new one.
//!
//! The file of a shared agent is kept up to date while agents run, so that the next process finds the controller
//! wherever it is by then. An agent that runs hears of addresses by itself; it is restarted only
//! for a port that it was not started with, since the kernel lets it reach no other.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

use periapt_engine::{ResultExt, WorkerError};
use periapt_model::{AgentName, MachineId};
use periapt_providers::{Provider, SharedAgent};
use periapt_wire::ApiConnection;
use periapt_wire::agent::provisioner::{AgentCredential, MakeAgentCredential};
use tokio::sync::Mutex;

use crate::agent_config::AgentConfig;
use crate::model::ModelContext;

pub struct Credential {
    model: ModelContext,
    api: ApiConnection,
    provider: Arc<dyn Provider>,
    made: Mutex<Option<AgentCredential>>,
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

    /// The agent that hosts a machine.
    pub fn agent_of(&self, machine: &MachineId) -> AgentName {
        match self.provider.shared_agent() {
            Some(_) => AgentName::Host,
            None => AgentName::Machine(machine.clone()),
        }
    }

    /// The configuration file's bytes for the agent of a machine, with the addresses of this
    /// moment.
    pub async fn config(&self, machine: &MachineId) -> Result<Vec<u8>, WorkerError> {
        match self.agent_of(machine) {
            AgentName::Host => self.shared_config().await,
            own => to_bytes(&self.fresh(self.make(&own).await?, &own)),
        }
    }

    async fn shared_config(&self) -> Result<Vec<u8>, WorkerError> {
        let mut made = self.made.lock().await;
        if let Some(kept) = self.keep().await? {
            return Ok(kept);
        }
        // What was made is in no file while no instance has started yet.
        let credential = match made.take() {
            Some(made) => made,
            None => self.make(&AgentName::Host).await?,
        };
        let credential = made.insert(credential).clone();
        to_bytes(&self.fresh(credential, &AgentName::Host))
    }

    /// Gives an agent that ended for good another password: its login may be what was refused. One that runs
    /// goes on with what it has.
    pub async fn renew(&self) -> Result<(), WorkerError> {
        let mut made = self.made.lock().await;
        let Some(agent) = self.provider.shared_agent() else {
            return Ok(());
        };
        if agent.ended().borrow().is_none() {
            return Ok(());
        }
        let left = self.left_behind(agent).await?;
        let credential = self.make(&AgentName::Host).await?;
        let credential = made.insert(credential).clone();
        let config = match left {
            Some((left, _)) => AgentConfig {
                password: credential.password,
                ..left
            },
            None => self.fresh(credential, &AgentName::Host),
        };
        let bytes = to_bytes(&config)?;
        let kept = agent.set_config(bytes, false).await;
        kept.while_doing("keeping the agent's configuration")
    }

    async fn make(&self, agent: &AgentName) -> Result<AgentCredential, WorkerError> {
        let call = MakeAgentCredential {
            agent: agent.clone(),
        };
        let made = self.api.call(&call).await;
        made.while_doing("making the agent's password")
    }

    fn fresh(&self, credential: AgentCredential, agent: &AgentName) -> AgentConfig {
        AgentConfig {
            tag: credential.tag,
            password: credential.password,
            model_uuid: self.model.uuid.clone(),
            controller_uuid: self.model.controller.clone(),
            api_addresses: self.model.agent_addresses.borrow().clone(),
            known_ports: BTreeSet::new(),
            ca_cert: self.model.ca_cert.to_string(),
            directory: match agent {
                AgentName::Host => self.directory(),
                AgentName::Machine(_) => self.directory().join(agent.to_string()),
            },
        }
    }

    /// Brings the file that agents were started with up to date, if there is one.
    pub async fn refresh(&self) -> Result<(), WorkerError> {
        let _made = self.made.lock().await;
        self.keep().await.map(drop)
    }

    async fn keep(&self) -> Result<Option<Vec<u8>>, WorkerError> {
        let Some(agent) = self.provider.shared_agent() else {
            return Ok(None);
        };
        let Some((before, bytes)) = self.left_behind(agent).await? else {
            return Ok(None);
        };
        let addresses = self.model.agent_addresses.borrow().clone();
        let mut config = with_addresses(before.clone(), addresses);
        config.ca_cert = self.model.ca_cert.to_string();
        config.directory = self.directory();
        // Nothing changed: the very same bytes, whoever wrote them last.
        if config == before {
            return Ok(Some(bytes));
        }
        let restart = config.ports() != before.ports()
            || config.ca_cert != before.ca_cert
            || config.directory != before.directory;
        if restart {
            tracing::info!(
                addresses = ?config.api_addresses,
                "agent starts anew, to reach what it was not started with"
            );
        }
        let bytes = to_bytes(&config)?;
        agent
            .set_config(bytes.clone(), restart)
            .await
            .while_doing("keeping the agent's configuration")?;
        Ok(Some(bytes))
    }

    fn directory(&self) -> PathBuf {
        self.model.agents_directory.join(self.model.uuid.as_str())
    }

    /// What agents were last started with, if it belongs to this model and controller.
    async fn left_behind(
        &self,
        agent: &dyn SharedAgent,
    ) -> Result<Option<(AgentConfig, Vec<u8>)>, WorkerError> {
        let left = agent.config().await;
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

fn to_bytes(config: &AgentConfig) -> Result<Vec<u8>, WorkerError> {
    serde_json::to_vec_pretty(config).worker_error()
}

/// The configuration with other addresses. Ports that the running agent may reach stay known
/// until it has to be restarted for one that it may not.
fn with_addresses(mut config: AgentConfig, addresses: Vec<String>) -> AgentConfig {
    // A controller that serves nowhere yet is about to.
    if addresses.is_empty() {
        return config;
    }
    let before = config.ports();
    config.api_addresses = addresses;
    config.known_ports.clear();
    let now = config.ports();
    if now.is_subset(&before) {
        config.known_ports = before.difference(&now).copied().collect();
    }
    config
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config(addresses: &[&str]) -> AgentConfig {
        let uuid = "0d3a1f0e-2a35-4c0e-8f0c-6a5f4a8d7b11";
        AgentConfig {
            tag: format!("agent-{uuid}").parse().unwrap(),
            password: "secret".to_owned(),
            model_uuid: uuid.parse().unwrap(),
            controller_uuid: uuid.parse().unwrap(),
            api_addresses: addresses.iter().map(|one| (*one).to_owned()).collect(),
            known_ports: BTreeSet::new(),
            ca_cert: String::new(),
            directory: PathBuf::new(),
        }
    }

    fn next(config: &AgentConfig, addresses: &[&str]) -> AgentConfig {
        let addresses = addresses.iter().map(|one| (*one).to_owned()).collect();
        with_addresses(config.clone(), addresses)
    }

    #[test]
    fn only_a_port_that_an_agent_cannot_reach_restarts_it() {
        let (one, two) = ("127.0.0.1:17070", "127.0.0.1:17071");
        let both = config(&[one, two]);
        // A process dies and comes back: the agent reaches both all the time.
        let left = next(&both, &[two]);
        assert_eq!(left.api_addresses, [two]);
        assert_eq!(left.ports(), both.ports());
        let back = next(&left, &[one, two]);
        assert_eq!(back, both);
        // The same port elsewhere is no news to the kernel.
        assert_eq!(next(&both, &["192.0.2.1:17070", two]).ports(), both.ports());
        // One that it was not started with is, and what is gone by then is forgotten.
        let other = next(&left, &[two, "127.0.0.1:17072"]);
        assert_eq!(other.ports(), BTreeSet::from([17071, 17072]));
        assert_eq!(next(&both, &[]), both, "never none");
        assert_eq!(config(&["[::1]:17070"]).ports(), BTreeSet::from([17070]));
    }
}

//! One instance, from the provider's yes to its record in the model.
//!
//! It runs beside those of other machines: each waits for a process to begin and for a commit, and
//! one after the other a thousand machines would wait for all of that in turn.

use std::collections::BTreeMap;
use std::sync::Arc;

use periapt_engine::{ResultExt, WorkerError, WorkerResult};
use periapt_model::status::{Machine, Status};
use periapt_model::{AgentName, MachineId};
use periapt_providers::{Instance, Provider, StartInstance};
use periapt_wire::ApiConnection;
use periapt_wire::agent::provisioner::{SetInstanceInfo, SetInstanceStatuses};

use super::credential::Credential;
use super::{Outcome, unless_gone};

/// Makes sure that a machine has its instance, beside others that start.
pub(super) struct Start {
    pub api: ApiConnection,
    pub provider: Arc<dyn Provider>,
    pub credential: Arc<Credential>,
    pub machine: MachineId,
}

impl Start {
    /// One that is to be kept goes on with the password of its own agent, if it is still there.
    pub(super) async fn run(&self, keep: bool) -> Result<Outcome, WorkerError> {
        let name = self.machine.as_str();
        if keep && self.credential.agent_of(&self.machine) != AgentName::Host {
            match self.provider.instances().await {
                Ok(instances) => {
                    let there = instances.into_iter().find(|there| there.name == name);
                    if let Some(instance) = there {
                        return Ok(Outcome::Kept(instance));
                    }
                }
                Err(error) => return Ok(Outcome::NotStarted(error)),
            }
        }
        let agent_config = self.credential.config(&self.machine).await?;
        let name = name.to_owned();
        let request = StartInstance { name, agent_config };
        match self.provider.start_instance(request).await {
            Ok(instance) if keep => Ok(Outcome::Kept(instance)),
            Ok(instance) => self.record(instance).await.map(|()| Outcome::Recorded),
            Err(error) => Ok(Outcome::NotStarted(error)),
        }
    }

    /// An instance that cannot be recorded is stopped: nobody would ever ask for it again.
    async fn record(&self, instance: Instance) -> WorkerResult {
        let machine = &self.machine;
        let call = SetInstanceInfo {
            machine: machine.clone(),
            agent: self.credential.agent_of(machine),
            instance_id: instance.id.to_string(),
            addresses: instance.addresses,
            hardware: instance.hardware,
        };
        if let Err(error) = self.api.call(&call).await {
            tracing::warn!(%machine, %error, "instance cannot be recorded and is stopped");
            self.provider
                .stop_instance(&instance.id)
                .await
                .while_doing("stopping an instance")?;
            return unless_gone(Err(error)).while_doing("recording an instance");
        }
        Ok(())
    }
}

pub(super) async fn set_statuses(
    api: &ApiConnection,
    statuses: BTreeMap<MachineId, Status<Machine>>,
) -> WorkerResult {
    let call = SetInstanceStatuses { statuses };
    unless_gone(api.call(&call).await).while_doing("setting the status of instances")
}

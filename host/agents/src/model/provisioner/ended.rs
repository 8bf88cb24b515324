//! Agents that ended for good: shown as what they are on the machines they hosted, and started
//! again when a person says so.

use std::collections::BTreeMap;

use periapt_engine::{ResultExt, WorkerResult};
use periapt_model::provisioning::{agent_ended, agent_runs_again};
use periapt_wire::agent::provisioner::GetMachines;

use super::Provisioner;

impl Provisioner {
    /// Shows on the machines that have an instance whether their agent has ended for good.
    pub(super) async fn show_ended(&self, cause: Option<&str>) -> WorkerResult {
        let all = GetMachines {
            machines: Vec::new(),
        };
        let machines = self
            .worker
            .or_dying(self.api.call(&all))
            .await?
            .while_doing("reading machines")?;
        let mut statuses = BTreeMap::new();
        for info in machines {
            let status = match cause {
                _ if info.instance_id.is_none() => None,
                Some(cause) => Some(agent_ended(cause)),
                None => agent_runs_again(&info.instance_status),
            };
            if let Some(status) = status {
                statuses.insert(info.machine, status);
            }
        }
        if statuses.is_empty() {
            return Ok(());
        }
        self.set_statuses(statuses).await
    }

    /// A person wants the agent to run again. What the provider has to say about it shows on the
    /// machines.
    pub(super) async fn start_again(&self) -> WorkerResult {
        let started = match self.provider.shared_agent() {
            Some(agent) => self.worker.or_dying(agent.start_again()).await?,
            None => Ok(()),
        };
        match started {
            Ok(()) => self.show_ended(None).await,
            Err(error) => self.show_ended(Some(&error.to_string())).await,
        }
    }
}

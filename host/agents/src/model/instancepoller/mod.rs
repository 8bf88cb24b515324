//! **instancepoller**: keeps what is known of a machine's instance true.
//!
//! Trigger: a timer, for each machine that is not complete 3 s after it was heard of and then ever more
//! seldom, up to a minute; for those that have started, with an address, and run, every 15 minutes, all
//! at once. It hears of machines from the model's watcher. Action: it asks the provider for all its
//! instances and records what has changed of those that are due, in one call; if nothing has, in none.
//! Effect: an address that a provider changed shows, and so does an instance that is down or gone.
//!
//! What it never does: it starts and stops nothing, and it leaves a status alone in which the provisioner
//! says something else. Nobody tells it when a provider changes something, which is why it asks.

mod schedule;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use periapt_engine::{
    Manifold, ResultExt, SharedClock, TaskWorker, WorkerContext, WorkerResult, clock,
};
use periapt_model::MachineId;
use periapt_model::provisioning::polled;
use periapt_model::status::Machine;
use periapt_providers::{Instance, InstanceState, Provider};
use periapt_wire::ApiConnection;
use periapt_wire::agent::instance_poller::{InstanceSeen, SetInstancesSeen};
use periapt_wire::agent::provisioner::{GetMachines, MachineInfo, WatchMachines};
use serde_json::json;

use super::{apicaller, credentialvalidator, environ};
use crate::watching::Watching;
use schedule::Schedule;

pub const NAME: &str = "instance-poller";

/// Lends nothing.
pub fn manifold() -> Manifold {
    Manifold::new(|context| async move {
        let api: ApiConnection = context.get(apicaller::NAME)?;
        let provider: Arc<dyn Provider> = context.get(environ::NAME)?;
        let clock = context.clock();
        Ok(TaskWorker::spawn(move |worker| async move {
            let poller = Poller {
                worker,
                api,
                provider,
                clock,
                schedule: Schedule::default(),
            };
            poller.run().await
        }))
    })
    .needs([apicaller::NAME, environ::NAME])
}

struct Poller {
    worker: WorkerContext,
    api: ApiConnection,
    provider: Arc<dyn Provider>,
    clock: SharedClock,
    schedule: Schedule,
}

impl Poller {
    async fn run(mut self) -> WorkerResult {
        let (worker, doing) = (self.worker.clone(), "watching machines");
        let mut machines = Watching::begin(&worker, &self.api, &WatchMachines {}, doing).await?;
        loop {
            self.show();
            let next = clock::until(self.clock.as_ref(), self.schedule.next());
            tokio::select! {
                changed = machines.names::<MachineId>() => {
                    let changed = changed?;
                    if !changed.is_empty() {
                        self.hear(changed).await?;
                    }
                }
                () = next => self.ask().await?,
            }
        }
    }

    fn show(&self) {
        let (all, settled) = (self.schedule.len(), self.schedule.settled());
        self.worker
            .set_report(json!({ "settled": settled, "starting": all - settled }));
    }

    async fn read(
        &self,
        machines: Vec<MachineId>,
    ) -> Result<Vec<MachineInfo>, periapt_engine::WorkerError> {
        let call = GetMachines { machines };
        let found = self.worker.or_dying(self.api.call(&call)).await?;
        found.while_doing("reading machines")
    }

    /// Takes up those that came, and forgets those that leave.
    async fn hear(&mut self, machines: Vec<MachineId>) -> WorkerResult {
        let found = self.read(machines.clone()).await?;
        let now = self.clock.monotonic();
        let mut gone = machines;
        for info in found {
            if let Some(instance) = info.instance_id.filter(|_| info.life.is_alive()) {
                gone.retain(|id| *id != info.machine);
                self.schedule.heard(info.machine, &instance, now);
            }
        }
        for machine in gone {
            self.schedule.forget(&machine);
        }
        Ok(())
    }

    async fn ask(&mut self) -> WorkerResult {
        let due = self.schedule.due(self.clock.monotonic());
        if due.is_empty() {
            return Ok(());
        }
        // First the machines: whichever has an instance by then, its provider has it as well.
        let machines = self.read(due.clone()).await?;
        let instances = self.worker.or_dying(self.provider.instances()).await?;
        let now = self.clock.monotonic();
        let instances = match instances {
            Ok(instances) => instances,
            Err(error) => {
                credentialvalidator::note_refusal(&self.api, &error).await?;
                tracing::warn!(%error, "the provider does not say how its instances are");
                for machine in &due {
                    self.schedule.asked(machine, false, now);
                }
                return Ok(());
            }
        };
        let mut changed = Vec::new();
        for info in &machines {
            let instance = instances
                .iter()
                .find(|there| info.instance_id.as_deref() == Some(there.id.as_str()));
            changed.extend(seen(info, instance));
            self.schedule
                .asked(&info.machine, has_settled(info, instance), now);
        }
        for machine in due {
            if !machines.iter().any(|info| info.machine == machine) {
                self.schedule.forget(&machine);
            }
        }
        if changed.is_empty() {
            return Ok(());
        }
        let call = SetInstancesSeen { instances: changed };
        let set = self.worker.or_dying(self.api.call(&call)).await?;
        set.while_doing("recording what instances are like")
            .map(drop)
    }
}

fn runs(instance: &Instance) -> bool {
    instance.state == InstanceState::Running
}

/// What has to be recorded of a machine. Of an instance that is gone the addresses stay, as the last that
/// were known.
fn seen(info: &MachineInfo, instance: Option<&Instance>) -> Option<InstanceSeen> {
    let instance_id = info.instance_id.clone()?;
    let status = polled(&info.instance_status, instance.map(runs));
    let addresses = instance.map_or(&info.addresses, |instance| &instance.addresses);
    let changed = status.is_some() || *addresses != info.addresses;
    changed.then(|| InstanceSeen {
        machine: info.machine.clone(),
        instance_id,
        status,
        addresses: addresses.clone(),
    })
}

/// Whether nothing more is expected of a machine but that its addresses change some day.
fn has_settled(info: &MachineInfo, instance: Option<&Instance>) -> bool {
    let started = info.agent_status.as_ref();
    let started = started.is_some_and(|agent| agent.status == Machine::Started);
    started && instance.is_some_and(|instance| runs(instance) && !instance.addresses.is_empty())
}

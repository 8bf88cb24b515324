//! **provisioner**: an instance for every machine, none for the dead.
//!
//! Trigger: machines come, change life or go; a start is over; a pause before the next attempt
//! is over; the controller's addresses change. Action: as `model::provisioning` decides, it starts
//! and stops instances at the provider, up to `num-provision-workers` at a time, and records them.
//! Effect: a machine goes from pending to running, or shows why not and how often it will be tried
//! again; after ten attempts it shows `provisioning error`, until a person has it tried again or the
//! controller is restarted. A provider that refuses the credential costs no attempt: the credential
//! is marked as not valid. An agent that ended for good shows on its machines, and is started again
//! when a person says so. A dead machine's instance goes, then the machine is marked for removal. The
//! configuration of agents that run names the controller's addresses of this moment.
//!
//! What it never does: it never stops an instance while its start is under way (a machine that
//! dies then is stopped right afterwards), never removes a machine (that is the undertaker's
//! part), never restarts an agent (the provider does).

mod credential;
mod ended;
mod queue;
mod start;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::sync::Arc;

use periapt_engine::{
    Manifold, ResultExt, SharedClock, TaskWorker, WorkerContext, WorkerError, WorkerResult, clock,
};
use periapt_model::MachineId;
use periapt_model::provisioning::{Task, classify, failed_start};
use periapt_model::status::{Machine, Status};
use periapt_providers::{Instance, InstanceId, Provider, ProviderError, SharedAgent};
use periapt_wire::agent::provisioner::{
    EnsureMachineDead, GetMachines, MachineInfo, MarkMachineForRemoval, WatchMachines,
};
use periapt_wire::rpc::{Empty, code};
use periapt_wire::{ApiConnection, CallError};
use serde_json::json;
use tokio::sync::watch;
use tokio::task::JoinSet;

use super::credentialvalidator::{self, note_refusal};
use super::environ::EnvironConfig;
use super::{ModelContext, agent, apicaller, environ};
use crate::watching::Watching;
use credential::Credential;
use queue::Queue;
use start::{Start, set_statuses};

pub const NAME: &str = "compute-provisioner";

/// Lends nothing.
pub fn manifold() -> Manifold {
    Manifold::new(|context| async move {
        let model: ModelContext = context.get(agent::NAME)?;
        let api: ApiConnection = context.get(apicaller::NAME)?;
        let provider: Arc<dyn Provider> = context.get(environ::NAME)?;
        let config: watch::Receiver<EnvironConfig> = context.get(environ::NAME)?;
        let clock = context.clock();
        Ok(TaskWorker::spawn(move |worker| {
            let addresses = model.agent_addresses.clone();
            let credential = Credential::new(model, api.clone(), Arc::clone(&provider));
            let credential = Arc::new(credential);
            let provisioner = Provisioner {
                worker,
                api: api.clone(),
                provider,
                config,
                clock,
                credential,
                addresses,
                queue: Queue::default(),
                running: JoinSet::new(),
            };
            async move {
                let ended = provisioner.run().await;
                if let Err(error) = &ended
                    && let Some(refused) = error.find::<ProviderError>()
                {
                    note_refusal(&api, refused).await?;
                }
                ended
            }
        }))
    })
    .needs([agent::NAME, apicaller::NAME, environ::NAME])
}

struct Provisioner {
    worker: WorkerContext,
    api: ApiConnection,
    provider: Arc<dyn Provider>,
    config: watch::Receiver<EnvironConfig>,
    clock: SharedClock,
    credential: Arc<Credential>,
    addresses: watch::Receiver<Vec<String>>,
    queue: Queue,
    running: JoinSet<Ended>,
}

/// How a call to the provider ended.
struct Ended {
    machine: MachineId,
    outcome: Outcome,
}

enum Outcome {
    /// It is there, as it was recorded before.
    Kept(Instance),
    /// It was started and recorded, or stopped again because it could not be.
    Recorded,
    NotStarted(ProviderError),
    Stopped(Result<(), ProviderError>),
    /// The API failed on the way: the worker starts over.
    Failed(WorkerError),
}

impl Provisioner {
    async fn run(mut self) -> WorkerResult {
        let worker = self.worker.clone();
        let doing = "watching machines";
        let mut machines = Watching::begin(&worker, &self.api, &WatchMachines {}, doing).await?;
        let mut first_look = true;
        let agent = self.provider.shared_agent();
        let mut ended = agent.map_or_else(|| watch::channel(None).1, SharedAgent::ended);
        ended.mark_changed();
        let mut tells = true;
        loop {
            self.show();
            let pause = clock::until(self.clock.as_ref(), self.queue.next_due());
            tokio::select! {
                changed = machines.names::<MachineId>() => {
                    let changed = changed?;
                    if first_look {
                        self.look(Vec::new(), true).await?;
                        self.harvest().await?;
                        first_look = false;
                    } else if !changed.is_empty() {
                        self.look(changed, false).await?;
                    }
                }
                changed = self.config.changed(), if !first_look => {
                    changed.while_doing("following the model's configuration")?;
                    self.harvest().await?;
                }
                Some(ended) = self.running.join_next() => {
                    self.ended(ended.worker_error()?).await?;
                }
                () = changed(&mut self.addresses) => {
                    worker.or_dying(self.credential.refresh()).await??;
                }
                changed = ended.changed(), if tells && !first_look => match changed {
                    Ok(()) => {
                        let cause = ended.borrow_and_update().clone();
                        self.show_ended(cause.as_deref()).await?;
                    }
                    // Each machine has an agent of its own.
                    Err(_) => tells = false,
                },
                () = pause => {}
            }
            self.begin_due();
        }
    }

    /// Reads machines, all of them for an empty list, and plans what each needs.
    async fn look(&mut self, ids: Vec<MachineId>, first_look: bool) -> WorkerResult {
        let asked = ids.clone();
        let call = GetMachines { machines: ids };
        let machines = self
            .worker
            .or_dying(self.api.call(&call))
            .await?
            .while_doing("reading machines")?;
        for gone in asked
            .iter()
            .filter(|id| !machines.iter().any(|machine| machine.machine == **id))
        {
            self.queue.forget(gone);
        }
        let starts = |info: &MachineInfo| {
            let provisioned = info.instance_id.is_some();
            classify(info.life, provisioned, &info.instance_status, first_look) == Task::Start
        };
        let may_start = !machines.iter().any(starts) || self.credential_is_valid().await?;
        for machine in machines {
            if may_start || !starts(&machine) {
                self.plan(machine, first_look).await?;
            }
        }
        Ok(())
    }

    /// A machine may be heard of before it is heard that the credential of its model is no longer
    /// valid, which ends this worker.
    async fn credential_is_valid(&self) -> Result<bool, WorkerError> {
        let found = credentialvalidator::read(&self.api);
        Ok(self.worker.or_dying(found).await??.valid)
    }

    async fn plan(&mut self, info: MachineInfo, first_look: bool) -> WorkerResult {
        let MachineInfo {
            machine,
            life,
            instance_id,
            instance_status,
            ..
        } = info;
        if self.queue.is_running(&machine) {
            // Looked at again when that is over.
            return Ok(());
        }
        match classify(life, instance_id.is_some(), &instance_status, first_look) {
            Task::Leave => Ok(()),
            Task::Start => {
                self.queue.start(machine, self.clock.monotonic());
                Ok(())
            }
            Task::StartAgain => self.start_again().await,
            Task::Keep => {
                self.queue.keep(machine, self.clock.monotonic());
                Ok(())
            }
            Task::EnsureDead => {
                self.queue.forget(&machine);
                let call = EnsureMachineDead { machine };
                let answer = self.worker.or_dying(self.api.call(&call)).await?;
                unless_gone(answer).while_doing("ending a machine without instance")
            }
            Task::Stop => {
                self.queue.stop(
                    machine,
                    instance_id.map(InstanceId::new),
                    self.clock.monotonic(),
                );
                Ok(())
            }
        }
    }

    /// Stops instances which the model does not account for.
    async fn harvest(&mut self) -> WorkerResult {
        let mode = self.config.borrow_and_update().provisioner_harvest_mode;
        let all = GetMachines {
            machines: Vec::new(),
        };
        let machines = self
            .worker
            .or_dying(self.api.call(&all))
            .await?
            .while_doing("reading machines")?;
        let lives: Vec<_> = machines
            .into_iter()
            .map(|info| (info.machine, info.life))
            .collect();
        let instances = self
            .worker
            .or_dying(self.provider.instances())
            .await?
            .while_doing("listing instances")?;
        for instance in instances {
            if mode.takes(&instance.name, &lives) {
                tracing::info!(instance = %instance.id, ?mode, "instance is harvested");
                self.worker
                    .or_dying(self.provider.stop_instance(&instance.id))
                    .await?
                    .while_doing("harvesting")?;
            }
        }
        Ok(())
    }

    /// Begins what is due, as long as there is room.
    fn begin_due(&mut self) {
        let at_once = self.config.borrow().num_provision_workers;
        while self.running.len() < at_once {
            let Some((machine, job)) = self.queue.begin(self.clock.monotonic()) else {
                return;
            };
            let provider = Arc::clone(&self.provider);
            match job {
                job @ (queue::Job::Start | queue::Job::Keep) => {
                    let start = Start {
                        api: self.api.clone(),
                        provider,
                        credential: Arc::clone(&self.credential),
                        machine,
                    };
                    self.running.spawn(async move {
                        let outcome = start.run(job == queue::Job::Keep).await;
                        let machine = start.machine;
                        Ended {
                            machine,
                            outcome: outcome.unwrap_or_else(Outcome::Failed),
                        }
                    });
                }
                queue::Job::Stop(instance) => {
                    self.running.spawn(async move {
                        let outcome = match instance {
                            Some(instance) => provider.stop_instance(&instance).await,
                            None => Ok(()),
                        };
                        Ended {
                            machine,
                            outcome: Outcome::Stopped(outcome),
                        }
                    });
                }
            }
        }
    }

    async fn ended(&mut self, Ended { machine, outcome }: Ended) -> WorkerResult {
        self.queue.end(&machine);
        match outcome {
            Outcome::Failed(error) => return Err(error),
            Outcome::Kept(instance) => {
                tracing::debug!(%machine, instance = %instance.id, "instance is there");
                self.queue.forget(&machine);
            }
            Outcome::Recorded => self.queue.forget(&machine),
            Outcome::NotStarted(error) if error.refuses_credential() => {
                self.queue.forget(&machine);
                let message = format!("waiting for a valid credential ({error})");
                self.set_status(&machine, Status::new(Machine::Pending, message))
                    .await?;
                self.note(&error).await?;
            }
            Outcome::NotStarted(error) => {
                let failed = self.queue.failed(&machine, self.clock.monotonic());
                tracing::warn!(%machine, %error, failed, "instance did not start");
                self.set_status(&machine, failed_start(&error.to_string(), failed))
                    .await?;
            }
            Outcome::Stopped(Ok(())) => {
                self.queue.forget(&machine);
                let call = MarkMachineForRemoval {
                    machine: machine.clone(),
                };
                let answer = self.worker.or_dying(self.api.call(&call)).await?;
                return unless_gone(answer).while_doing("marking a machine for removal");
            }
            Outcome::Stopped(Err(error)) => {
                tracing::warn!(%machine, %error, "instance did not stop");
                self.queue.failed(&machine, self.clock.monotonic());
                let status = Status::new(Machine::Error, format!("cannot stop instance: {error}"));
                self.set_status(&machine, status).await?;
                return self.note(&error).await;
            }
        }
        // It may have died, or been forgotten by a provider's failure, in the meantime.
        self.look_again(machine).await
    }

    /// Tells everybody if the provider refused the credential, which ends this worker.
    async fn note(&self, error: &ProviderError) -> WorkerResult {
        let noted = note_refusal(&self.api, error);
        self.worker.or_dying(noted).await?
    }

    /// Looks at a machine after its start is over; only a change of life matters now, since a
    /// failed start has its own next attempt.
    async fn look_again(&mut self, machine: MachineId) -> WorkerResult {
        let call = GetMachines {
            machines: vec![machine.clone()],
        };
        let machines = self
            .worker
            .or_dying(self.api.call(&call))
            .await?
            .while_doing("reading machines")?;
        match machines.into_iter().next() {
            None => {
                self.queue.forget(&machine);
                Ok(())
            }
            Some(info) if info.life.is_alive() => Ok(()),
            Some(info) => self.plan(info, false).await,
        }
    }

    async fn set_status(&self, machine: &MachineId, status: Status<Machine>) -> WorkerResult {
        self.set_statuses([(machine.clone(), status)].into()).await
    }

    async fn set_statuses(&self, statuses: BTreeMap<MachineId, Status<Machine>>) -> WorkerResult {
        let said = set_statuses(&self.api, statuses);
        self.worker.or_dying(said).await?
    }

    fn show(&self) {
        self.worker
            .set_report(json!({ "waiting": self.queue.waiting(), "running": self.running.len() }));
    }
}

/// A machine that is gone needs nothing more.
fn unless_gone(answer: Result<Empty, CallError>) -> Result<(), CallError> {
    match answer {
        Err(error) if !error.is(code::NOT_FOUND) && !error.is(code::DEAD) => Err(error),
        _ => Ok(()),
    }
}

/// Waits for the next value; for ever when there will be none.
async fn changed(addresses: &mut watch::Receiver<Vec<String>>) {
    if addresses.changed().await.is_err() {
        std::future::pending::<()>().await;
    }
}

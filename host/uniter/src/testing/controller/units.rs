//! What the uniter of one unit asks of the controller in memory.

use std::collections::{BTreeMap, HashMap};

use periapt_model::secret::SecretId;
use periapt_model::status::{Agent, Status, Workload};
use periapt_model::uniter::{OperationState, RemoteState, Resolved};
use periapt_model::{Life, MachineId, UnitName};
use periapt_wire::CallError;
use periapt_wire::agent::reboot::Reboots;
use periapt_wire::agent::uniter::{
    FailHook, HookView, Known, News, RequestReboot, SetState, SetUnitResource, Told, UnitState,
};
use periapt_wire::rpc::{Empty, code};
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::relations::{Bag, Relation};
use super::secrets::SecretRecord;
use super::{Controller, Inner, UnitRecord, argument, optional, refused, value};

impl Controller {
    pub(super) fn of_unit(
        &self,
        unit: &UnitName,
        method: &str,
        params: &Value,
    ) -> Result<Value, CallError> {
        let mut inner = self.lock();
        match method {
            "RemoteState" => {
                let known: Known = argument(params, "known")?;
                let told = inner.remote_state(unit).zip(inner.units.get(unit));
                return Ok(value(
                    told.map(|(remote, record)| record.told(remote, &known)),
                ));
            }
            "ReadRelationSettings" => {
                let settings =
                    inner.settings(argument(params, "relation")?, &argument(params, "of")?)?;
                return Ok(value(settings));
            }
            "LeaderSettings" => {
                let told = inner.leader_settings.get(unit.application().as_str());
                return Ok(value(told.cloned().unwrap_or_default().settings));
            }
            "GoalState" => return Ok(value(inner.goals(unit))),
            "DeclaredStorage" => return Ok(value(inner.declared_storage(unit)?)),
            "OwnedSecrets" => return Ok(value(inner.owned_secrets(unit))),
            "Secret" => return Ok(value(inner.read_secret(unit, &whole(params)?)?)),
            _ => {}
        }
        // All or nothing, as in the store.
        let before = inner.before(unit);
        let answer = inner.of_record(unit, method, params);
        if answer.is_err() {
            inner.take_back(unit, before);
        }
        drop(inner);
        let related = match method {
            "BeginHook" => optional::<OperationState>(params, "operation")?
                .and_then(|operation| operation.hook)
                .is_some_and(|hook| hook.relation.is_some()),
            "CommitHook" | "RequestReboot" => true,
            _ => false,
        };
        let machine = self.unit(unit).map(|record| record.machine);
        if let Some(machine) = machine.filter(|machine| related && self.reboots(machine).wanted) {
            self.touch_reboot(&machine);
        }
        if answer.is_ok() && related {
            self.touch_others(unit);
        }
        if answer.is_ok() && method == "EnsureDead" {
            let machine = self.unit(unit).map(|record| record.machine);
            let machine = machine.map(|machine| format!("units:{machine}"));
            self.touch(
                &machine
                    .into_iter()
                    .chain([format!("unit:{unit}")])
                    .collect::<Vec<_>>(),
            );
        }
        answer
    }

    /// A unit hears of its own commits in their answers.
    fn touch_others(&self, unit: &UnitName) {
        let units: Vec<String> = self
            .lock()
            .units
            .keys()
            .filter(|other| *other != unit)
            .map(|unit| format!("unit:{unit}"))
            .collect();
        self.touch(&units);
    }
}

/// What a call about one unit may change.
struct Before {
    record: Option<UnitRecord>,
    relations: BTreeMap<u64, Relation>,
    leader_settings: HashMap<String, Bag>,
    secrets: BTreeMap<SecretId, SecretRecord>,
    reboots: BTreeMap<MachineId, Reboots>,
    logs: usize,
}

impl Inner {
    fn before(&self, unit: &UnitName) -> Before {
        Before {
            record: self.units.get(unit).cloned(),
            relations: self.relations.clone(),
            leader_settings: self.leader_settings.clone(),
            secrets: self.secrets.clone(),
            reboots: self.reboots.clone(),
            logs: self.logs.len(),
        }
    }

    fn take_back(&mut self, unit: &UnitName, before: Before) {
        if let Some(record) = before.record {
            self.units.insert(unit.clone(), record);
        }
        self.relations = before.relations;
        self.leader_settings = before.leader_settings;
        self.secrets = before.secrets;
        self.reboots = before.reboots;
        self.logs.truncate(before.logs);
    }

    fn of_record(
        &mut self,
        unit: &UnitName,
        method: &str,
        params: &Value,
    ) -> Result<Value, CallError> {
        let leader = self.leaders.get(unit.application().as_str()) == Some(unit);
        let record = self.record(unit)?;
        match method {
            "State" => {
                let agent = Some(record.agent.clone());
                return Ok(value(UnitState {
                    agent,
                    ..record.state.clone()
                }));
            }
            "SetState" => {
                let call: SetState = whole(params)?;
                let in_place = call.operation.charm_in_place().map(str::to_owned);
                record.charm_in_place = in_place.or(record.charm_in_place.take());
                record.follow(call.from, call.operation)?;
                if call.takes_answer {
                    record.remote.resolved = Resolved::None;
                }
            }
            "BeginHook" => self.begin(whole(params)?)?,
            "CommitHook" => return Ok(value(self.commit(whole(params)?)?)),
            "FailHook" => {
                let call: FailHook = whole(params)?;
                record.follow(call.from, call.operation)?;
                record.agent = call.agent;
                record.runs.push(call.run);
            }
            "RequestReboot" => {
                let call: RequestReboot = whole(params)?;
                let machine = record.machine.clone();
                record.follow(call.from, call.operation)?;
                record.agent = call.agent;
                self.reboots.entry(machine).or_default().wanted = true;
            }
            "ApplicationStatus" => return Ok(value(&record.application)),
            "SetAgentStatus" => record.agent = argument(params, "status")?,
            "SetUnitStatus" => record.workload = argument(params, "status")?,
            "SetApplicationStatus" if !leader => {
                return Err(refused(code::LEASE_DENIED, "the unit does not lead"));
            }
            "SetApplicationStatus" => record.application = argument(params, "status")?,
            "SetWorkloadVersion" => record.version = argument(params, "version")?,
            "SetDeployStatus" => {
                record.agent = argument(params, "agent")?;
                record.workload = argument(params, "workload")?;
            }
            "BeginTask" => return Ok(value(record.begin_task(whole(params)?)?)),
            "EndTask" => record.end_task(whole(params)?)?,
            "LogTask" => record.log_task(whole(params)?)?,
            "TaskStatus" => {
                let task = record.tasks.get(&argument(params, "task")?);
                return Ok(value(task.map(|task| task.status)));
            }
            "Resource" => {
                let name: String = argument(params, "name")?;
                return Ok(value(record.resources.get(&name)));
            }
            "SetResource" => {
                let call: SetUnitResource = whole(params)?;
                if let Some(resource) = record.resources.get_mut(&call.name) {
                    resource.known = Some(call.revision);
                }
            }
            "SetStopped" => record.agent = Status::new(Agent::Stopped, ""),
            "EnsureDead" if record.subordinates > 0 => {
                return Err(refused(code::TRY_AGAIN, "the unit has subordinates"));
            }
            "EnsureDead" if !record.remote.storage.is_empty() => {
                return Err(refused(code::TRY_AGAIN, "the unit has storage"));
            }
            "EnsureDead" => {
                record.remote.life = Life::Dead;
                for relation in self.relations.values_mut() {
                    relation.leave(unit);
                }
            }
            other => return Err(refused(code::NOT_IMPLEMENTED, other)),
        }
        Ok(value(Empty {}))
    }
}

/// A call, of all its parameters.
fn whole<T: DeserializeOwned>(params: &Value) -> Result<T, CallError> {
    let call = serde_json::from_value(params.clone());
    call.map_err(|error| refused(code::BAD_REQUEST, &error.to_string()))
}

impl UnitRecord {
    pub(super) fn told(&self, remote: RemoteState, known: &Known) -> News {
        let led = Some(self.application.clone());
        let config = Some(self.config.clone());
        let told = Told {
            config: config.filter(|_| known.config != remote.config_hash),
            remote,
            view: HookView {
                machine: Some(self.machine.clone()),
                principal: None,
                private_address: Some("127.0.0.1".to_owned()),
                public_address: None,
                workload: self.workload.clone(),
                application: led.filter(|led| led.status != Workload::Unset),
                workload_version: Some(self.version.clone()),
                meter: self.meter.clone(),
                trusted: false,
                withheld: self.withheld.clone(),
            },
        };
        told.beyond(known)
    }

    /// Records the state that follows the one numbered `from`.
    pub(super) fn follow(&mut self, from: u64, operation: OperationState) -> Result<(), CallError> {
        if from != self.state.sequence {
            return Err(refused(code::STALE, "the record is another one"));
        }
        operation
            .validate()
            .map_err(|error| refused(code::BAD_REQUEST, &error.to_string()))?;
        self.state.sequence += 1;
        self.writes.push(operation.clone());
        self.state.operation = Some(operation);
        Ok(())
    }
}

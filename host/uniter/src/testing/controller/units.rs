//! What the uniter of one unit asks of the controller in memory.

use periapt_contract::settings;
use periapt_model::hook::{Effects, Info};
use periapt_model::ports::Openings;
use periapt_model::status::{Agent, Status, Workload};
use periapt_model::uniter::{OperationState, RemoteState, Resolved, agent_idle};
use periapt_model::{Life, UnitName};
use periapt_wire::CallError;
use periapt_wire::agent::log_sink::LogRecord;
use periapt_wire::agent::uniter::{
    HookCommitted, HookReport, HookView, Known, News, Told, UnitState,
};
use periapt_wire::rpc::{Empty, code};
use serde_json::Value;

use super::{Controller, Inner, UnitRecord, argument, optional, refused, value};

impl Controller {
    pub(super) fn of_unit(
        &self,
        unit: &UnitName,
        method: &str,
        params: &Value,
    ) -> Result<Value, CallError> {
        let mut inner = self.lock();
        let mut related = false;
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
            "BeginHook" if inner.units.contains_key(unit) => {
                let operation: OperationState = argument(params, "operation")?;
                inner.enter(unit, operation.hook.as_ref())?;
                related = operation.hook.is_some_and(|hook| hook.relation.is_some());
            }
            "CommitHook" if inner.units.contains_key(unit) => {
                let effects: Effects = argument(params, "effects")?;
                let hook: Option<Info> = optional(params, "hook")?;
                let absent: Vec<Info> = optional(params, "absent")?.unwrap_or_default();
                inner.apply(unit, hook.as_ref(), &absent, &effects)?;
                let lines: Option<Vec<LogRecord>> = optional(params, "records")?;
                inner.logs.extend(lines.into_iter().flatten());
                related = true;
            }
            _ => {}
        }
        let answer = Self::of_record(&mut inner, unit, method, params);
        drop(inner);
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

    fn of_record(
        inner: &mut Inner,
        unit: &UnitName,
        method: &str,
        params: &Value,
    ) -> Result<Value, CallError> {
        let remote = inner.remote_state(unit);
        let leader = inner.leaders.get(unit.application().as_str()) == Some(unit);
        let opened = match method {
            "CommitHook" => inner.opened_after(unit, &argument(params, "effects")?)?,
            _ => Openings::default(),
        };
        let Some(record) = inner.units.get_mut(unit) else {
            return Err(refused(code::NOT_FOUND, "unit"));
        };
        match method {
            "State" => {
                let agent = Some(record.agent.clone());
                return Ok(value(UnitState {
                    agent,
                    ..record.state.clone()
                }));
            }
            "SetState" => {
                record.write(params)?;
                if argument(params, "takes-answer")? {
                    record.remote.resolved = Resolved::None;
                }
            }
            "BeginHook" => {
                let seen: Resolved = argument(params, "answer")?;
                if !record.remote.resolved.lets_begin(seen) {
                    return Err(refused(code::ANSWERED, "a person answered"));
                }
                record.remote.resolved = Resolved::None;
                record.write(params)?;
                if let Some(status) = optional(params, "agent")? {
                    record.agent = status;
                }
                if let Some(status) = optional(params, "workload")? {
                    record.workload = status;
                }
            }
            "CommitHook" => {
                let run: Option<HookReport> = optional(params, "run")?;
                record.write(params)?;
                record.commit(argument(params, "effects")?, opened);
                record.runs.extend(run);
                record.remote.resolved = Resolved::None;
                if let Some(status) = optional(params, "workload")? {
                    record.workload = status;
                }
                let known: Known = argument(params, "known")?;
                let remote = remote.unwrap_or_else(|| record.remote.clone());
                let rests: bool = argument(params, "rests")?;
                let idle = rests && Known::of_remote(&remote) == known.remote;
                if idle {
                    record.agent = agent_idle();
                }
                let remote = RemoteState {
                    resolved: Resolved::None,
                    ..remote
                };
                let news = record.told(remote, &known);
                return Ok(value(HookCommitted { news, idle }));
            }
            "FailHook" => {
                record.write(params)?;
                record.agent = argument(params, "agent")?;
                record.runs.push(argument(params, "run")?);
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
            "SetStopped" => record.agent = Status::new(Agent::Stopped, ""),
            "EnsureDead" if record.subordinates > 0 => {
                return Err(refused(code::TRY_AGAIN, "the unit has subordinates"));
            }
            "EnsureDead" => {
                record.remote.life = Life::Dead;
                for relation in inner.relations.values_mut() {
                    relation.leave(unit);
                }
            }
            other => return Err(refused(code::NOT_IMPLEMENTED, other)),
        }
        Ok(value(Empty {}))
    }
}

impl Inner {
    /// The unit's ports after a commit, as the store decides it.
    fn opened_after(&self, unit: &UnitName, effects: &Effects) -> Result<Openings, CallError> {
        let Some(record) = self.units.get(unit) else {
            return Err(refused(code::NOT_FOUND, "unit"));
        };
        let applied = effects.ports.applied(&record.state.opened_ports);
        applied.map_err(|why| refused("port-conflict", &format!("{why:?}")))
    }
}

impl UnitRecord {
    fn told(&self, remote: RemoteState, known: &Known) -> News {
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
            },
        };
        told.beyond(known)
    }

    fn write(&mut self, params: &Value) -> Result<(), CallError> {
        if argument::<u64>(params, "from")? != self.state.sequence {
            return Err(refused(code::STALE, "the record is another one"));
        }
        let operation: OperationState = argument(params, "operation")?;
        operation
            .validate()
            .map_err(|error| refused(code::BAD_REQUEST, &error.to_string()))?;
        let in_place = operation.charm_in_place().map(str::to_owned);
        self.charm_in_place = in_place.or(self.charm_in_place.take());
        self.state.sequence += 1;
        self.writes.push(operation.clone());
        self.state.operation = Some(operation);
        Ok(())
    }

    fn commit(&mut self, effects: Effects, opened: Openings) {
        settings::apply(&mut self.state.charm_state, &effects.state);
        self.state.opened_ports = opened;
        for (name, change) in &effects.workload {
            let container = self.state.containers.entry(name.clone()).or_default();
            *container = container.with(change);
        }
        self.commits.push(effects);
    }
}

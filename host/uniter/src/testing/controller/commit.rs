//! A hook begins and is committed in the controller in memory: the steps and refusals of
//! `periapt_model::hook::commit`, which the store takes as well, carried out on values.

use periapt_model::hook::commit::{self, Step};
use periapt_model::hook::{Info, Kind};
use periapt_model::uniter::{OperationKind, RemoteState, Resolved, agent_idle};
use periapt_model::{Life, Tag, UnitName};
use periapt_wire::CallError;
use periapt_wire::agent::log_sink::LogRecord;
use periapt_wire::agent::uniter::{BeginHook, CommitHook, HookCommitted, Known};
use periapt_wire::rpc::code;

use super::{Inner, UnitRecord, refused};

impl Inner {
    pub(super) fn record(&mut self, unit: &UnitName) -> Result<&mut UnitRecord, CallError> {
        let record = self.units.get_mut(unit);
        record.ok_or_else(|| refused(code::NOT_FOUND, "unit"))
    }

    pub(super) fn begin(&mut self, call: BeginHook) -> Result<(), CallError> {
        let unit = &call.unit;
        let record = self.record(unit)?;
        if !record.remote.resolved.lets_begin(call.answer) {
            return Err(refused(code::ANSWERED, "a person answered"));
        }
        record.remote.resolved = Resolved::None;
        if let Some(hook) = &call.operation.hook
            && call.operation.kind == OperationKind::RunHook
        {
            self.enter(unit, hook)?;
        }
        let record = self.record(unit)?;
        record.follow(call.from, call.operation)?;
        if let Some(agent) = call.agent {
            record.agent = agent;
        }
        if let Some(workload) = call.workload {
            record.workload = workload;
        }
        Ok(())
    }

    pub(super) fn commit(&mut self, call: CommitHook) -> Result<HookCommitted, CallError> {
        let (unit, hook) = (&call.unit, call.hook.as_ref());
        commit::may_change(unit, self.record(unit)?.remote.life, &call.effects)?;
        for step in commit::steps(hook, &call.absent) {
            match step {
                Step::Enter(hook) => self.enter(unit, hook)?,
                Step::Effects => self.apply(unit, hook, call.task, &call.effects)?,
                Step::Leave(hook) => self.leave(unit, hook),
                Step::Operation => self
                    .record(unit)?
                    .follow(call.from, call.operation.clone())?,
                Step::Record => {
                    let record = self.record(unit)?;
                    if let Some(workload) = &call.workload {
                        record.workload = workload.clone();
                    }
                    record.runs.extend(call.run.clone());
                    let lines = call.records.iter().cloned();
                    self.logs.extend(lines.map(|line| LogRecord {
                        entity: Tag::Unit(unit.clone()),
                        ..line
                    }));
                }
            }
        }
        if call.task.is_none() {
            self.record(unit)?.remote.resolved = Resolved::None;
        }
        let remote = self.remote_state(unit);
        let record = self.record(unit)?;
        let remote: RemoteState = remote.unwrap_or_else(|| record.remote.clone());
        let idle = call.rests && Known::of_remote(&remote) == call.known.remote;
        if idle {
            record.agent = agent_idle();
        }
        let news = record.told(remote, &call.known);
        Ok(HookCommitted { news, idle })
    }

    /// Enters the scope if the hook is the created hook of a relation; again is the same.
    fn enter(&mut self, unit: &UnitName, hook: &Info) -> Result<(), CallError> {
        let Some(event) = commit::event(hook, Kind::RelationCreated) else {
            return Ok(());
        };
        let id = event.hook.relation;
        let record = self.record(unit)?;
        let (life, recorded) = (record.remote.life, record.state.operation.clone());
        let waits = self.not_yet.contains(unit);
        let Some(relation) = self.relations.get_mut(&id) else {
            return Ok(commit::enters_gone(unit, id, hook, recorded.as_ref())?);
        };
        if relation.scope.contains(unit) {
            return Ok(());
        }
        if !relation.has(unit) {
            return Err(commit::not_in_scope(unit, id).into());
        }
        commit::may_enter(unit, life, id, (relation.life, relation.suspended))?;
        if waits {
            return Err(commit::not_yet(unit, id, "an old subordinate is still there").into());
        }
        let published = commit::published(Some("127.0.0.1"));
        let published = published.iter();
        let published: Vec<(&str, &str)> = published
            .map(|(key, value)| (key.as_str(), value.as_str()))
            .collect();
        relation.enter(unit, &published);
        Ok(())
    }

    /// Leaves the scope if the hook is the broken hook of a relation, and lets go of the storage of a
    /// detaching one. The last one to leave a dying relation takes it along.
    fn leave(&mut self, unit: &UnitName, hook: &Info) {
        if let Some(event) = &hook.storage
            && hook.kind == Kind::StorageDetaching
        {
            self.let_go(unit, &event.id);
        }
        let Some(event) = commit::event(hook, Kind::RelationBroken) else {
            return;
        };
        let id = event.hook.relation;
        if let Some(relation) = self.relations.get_mut(&id) {
            relation.leave(unit);
            if relation.life != Life::Alive && relation.scope.is_empty() {
                self.relations.remove(&id);
            }
        }
    }
}

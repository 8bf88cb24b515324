//! What a hook asked for becomes true in the controller in memory: a method for each tool, by its name.

use periapt_contract::{
    Effect, action, leadership, payloads, ports, reboot, relation, secret, settings, state,
    storage, workload,
};
use periapt_model::UnitName;
use periapt_model::hook::commit::{self, Standing};
use periapt_model::hook::{Effects, Info};
use periapt_model::task::TaskId;
use periapt_wire::CallError;
use periapt_wire::rpc::code;

use super::relations::Bag;
use super::{Inner, refused};

/// Whose hook is committed.
#[derive(Clone, Copy)]
struct Of<'a> {
    unit: &'a UnitName,
    hook: Option<&'a Info>,
    task: Option<TaskId>,
}

impl Inner {
    /// Applies all effects. What is the leader's needs the leadership at this moment.
    pub(super) fn apply(
        &mut self,
        unit: &UnitName,
        hook: Option<&Info>,
        task: Option<TaskId>,
        effects: &Effects,
    ) -> Result<(), CallError> {
        let of = Of { unit, hook, task };
        let leads = self.leaders.get(unit.application().as_str()) == Some(unit);
        if effects.needs_leadership() && !leads {
            return Err(refused(code::LEASE_DENIED, "the unit does not lead"));
        }
        macro_rules! apply {
            ($($tool:ident)*) => { $(self.$tool(of, &effects.$tool)?;)* };
        }
        periapt_contract::each_tool!(apply);
        self.record(unit)?.commits.push(effects.clone());
        Ok(())
    }

    fn ports(&mut self, of: Of<'_>, changes: &ports::Changes) -> Result<(), CallError> {
        let state = &mut self.record(of.unit)?.state;
        state.opened_ports = commit::opened(of.unit, &state.opened_ports, changes)?;
        Ok(())
    }

    fn state(&mut self, of: Of<'_>, changes: &state::Changes) -> Result<(), CallError> {
        commit::state_is_sound(changes)?;
        let kept = &mut self.record(of.unit)?.state.charm_state;
        settings::apply(kept, changes);
        let bytes = kept.iter().map(|(key, value)| key.len() + value.len());
        Ok(commit::state_fits(
            kept.len() as u64,
            bytes.sum::<usize>() as u64,
        )?)
    }

    fn relations(&mut self, of: Of<'_>, changes: &relation::Changes) -> Result<(), CallError> {
        for (id, changes) in changes.iter().filter(|(_, changes)| !changes.is_empty()) {
            let relation = self.relations.get_mut(id);
            let standing = match &relation {
                None => Standing::Gone,
                Some(relation) if relation.scope.contains(of.unit) => Standing::InScope,
                Some(_) => Standing::Outside,
            };
            if !commit::writes(of.unit, *id, standing, of.hook)? {
                continue;
            }
            if let Some(relation) = relation {
                let own = relation.units.entry(of.unit.clone()).or_default();
                change(own, &changes.unit)?;
                let shared = relation.applications.entry(of.unit.application());
                change(shared.or_default(), &changes.application)?;
            }
        }
        Ok(())
    }

    fn leader(&mut self, of: Of<'_>, changes: &leadership::Changes) -> Result<(), CallError> {
        if changes.is_empty() {
            return Ok(());
        }
        let told = self
            .leader_settings
            .entry(of.unit.application().to_string());
        change(told.or_default(), changes)
    }

    fn action(&mut self, of: Of<'_>, outcome: &action::Outcome) -> Result<(), CallError> {
        match of.task {
            Some(task) => self.complete(of.unit, task, outcome),
            None if outcome.changes_nothing() => Ok(()),
            None => Err(refused(code::BAD_REQUEST, "a hook has no results")),
        }
    }

    fn reboot(&mut self, of: Of<'_>, changes: &reboot::Changes) -> Result<(), CallError> {
        if changes.wanted {
            let machine = self.record(of.unit)?.machine.clone();
            self.reboots.entry(machine).or_default().wanted = true;
        }
        Ok(())
    }

    fn secrets(&mut self, of: Of<'_>, changes: &secret::Changes) -> Result<(), CallError> {
        self.change_secrets(of.unit, of.hook, changes)
    }

    fn storage(&mut self, of: Of<'_>, changes: &storage::Changes) -> Result<(), CallError> {
        let mut changes = changes.iter();
        changes.try_for_each(|(name, count)| self.give_storage(of.unit, name, *count))
    }

    fn payloads(&mut self, of: Of<'_>, changes: &payloads::Changes) -> Result<(), CallError> {
        commit::payloads_are_sound(changes)?;
        let kept = &mut self.record(of.unit)?.state.payloads;
        *kept = changes.applied(kept);
        Ok(commit::payloads_fit(kept.len() as u64)?)
    }

    fn workload(&mut self, of: Of<'_>, changes: &workload::Changes) -> Result<(), CallError> {
        let containers = &mut self.record(of.unit)?.state.containers;
        for (name, change) in changes {
            let container = containers.entry(name.clone()).or_default();
            *container = container.with(change);
        }
        Ok(())
    }
}

fn change(bag: &mut Bag, changes: &settings::Changes) -> Result<(), CallError> {
    if let Some(after) = commit::changed(&bag.settings, changes)? {
        bag.settings = after;
        bag.version += 1;
    }
    Ok(())
}

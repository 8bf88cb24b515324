//! The hook transaction: what a hook asked for and what becomes true only at the commit.
//!
//! Reads see the hook's own writes; nobody else does. The state and ports of the last commit
//! are fetched from the [`HookContext`] on first use, so that a hook which touches neither costs
//! neither. Nothing here talks to anybody else; dropping a transaction is how it is undone.

use std::collections::{BTreeMap, BTreeSet};

use periapt_model::hook::{Effects, STATE_KEY_BYTES, STATE_TOTAL_BYTES, STATE_VALUE_BYTES};
use periapt_model::ports::PortRange;

use crate::context::{CallError, HookContext};

mod bag;
mod settings;
#[cfg(test)]
mod tests;

pub use settings::OwnBag;
pub(crate) use settings::find;

/// Effects of one hook, buffered.
#[derive(Debug, Default)]
pub struct HookTxn {
    /// State at the last commit, once it was asked for.
    committed: Option<BTreeMap<String, String>>,
    writes: BTreeMap<String, Option<String>>,
    /// Bytes of keys and values as the hook sees them; valid once `committed` is there.
    bytes: usize,
    ports: Option<BTreeSet<PortRange>>,
    opening: BTreeSet<PortRange>,
    closing: BTreeSet<PortRange>,
    settings: settings::Settings,
}

impl HookTxn {
    pub fn state_get(
        &mut self,
        context: &mut dyn HookContext,
        key: &str,
    ) -> Result<Option<String>, CallError> {
        check_key(key)?;
        if let Some(write) = self.writes.get(key) {
            return Ok(write.clone());
        }
        Ok(self.committed(context)?.get(key).cloned())
    }

    pub fn state_set(
        &mut self,
        context: &mut dyn HookContext,
        key: String,
        value: String,
    ) -> Result<(), CallError> {
        check_key(&key)?;
        if value.len() > STATE_VALUE_BYTES {
            return Err(CallError::limit(format!(
                "the value of state key \"{key}\" has {} bytes; at most {STATE_VALUE_BYTES} are kept",
                value.len()
            )));
        }
        self.committed(context)?;
        let before = self
            .visible(&key)
            .map_or(0, |value| key.len() + value.len());
        let after = self.bytes - before + key.len() + value.len();
        if after > STATE_TOTAL_BYTES {
            return Err(CallError::limit(format!(
                "the state of the unit would have {after} bytes; at most {STATE_TOTAL_BYTES} are kept"
            )));
        }
        self.bytes = after;
        self.write(key, Some(value));
        Ok(())
    }

    pub fn state_delete(
        &mut self,
        context: &mut dyn HookContext,
        key: String,
    ) -> Result<(), CallError> {
        check_key(&key)?;
        self.committed(context)?;
        if let Some(value) = self.visible(&key) {
            self.bytes -= key.len() + value.len();
        }
        self.write(key, None);
        Ok(())
    }

    pub fn state_all(
        &mut self,
        context: &mut dyn HookContext,
    ) -> Result<Vec<(String, String)>, CallError> {
        let mut all = self.committed(context)?.clone();
        for (key, write) in &self.writes {
            match write {
                Some(value) => all.insert(key.clone(), value.clone()),
                None => all.remove(key),
            };
        }
        Ok(all.into_iter().collect())
    }

    /// Opens a range. Opening it twice is no error; overlapping another open range is.
    pub fn open_port(
        &mut self,
        context: &mut dyn HookContext,
        range: PortRange,
    ) -> Result<(), CallError> {
        let open = self.opened_ports(context)?;
        if let Some(other) = open.iter().find(|other| range.conflicts_with(other)) {
            return Err(CallError::invalid(format!(
                "cannot open {range}: it overlaps {other}, which the unit has open"
            )));
        }
        if !self.closing.remove(&range) && !open.contains(&range) {
            self.opening.insert(range);
        }
        Ok(())
    }

    /// Closes a range. Closing one that is not open is no error; a part of one is.
    pub fn close_port(
        &mut self,
        context: &mut dyn HookContext,
        range: PortRange,
    ) -> Result<(), CallError> {
        let open = self.opened_ports(context)?;
        if let Some(other) = open.iter().find(|other| range.conflicts_with(other)) {
            return Err(CallError::invalid(format!(
                "cannot close {range}: the unit has {other} open; close that range as a whole"
            )));
        }
        if !self.opening.remove(&range) && open.contains(&range) {
            self.closing.insert(range);
        }
        Ok(())
    }

    /// The ranges the hook sees as open, in order.
    pub fn opened_ports(
        &mut self,
        context: &mut dyn HookContext,
    ) -> Result<Vec<PortRange>, CallError> {
        if self.ports.is_none() {
            self.ports = Some(context.opened_ports()?.into_iter().collect());
        }
        let committed = self.ports.iter().flatten();
        let kept = committed.filter(|range| !self.closing.contains(range));
        let all: BTreeSet<PortRange> = kept.chain(&self.opening).copied().collect();
        Ok(all.into_iter().collect())
    }

    /// What the commit has to do; writes that change nothing are left out.
    pub fn into_effects(self) -> Effects {
        let (relations, leader) = self.settings.into_effects();
        Effects {
            relations,
            leader,
            state: self.writes,
            open_ports: self.opening.into_iter().collect(),
            close_ports: self.closing.into_iter().collect(),
        }
    }

    fn committed(
        &mut self,
        context: &mut dyn HookContext,
    ) -> Result<&BTreeMap<String, String>, CallError> {
        let state = match self.committed.take() {
            Some(state) => state,
            None => {
                let state = context.state()?;
                self.bytes = state
                    .iter()
                    .map(|(key, value)| key.len() + value.len())
                    .sum();
                state
            }
        };
        Ok(self.committed.insert(state))
    }

    fn visible(&self, key: &str) -> Option<&str> {
        match self.writes.get(key) {
            Some(write) => write.as_deref(),
            None => self.committed.as_ref()?.get(key).map(String::as_str),
        }
    }

    fn write(&mut self, key: String, value: Option<String>) {
        if self.committed.as_ref().and_then(|state| state.get(&key)) == value.as_ref() {
            self.writes.remove(&key);
        } else {
            self.writes.insert(key, value);
        }
    }
}

fn check_key(key: &str) -> Result<(), CallError> {
    if key.is_empty() {
        return Err(CallError::invalid("a state key cannot be empty"));
    }
    if key.len() > STATE_KEY_BYTES {
        return Err(CallError::limit(format!(
            "a state key of {} bytes is too long; at most {STATE_KEY_BYTES} are kept",
            key.len()
        )));
    }
    Ok(())
}

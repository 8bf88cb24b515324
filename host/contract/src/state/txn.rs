//! Charm state: the last commit's, read on first use, with the hook's own writes on top.

use std::collections::BTreeMap;

use super::{Changes, StateAnswers};
use crate::bounds::{STATE_BYTES, STATE_KEY_BYTES, STATE_KEYS, STATE_VALUE_BYTES};
use crate::settings::{self, member_bytes};
use crate::txn::{Share, require_room};
use crate::{CallError, HookTxn};

impl HookTxn {
    /// # Errors
    /// `Invalid` and `Limit` for a key that cannot be, and what the agent answers.
    pub fn state_get(
        &mut self,
        agent: &mut (impl StateAnswers + ?Sized),
        key: &str,
    ) -> Result<Option<String>, CallError> {
        self.state.get(agent, key)
    }

    /// # Errors
    /// `Limit` when the state, or all that the hook changes, would be too much.
    pub fn state_set(
        &mut self,
        agent: &mut (impl StateAnswers + ?Sized),
        key: String,
        value: String,
    ) -> Result<(), CallError> {
        let room = self.room(self.state.written());
        self.state.set(agent, key, value, room)
    }

    /// # Errors
    /// As [`HookTxn::state_set`].
    pub fn state_delete(
        &mut self,
        agent: &mut (impl StateAnswers + ?Sized),
        key: String,
    ) -> Result<(), CallError> {
        let room = self.room(self.state.written());
        self.state.delete(agent, key, room)
    }

    /// # Errors
    /// What the agent answers.
    pub fn state_all(
        &mut self,
        agent: &mut (impl StateAnswers + ?Sized),
    ) -> Result<Vec<(String, String)>, CallError> {
        self.state.all(agent)
    }
}

/// See the module.
#[derive(Debug, Default)]
pub(crate) struct State {
    /// At the last commit, once it was asked for.
    committed: Option<BTreeMap<String, String>>,
    writes: settings::Changes,
    /// Keys, and bytes of keys and values, as the hook sees them; valid once `committed` is there.
    keys: usize,
    bytes: usize,
    /// Bytes of the writes as JSON.
    written: usize,
}

impl Share for State {
    type Changes = Changes;

    fn written(&self) -> usize {
        self.written
    }

    fn into_changes(self) -> Changes {
        self.writes.into_iter().collect()
    }
}

impl State {
    pub fn get(
        &mut self,
        agent: &mut (impl StateAnswers + ?Sized),
        key: &str,
    ) -> Result<Option<String>, CallError> {
        check_key(key)?;
        if let Some(write) = self.writes.get(key) {
            return Ok(write.clone());
        }
        Ok(self.committed(agent)?.get(key).cloned())
    }

    /// Sets a key, as long as the writes take at most `room` bytes.
    pub fn set(
        &mut self,
        agent: &mut (impl StateAnswers + ?Sized),
        key: String,
        value: String,
        room: usize,
    ) -> Result<(), CallError> {
        check_key(&key)?;
        if STATE_VALUE_BYTES.exceeded_by(value.len()) {
            return Err(CallError::limit(format!(
                "the value of state key \"{key}\" has {} bytes; at most {} are kept",
                value.len(),
                STATE_VALUE_BYTES.most
            )));
        }
        self.committed(agent)?;
        let before = self.visible(&key).map(|value| key.len() + value.len());
        let keys = self.keys + usize::from(before.is_none());
        if STATE_KEYS.exceeded_by(keys) {
            return Err(CallError::limit(format!(
                "the state of the unit would have {keys} keys; at most {} are kept",
                STATE_KEYS.most
            )));
        }
        let bytes = self.bytes - before.unwrap_or(0) + key.len() + value.len();
        if STATE_BYTES.exceeded_by(bytes) {
            return Err(CallError::limit(format!(
                "the state of the unit would have {bytes} bytes; at most {} are kept",
                STATE_BYTES.most
            )));
        }
        let written = self.written - self.written_at(&key) + member_bytes(&key, Some(&value));
        require_room(written, room)?;
        (self.keys, self.bytes) = (keys, bytes);
        self.write(key, Some(value));
        Ok(())
    }

    /// Deletes a key, as long as the writes take at most `room` bytes.
    pub fn delete(
        &mut self,
        agent: &mut (impl StateAnswers + ?Sized),
        key: String,
        room: usize,
    ) -> Result<(), CallError> {
        check_key(&key)?;
        self.committed(agent)?;
        let written = self.written - self.written_at(&key) + member_bytes(&key, None);
        require_room(written, room)?;
        if let Some(value) = self.visible(&key) {
            self.bytes -= key.len() + value.len();
            self.keys -= 1;
        }
        self.write(key, None);
        Ok(())
    }

    pub fn all(
        &mut self,
        agent: &mut (impl StateAnswers + ?Sized),
    ) -> Result<Vec<(String, String)>, CallError> {
        let mut all = self.committed(agent)?.clone();
        settings::apply(&mut all, &self.writes);
        Ok(all.into_iter().collect())
    }

    fn committed(
        &mut self,
        agent: &mut (impl StateAnswers + ?Sized),
    ) -> Result<&BTreeMap<String, String>, CallError> {
        let state = match self.committed.take() {
            Some(state) => state,
            None => {
                let state = agent.state()?;
                self.keys = state.len();
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

    fn written_at(&self, key: &str) -> usize {
        let write = self.writes.get(key);
        write.map_or(0, |value| member_bytes(key, value.as_deref()))
    }

    fn write(&mut self, key: String, value: Option<String>) {
        self.written -= self.written_at(&key);
        if self.committed.as_ref().and_then(|state| state.get(&key)) == value.as_ref() {
            self.writes.remove(&key);
        } else {
            self.written += member_bytes(&key, value.as_deref());
            self.writes.insert(key, value);
        }
    }
}

fn check_key(key: &str) -> Result<(), CallError> {
    if key.is_empty() {
        return Err(CallError::invalid("a state key cannot be empty"));
    }
    if STATE_KEY_BYTES.exceeded_by(key.len()) {
        return Err(CallError::limit(format!(
            "a state key of {} bytes is too long; at most {} are kept",
            key.len(),
            STATE_KEY_BYTES.most
        )));
    }
    Ok(())
}

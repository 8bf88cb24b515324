//! Charm state: the last commit's, read on first use, with the hook's own writes on top.

use std::collections::BTreeMap;

use periapt_model::bounds::{STATE_BYTES, STATE_KEY_BYTES, STATE_KEYS, STATE_VALUE_BYTES};
use periapt_model::hook::member_bytes;

use crate::context::{CallError, HookContext};

/// See the module.
#[derive(Debug, Default)]
pub(super) struct State {
    /// At the last commit, once it was asked for.
    committed: Option<BTreeMap<String, String>>,
    writes: BTreeMap<String, Option<String>>,
    /// Keys, and bytes of keys and values, as the hook sees them; valid once `committed` is there.
    keys: usize,
    bytes: usize,
    /// Bytes of the writes as JSON.
    written: usize,
}

impl State {
    pub fn get(
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

    /// Sets a key, as long as the writes take at most `room` bytes.
    pub fn set(
        &mut self,
        context: &mut dyn HookContext,
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
        self.committed(context)?;
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
        super::require_room(written, room)?;
        (self.keys, self.bytes) = (keys, bytes);
        self.write(key, Some(value));
        Ok(())
    }

    /// Deletes a key, as long as the writes take at most `room` bytes.
    pub fn delete(
        &mut self,
        context: &mut dyn HookContext,
        key: String,
        room: usize,
    ) -> Result<(), CallError> {
        check_key(&key)?;
        self.committed(context)?;
        let written = self.written - self.written_at(&key) + member_bytes(&key, None);
        super::require_room(written, room)?;
        if let Some(value) = self.visible(&key) {
            self.bytes -= key.len() + value.len();
            self.keys -= 1;
        }
        self.write(key, None);
        Ok(())
    }

    pub fn all(
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

    /// Bytes that the writes take in the commit.
    pub fn written(&self) -> usize {
        self.written
    }

    /// Writes that change something.
    pub fn into_writes(self) -> BTreeMap<String, Option<String>> {
        self.writes
    }

    fn committed(
        &mut self,
        context: &mut dyn HookContext,
    ) -> Result<&BTreeMap<String, String>, CallError> {
        let state = match self.committed.take() {
            Some(state) => state,
            None => {
                let state = context.state()?;
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

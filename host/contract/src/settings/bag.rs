//! One bag of settings with the hook's own writes on top.

use super::{Changes, Settings, member_bytes, within};
use crate::CallError;
use crate::bounds::{SETTING_KEY_BYTES, SETTING_VALUE_BYTES};
use crate::txn::require_room;

/// The settings of the last commit and what the hook changes of them.
#[derive(Debug)]
pub(crate) struct Bag {
    committed: Settings,
    writes: Changes,
    /// Keys, and bytes as JSON, as the hook sees the bag.
    keys: usize,
    bytes: usize,
    /// Bytes of the writes as JSON.
    written: usize,
}

impl Bag {
    pub fn new(committed: Settings) -> Self {
        let bytes = committed
            .iter()
            .map(|(key, value)| member_bytes(key, Some(value)))
            .sum();
        Self {
            keys: committed.len(),
            bytes,
            committed,
            writes: Changes::new(),
            written: 0,
        }
    }

    /// As the hook sees it.
    pub fn all(&self) -> Settings {
        let mut all = self.committed.clone();
        super::apply(&mut all, &self.writes);
        all
    }

    /// Changes all of the settings or, where one is refused, none. An empty value deletes. All
    /// writes take at most `room` bytes.
    pub fn set(
        &mut self,
        settings: Vec<(String, Option<String>)>,
        room: usize,
    ) -> Result<(), CallError> {
        for (key, value) in &settings {
            check(key, value.as_deref())?;
        }
        let mut undo = Vec::with_capacity(settings.len());
        for (key, value) in settings {
            let value = value.filter(|value| !value.is_empty());
            let before = self.write(key.clone(), value);
            undo.push((key, before));
        }
        let within = self.check_whole(room);
        if within.is_err() {
            for (key, before) in undo.into_iter().rev() {
                match before {
                    Some(value) => self.write(key, value),
                    None => {
                        let committed = self.committed.get(&key).cloned();
                        self.write(key, committed)
                    }
                };
            }
        }
        within
    }

    /// Bytes that the writes take in the commit.
    pub fn written(&self) -> usize {
        self.written
    }

    /// Writes that change something.
    pub fn into_writes(self) -> Changes {
        self.writes
    }

    fn check_whole(&self, room: usize) -> Result<(), CallError> {
        within(self.keys, self.bytes).map_err(|much| {
            CallError::limit(format!(
                "the settings would have {}; at most {} are kept",
                much.amount(),
                much.bound.most
            ))
        })?;
        require_room(self.written, room)
    }

    /// Writes a value; the write of before, if there was one.
    fn write(&mut self, key: String, value: Option<String>) -> Option<Option<String>> {
        if let Some(seen) = self.seen(&key) {
            self.bytes -= member_bytes(&key, Some(seen));
            self.keys -= 1;
        }
        if let Some(value) = &value {
            self.bytes += member_bytes(&key, Some(value));
            self.keys += 1;
        }
        let before = if self.committed.get(&key) == value.as_ref() {
            self.writes.remove(&key)
        } else {
            self.written += member_bytes(&key, value.as_deref());
            self.writes.insert(key.clone(), value)
        };
        if let Some(before) = &before {
            self.written -= member_bytes(&key, before.as_deref());
        }
        before
    }

    fn seen(&self, key: &str) -> Option<&str> {
        match self.writes.get(key) {
            Some(write) => write.as_deref(),
            None => self.committed.get(key).map(String::as_str),
        }
    }
}

fn check(key: &str, value: Option<&str>) -> Result<(), CallError> {
    if key.is_empty() || key.contains('=') {
        return Err(CallError::invalid(
            "the key of a setting cannot be empty and cannot contain \"=\"",
        ));
    }
    if SETTING_KEY_BYTES.exceeded_by(key.len()) {
        return Err(CallError::limit(format!(
            "the key of a setting has {} bytes; at most {} are kept",
            key.len(),
            SETTING_KEY_BYTES.most
        )));
    }
    let bytes = value.map_or(0, str::len);
    if SETTING_VALUE_BYTES.exceeded_by(bytes) {
        return Err(CallError::limit(format!(
            "the value of setting \"{key}\" has {bytes} bytes; at most {} are kept",
            SETTING_VALUE_BYTES.most
        )));
    }
    Ok(())
}

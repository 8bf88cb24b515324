//! One bag of settings with the hook's own writes on top.

use std::collections::BTreeMap;

use periapt_model::hook;

use crate::context::{CallError, Settings};

/// Limits of a bag: 256 bytes a key and 64 KiB a value as for charm state, 1 MiB in all, because
/// every unit at the other end reads it as a whole.
const KEY_BYTES: usize = hook::STATE_KEY_BYTES;
const VALUE_BYTES: usize = hook::STATE_VALUE_BYTES;
const BAG_BYTES: usize = 1 << 20;

/// The settings of the last commit and what the hook changes of them.
#[derive(Debug)]
pub(super) struct Bag {
    committed: Settings,
    writes: hook::Settings,
}

impl Bag {
    pub fn new(committed: Settings) -> Self {
        Self {
            committed,
            writes: hook::Settings::new(),
        }
    }

    /// As the hook sees it.
    pub fn all(&self) -> Settings {
        let mut all = self.committed.clone();
        for (key, write) in &self.writes {
            match write {
                Some(value) => all.insert(key.clone(), value.clone()),
                None => all.remove(key),
            };
        }
        all
    }

    /// Changes all of the settings or, where one is refused, none. An empty value deletes.
    pub fn set(&mut self, settings: Vec<(String, Option<String>)>) -> Result<(), CallError> {
        let mut writes = self.writes.clone();
        for (key, value) in settings {
            check(&key, value.as_deref())?;
            let value = value.filter(|value| !value.is_empty());
            if self.committed.get(&key) == value.as_ref() {
                writes.remove(&key);
            } else {
                writes.insert(key, value);
            }
        }
        let before = std::mem::replace(&mut self.writes, writes);
        let bytes: usize = self
            .all()
            .iter()
            .map(|(key, value)| key.len() + value.len())
            .sum();
        if bytes > BAG_BYTES {
            self.writes = before;
            return Err(CallError::limit(format!(
                "the settings would have {bytes} bytes; at most {BAG_BYTES} are kept"
            )));
        }
        Ok(())
    }

    /// Writes that change something.
    pub fn into_writes(self) -> BTreeMap<String, Option<String>> {
        self.writes
    }
}

fn check(key: &str, value: Option<&str>) -> Result<(), CallError> {
    if key.is_empty() || key.contains('=') {
        return Err(CallError::invalid(
            "the key of a setting cannot be empty and cannot contain \"=\"",
        ));
    }
    if key.len() > KEY_BYTES {
        return Err(CallError::limit(format!(
            "the key of a setting has {} bytes; at most {KEY_BYTES} are kept",
            key.len()
        )));
    }
    let bytes = value.map_or(0, str::len);
    if bytes > VALUE_BYTES {
        return Err(CallError::limit(format!(
            "the value of setting \"{key}\" has {bytes} bytes; at most {VALUE_BYTES} are kept"
        )));
    }
    Ok(())
}

//! Bags of settings: what a unit, an application or a leader says, as keys with texts.

use std::collections::BTreeMap;

use crate::bounds::{Bound, SETTINGS_BYTES, SETTINGS_KEYS};

mod bag;

pub(crate) use bag::Bag;

/// What somebody says.
pub type Settings = BTreeMap<String, String>;

/// Changes of a bag: a value sets the key, none deletes it.
pub type Changes = BTreeMap<String, Option<String>>;

/// What a bag would be too much of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooMuch {
    pub bound: Bound,
    /// So many the bag would have.
    pub found: usize,
}

/// The bag after the changes; none when they change nothing.
///
/// # Errors
/// When the bag would have more than a bag may.
pub fn changed(before: &Settings, changes: &Changes) -> Result<Option<Settings>, TooMuch> {
    let mut after = before.clone();
    apply(&mut after, changes);
    if after == *before {
        return Ok(None);
    }
    let bytes = after
        .iter()
        .map(|(key, value)| member_bytes(key, Some(value)))
        .sum();
    within(after.len(), bytes)?;
    Ok(Some(after))
}

/// Sets and deletes what the changes say.
pub fn apply(settings: &mut Settings, changes: &Changes) {
    for (key, value) in changes {
        match value {
            Some(value) => settings.insert(key.clone(), value.clone()),
            None => settings.remove(key),
        };
    }
}

/// Whether a bag may have so many keys, and bytes as JSON.
fn within(keys: usize, bytes: usize) -> Result<(), TooMuch> {
    for (bound, found) in [(SETTINGS_KEYS, keys), (SETTINGS_BYTES, bytes)] {
        if bound.exceeded_by(found) {
            return Err(TooMuch { bound, found });
        }
    }
    Ok(())
}

impl TooMuch {
    /// `10001 keys`.
    pub fn amount(&self) -> String {
        let unit = self.bound.unit.split(',').next().unwrap_or_default();
        format!("{} {unit}", self.found)
    }
}

/// The changes for a person, without the values.
pub(crate) fn words(what: &str, changes: &Changes) -> Vec<String> {
    let words = changes.iter().map(|(key, value)| match value {
        Some(_) => format!("{what} {key}"),
        None => format!("{what} {key} deleted"),
    });
    words.collect()
}

/// Bytes of `text` within a JSON document, without its quotes: what it takes in a message.
pub fn json_bytes(text: &str) -> usize {
    let extra = |byte: u8| match byte {
        b'"' | b'\\' | b'\n' | b'\r' | b'\t' | 0x08 | 0x0c => 1,
        0..=0x1f => 5,
        _ => 0,
    };
    text.len() + text.bytes().map(extra).sum::<usize>()
}

/// Bytes that a key and its value take in a JSON object.
pub fn member_bytes(key: &str, value: Option<&str>) -> usize {
    // Quotes, colon and comma; `null` is as long as the quotes of a value and two letters.
    json_bytes(key) + value.map_or(2, json_bytes) + 6
}

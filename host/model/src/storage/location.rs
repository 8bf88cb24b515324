//! Where a charm finds its storage: directories that a sandbox has under a path of their own.

use std::collections::BTreeMap;

use super::StorageId;
use crate::charm::Storage;

/// Longer than charms write.
const MOST_BYTES: usize = 256;

/// What a sandbox has below its root already.
const RESERVED: &[&str] = &[
    "charm",
    "resources",
    "shared",
    "state",
    "storage",
    "tmp",
    "proc",
    "dev",
    "sys",
];

/// `/storage/data/0`, or where the charm's metadata wants it: there itself, or below it where there may be
/// several.
#[must_use]
pub fn location(storage: &Storage, id: &StorageId) -> String {
    match (&storage.location, &storage.multiple) {
        (None, _) => format!("/storage/{id}"),
        (Some(location), None) => location.clone(),
        (Some(location), Some(_)) => format!("{location}/{}", id.number()),
    }
}

/// Whether each storage of a charm can be where its metadata wants it.
///
/// # Errors
/// A sentence for the author.
pub fn locations_are_sound(storage: &BTreeMap<String, Storage>) -> Result<(), String> {
    let declared = storage.iter();
    let wanted: Vec<(&str, &str)> = declared
        .filter_map(|(name, storage)| Some((name.as_str(), storage.location.as_deref()?)))
        .collect();
    for (at, (name, location)) in wanted.iter().enumerate() {
        if !is_path(location) {
            return Err(format!(
                "storage \"{name}\" has the location \"{location}\"; write a whole path of plain names, as in /srv/data"
            ));
        }
        let first = location.split('/').nth(1).unwrap_or_default();
        if RESERVED.contains(&first) {
            return Err(format!(
                "storage \"{name}\" has the location \"{location}\"; /{first} is there for other things, choose another"
            ));
        }
        let meets =
            |other: &&(&str, &str)| is_within(location, other.1) || is_within(other.1, location);
        if let Some((other, _)) = wanted.iter().take(at).find(meets) {
            return Err(format!(
                "storage \"{name}\" has the location \"{location}\", in which storage \"{other}\" is or which is in it"
            ));
        }
    }
    Ok(())
}

fn is_path(text: &str) -> bool {
    let plain = |part: &str| {
        !part.is_empty()
            && part != "."
            && part != ".."
            && part
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c))
    };
    let rest = text.strip_prefix('/');
    text.len() <= MOST_BYTES && rest.is_some_and(|rest| rest.split('/').all(plain))
}

/// Whether the one path is the other or below it.
fn is_within(path: &str, other: &str) -> bool {
    path.strip_prefix(other)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

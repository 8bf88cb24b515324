//! Storage that a unit has: of which hooks and containers are given the directories, and where these are.
//!
//! A unit has a storage from its `storage-attached` on, which is the first hook to find it there, until its
//! `storage-detaching` is committed. What the controller says is there, is; nothing here makes a directory or
//! looks for one.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use periapt_model::charm::{Access, CharmInfo};
use periapt_model::storage::{RemoteAttachment, StorageId};
use periapt_model::uniter::OperationState;
use periapt_model::workload::desired::Stored;
use periapt_sandbox::StorageDirectory;

use crate::directories;

#[cfg(test)]
mod tests;

/// Storage by its id, as the controller says of it.
pub(crate) type Held = BTreeMap<StorageId, RemoteAttachment>;

/// What a unit has of all that is attached to it, with what the hook at hand is about.
pub(crate) fn held(state: &OperationState, all: &Held, about: Option<&StorageId>) -> Held {
    let has = |id: &StorageId| state.storage.contains(id) || about == Some(id);
    let held = all.iter().filter(|(id, one)| one.ready && has(id));
    held.map(|(id, one)| (id.clone(), one.clone())).collect()
}

/// The directories of this storage, of which `root` holds those of all.
pub(crate) fn directories_of(held: &Held, root: &Path) -> Vec<StorageDirectory> {
    let each = held.iter().map(|(id, one)| StorageDirectory {
        id: id.to_string(),
        root: root.to_owned(),
        directory: one.directory.clone(),
        location: one.location.clone(),
        access: match one.read_only {
            true => Access::ReadOnly,
            false => Access::ReadWrite,
        },
    });
    each.collect()
}

/// What a container has of its unit's storage: what its `mounts` name, where they want it. One that mounts nothing
/// has all of it where the charm finds it.
pub(crate) fn in_container(
    charm: &CharmInfo,
    container: &str,
    held: &Held,
) -> BTreeMap<String, Stored> {
    let stored = |one: &RemoteAttachment| Stored {
        directory: PathBuf::from(directories::STORAGE).join(&one.directory),
        read_only: one.read_only,
    };
    let declared = charm.metadata.containers.get(container);
    let mounts = declared.map_or(&[][..], |declared| declared.mounts.as_slice());
    if mounts.is_empty() {
        let each = held.values().map(|one| (one.location.clone(), stored(one)));
        return each.collect();
    }
    let each = mounts.iter().flat_map(|mount| {
        let named = held.iter().filter(|(id, _)| id.name() == mount.storage);
        named.map(|(id, one)| {
            let several = charm.metadata.storage.get(&mount.storage);
            let several = several.is_some_and(|storage| storage.multiple.is_some());
            let guest = match &mount.location {
                None => one.location.clone(),
                Some(location) if several => format!("{location}/{}", id.number()),
                Some(location) => location.clone(),
            };
            (guest, stored(one))
        })
    });
    each.collect()
}

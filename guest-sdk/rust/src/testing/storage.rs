//! Storage in a test: what the charm declares, and what a person and the model do with it.

use std::path::PathBuf;

use periapt_contract::storage::StorageId;

use super::harness::must;
use super::host::{Declaration, TestStorage};
use super::{Harness, Outcome, files};
use crate::{Charm, Result, StorageEvent, StorageHook, StorageKind};

/// Storage. An id is `data/0`, as [`Harness::add_storage`] gives it. Directories are real ones, which go with the
/// harness.
///
/// # Panics
/// All of these panic for a storage that is not there, for what cannot be the name of one, and where a directory
/// cannot be made.
impl<C: Charm> Harness<C> {
    /// Declares a storage as the charm's metadata does: a directory of which a unit has `most`, none for any
    /// number.
    pub fn declare_storage(&mut self, name: &str, most: Option<u32>) -> &mut Self {
        self.declare(name, |declared| declared.most = most)
    }

    /// Has a storage be there for all units of the application: no unit adds one.
    pub fn share_storage(&mut self, name: &str) -> &mut Self {
        self.declare(name, |declared| declared.shared = true)
    }

    /// Has a storage be there to be read. That nobody writes to it is the sandbox's to keep, not the harness's.
    pub fn set_storage_read_only(&mut self, name: &str) -> &mut Self {
        self.declare(name, |declared| declared.read_only = true)
    }

    /// Makes a storage with an empty directory, which the unit is yet to be told of: fill
    /// [`Harness::storage_dir`] as another unit would have, then [`Harness::attach_storage`].
    pub fn add_storage(&mut self, name: &str) -> String {
        let made = self.host.get_mut().make_storage(name);
        let id = must(made, "this is not the name of a storage");
        files::make(&self.storage_mut(&id.to_string()).location);
        id.to_string()
    }

    /// Storage that there is and the unit was not told of: also what its hooks asked for.
    pub fn waiting_storage(&self) -> Vec<String> {
        let host = self.host.borrow();
        let waiting = host.storage.iter().filter(|(_, one)| !one.attached);
        waiting.map(|(id, _)| id.to_string()).collect()
    }

    /// Runs `storage-attached`; the unit has the storage from then on, unless the hook asked for a reboot at once.
    ///
    /// # Errors
    /// What the hook returns: the unit does not have the storage yet, and the hook is run again.
    pub fn attach_storage(&mut self, id: &str) -> Result<Outcome> {
        files::make(&self.storage_mut(id).location);
        let outcome = self.run_storage(StorageHook::Attached, id)?;
        if outcome != Outcome::Rebooted {
            self.storage_mut(id).attached = true;
        }
        Ok(outcome)
    }

    /// Runs `storage-detaching`; the unit does not have the storage from then on, whose directory stays, unless the
    /// hook asked for a reboot at once.
    ///
    /// # Errors
    /// What the hook returns: the unit has the storage still.
    pub fn detach_storage(&mut self, id: &str) -> Result<Outcome> {
        let outcome = self.run_storage(StorageHook::Detaching, id)?;
        if outcome != Outcome::Rebooted {
            self.storage_mut(id).attached = false;
        }
        Ok(outcome)
    }

    /// Where a storage is.
    pub fn storage_dir(&self, id: &str) -> PathBuf {
        let host = self.host.borrow();
        let found = host.storage.get(&parsed(id));
        must(found.ok_or(id), "there is no such storage")
            .location
            .clone()
    }

    fn declare(&mut self, name: &str, change: impl FnOnce(&mut Declaration)) -> &mut Self {
        let declared = self.host.get_mut().declared_storage.entry(name.to_owned());
        change(declared.or_insert(Declaration {
            most: Some(1),
            shared: false,
            read_only: false,
        }));
        self
    }

    fn storage_mut(&mut self, id: &str) -> &mut TestStorage {
        let found = self.host.get_mut().storage.get_mut(&parsed(id));
        must(found.ok_or(id), "there is no such storage")
    }

    fn run_storage(&mut self, hook: StorageHook, id: &str) -> Result<Outcome> {
        let event = StorageEvent {
            hook,
            name: parsed(id).name().to_owned(),
            id: id.to_owned(),
            kind: StorageKind::Filesystem,
            location: self.storage_mut(id).location.clone(),
        };
        self.run_event(&event.into())
    }
}

fn parsed(id: &str) -> StorageId {
    must(id.parse(), "this does not name a storage")
}

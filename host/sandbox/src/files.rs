//! Directories of a hook: what the guest finds under `/charm`, `/state`, `/tmp`, `/shared`,
//! `/resources` and where its storage is.
//!
//! Nothing is made or opened before the guest uses it. A guest that asks for its directories, as
//! some languages do before their first line of output, gets handles ([`Mounted`]) that stand for
//! nothing yet; the first use of one opens it. `/state` is read as it was committed, and the copy that the
//! hook may change is made right before its first change ([`wasi`] tells which calls change something).
//! What was opened until then goes on in the copy. A handle of the committed files is one for reading,
//! for the operating system and for WASI: a change that came through nevertheless would be refused.
//!
//! wasmtime-wasi opens every path of a guest beneath a directory handle and refuses `..`,
//! absolute paths and symbolic links that lead out of it; this module only chooses the handles.
//! It also watches how much a guest leaves behind and how deep, because WASI has no quota.
//!
//! A resource that the hook did not ask for is not on this machine, maybe. Its handle goes on standing for
//! nothing when it is used, and no path leads through it; from the hook's call on it is opened like others.
//!
//! What a hook leaves in `/state` and `/tmp` is taken away when it fails. What it leaves in a
//! directory that it shares stays, and others live there. So a tree that is too deep there is
//! cut at the bound when the hook ends: whoever runs next finds nothing to be blamed for.
//!
//! What a hook writes to a storage stays as well, and is neither measured nor cut: a storage has a file system
//! of its own, whose size was chosen for it, or as much room as the machine has. It is opened below the
//! directory of all storages through no link.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use periapt_model::charm::Access;

use crate::failure::HookFailure;

mod mounted;
mod reading;
mod temporary;
mod wasi;

pub(crate) use mounted::Mounted;
pub(crate) use wasi::{View, link};

/// Where a unit's directories are on this machine.
#[derive(Clone)]
pub struct Directories {
    /// The unpacked charm, `/charm` of the guest, read-only.
    pub charm: PathBuf,
    /// What is made ready only when the guest uses it.
    pub unit: Arc<dyn UnitFiles>,
    /// Where an empty directory for `/tmp` is made. Nobody else uses this place; what a killed
    /// process leaves there can be removed before the next one starts.
    pub temporary: PathBuf,
    /// What a principal and its subordinates share. There is no `/shared` itself: a
    /// guest sees the directories that it was given by name and cannot list what else there is.
    pub shared: Vec<SharedDirectory>,
    /// Names of the resources that the charm declares, each a directory `/resources/NAME` of the guest with
    /// one file in it, read-only. There is no `/resources` itself. Which directory it is, is asked when
    /// the guest uses it.
    pub resources: Vec<String>,
    /// Storage that the unit has, each at a path of its own.
    pub storage: Vec<StorageDirectory>,
}

/// The files of a unit, as one hook meets them. All functions may block; what takes long counts as
/// the hook's time.
pub trait UnitFiles: Send + Sync {
    /// Where the unit's own files are, `/state` of the guest, as they were committed. Nothing is
    /// ever written there.
    fn committed(&self) -> PathBuf;

    /// Makes the copy of them that this hook may change: where it is. Asked for once. What a failed
    /// hook wrote there is still there afterwards.
    fn stage(&self) -> Result<PathBuf, HookFailure>;

    /// The hook may have changed something in the copy.
    fn changed(&self);

    /// Makes sure that a shared directory is there and is as it may be.
    fn share(&self, directory: &Path) -> Result<(), HookFailure>;

    /// The directory with the file of a resource, once this hook has asked for it.
    fn resource(&self, _name: &str) -> Option<PathBuf> {
        None
    }
}

/// A directory shared by a principal and its subordinates, `/shared/NAME` of the guest. What a hook
/// writes there is there at once, also when the hook fails.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SharedDirectory {
    /// One word, without `/`.
    pub name: String,
    pub path: PathBuf,
    pub access: Access,
}

/// The directory of a storage that the unit has. What a hook writes there is there at once, also when the
/// hook fails.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StorageDirectory {
    /// As people name it: `data/0`.
    pub id: String,
    /// Holds the directories of all storages.
    pub root: PathBuf,
    /// The name of this one there, one word.
    pub directory: String,
    /// Where the guest finds it.
    pub location: String,
    pub access: Access,
}

impl SharedDirectory {
    /// Where the guest finds it.
    fn of_guest(&self) -> String {
        format!("/shared/{}", self.name)
    }
}

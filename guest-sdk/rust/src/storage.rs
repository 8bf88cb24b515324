//! Storage: directories that the unit is given and that may outlive it, as `storage` in the charm's metadata
//! declares them.

use std::fmt;
use std::path::PathBuf;

use crate::event::attribute;
use crate::world::World;
use crate::world::bindings::periapt::charm::storage as wit;
use crate::{Context, HostError, Result};

#[cfg(test)]
mod tests;

/// What happened to a storage of the unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum StorageHook {
    /// The unit has it from now on. Those that it has from the beginning come before `install`.
    Attached,
    /// The unit has it until this hook ends.
    Detaching,
}

impl StorageHook {
    /// Both, in the order in which a storage sees them.
    pub const ALL: &'static [StorageHook] = &[StorageHook::Attached, StorageHook::Detaching];

    /// The word at the end of the hook's name.
    pub const fn as_str(self) -> &'static str {
        match self {
            StorageHook::Attached => "attached",
            StorageHook::Detaching => "detaching",
        }
    }

    /// The hook's name for a storage: `data-storage-attached`.
    pub fn name_of(self, storage: &str) -> String {
        format!("{storage}-storage-{}", self.as_str())
    }

    /// Storage and hook of a name, where it is one of a storage.
    pub fn split(name: &str) -> Option<(&str, StorageHook)> {
        let (storage, word) = name.rsplit_once("-storage-")?;
        let hook = StorageHook::ALL.iter().find(|hook| hook.as_str() == word)?;
        Some((storage, *hook))
    }
}

impl fmt::Display for StorageHook {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// What a storage is to the charm.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum StorageKind {
    /// A device. Units of this controller have none.
    Block,
    /// A directory.
    Filesystem,
}

impl StorageKind {
    /// As the charm's metadata has it.
    pub const fn as_str(self) -> &'static str {
        match self {
            StorageKind::Block => "block",
            StorageKind::Filesystem => "filesystem",
        }
    }
}

impl fmt::Display for StorageKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A hook of a storage, with what it is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StorageEvent {
    /// What happened.
    pub hook: StorageHook,
    /// As the charm's metadata declares it.
    pub name: String,
    /// The storage's id, `data/0`. [`Context::storage`] takes it.
    pub id: String,
    /// What it is.
    pub kind: StorageKind,
    /// Where it is.
    pub location: PathBuf,
}

impl StorageEvent {
    pub(crate) fn read(
        name: &str,
        hook: StorageHook,
        attributes: &[(String, String)],
    ) -> Result<Self, String> {
        let demand = |wanted| {
            attribute(attributes, wanted)
                .map(str::to_owned)
                .ok_or_else(|| format!("{}: the host gave no {wanted}", hook.name_of(name)))
        };
        Ok(Self {
            hook,
            name: name.to_owned(),
            id: demand("storage-id")?,
            kind: match demand("storage-kind")?.as_str() {
                "block" => StorageKind::Block,
                _ => StorageKind::Filesystem,
            },
            location: demand("storage-location")?.into(),
        })
    }

    pub(crate) fn attributes(&self) -> Vec<(String, String)> {
        [
            ("storage-id", self.id.clone()),
            ("storage-location", self.location.display().to_string()),
            ("storage-kind", self.kind.to_string()),
        ]
        .map(|(name, value)| (name.to_owned(), value))
        .into()
    }
}

/// A storage that the unit has. What is written below its location is there at once, also when the hook fails, and
/// when the unit is gone if the storage is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Storage {
    /// `data/0`.
    pub id: String,
    /// What it is.
    pub kind: StorageKind,
    /// The directory.
    pub location: PathBuf,
    /// Whether it is there to be read alone.
    pub read_only: bool,
}

/// What a charm may ask of the host about storage.
#[allow(missing_docs)]
pub trait StorageHost {
    fn storage_ids(&self, name: Option<&str>) -> Result<Vec<String>, HostError>;
    fn storage_get(&self, id: Option<&str>) -> Result<Storage, HostError>;
    fn storage_add(&self, name: &str, count: u32) -> Result<(), HostError>;
}

impl StorageHost for World {
    fn storage_ids(&self, name: Option<&str>) -> Result<Vec<String>, HostError> {
        Ok(wit::ids(name)?)
    }

    fn storage_get(&self, id: Option<&str>) -> Result<Storage, HostError> {
        let info = wit::get(id)?;
        Ok(Storage {
            id: info.id,
            kind: match info.kind {
                wit::Kind::Block => StorageKind::Block,
                wit::Kind::Filesystem => StorageKind::Filesystem,
            },
            location: info.location.into(),
            read_only: info.read_only,
        })
    }

    fn storage_add(&self, name: &str, count: u32) -> Result<(), HostError> {
        Ok(wit::add(name, count)?)
    }
}

impl<C> Context<'_, C> {
    /// Ids of all storage that the unit has, in order.
    pub fn storage_ids(&self) -> Result<Vec<String>> {
        Ok(self.host.storage_ids(None)?)
    }

    /// All that the unit has of one storage of the charm's metadata, in order; empty where it has none.
    ///
    /// # Errors
    /// `not-found` for a name that the charm does not declare.
    pub fn storage_named(&self, name: &str) -> Result<Vec<Storage>> {
        let ids = self.host.storage_ids(Some(name))?;
        let found = ids.iter().map(|id| self.host.storage_get(Some(id)));
        Ok(found.collect::<Result<_, HostError>>()?)
    }

    /// The storage of an id.
    ///
    /// # Errors
    /// `not-found` where the unit does not have it.
    pub fn storage(&self, id: &str) -> Result<Storage> {
        Ok(self.host.storage_get(Some(id))?)
    }

    /// The storage that the hook is about.
    ///
    /// # Errors
    /// `invalid` in a hook that is about none.
    pub fn hook_storage(&self) -> Result<Storage> {
        Ok(self.host.storage_get(None)?)
    }

    /// Asks for so many more of a storage. They come after this hook, each with its own
    /// [`StorageHook::Attached`].
    ///
    /// # Errors
    /// `not-found` for a name that the charm does not declare, `denied` for one that all units share, `limit` for more
    /// than the charm declares.
    pub fn add_storage(&self, name: &str, count: u32) -> Result<()> {
        Ok(self.host.storage_add(name, count)?)
    }
}

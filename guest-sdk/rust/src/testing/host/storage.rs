//! Storage of the unit under test: real directories, and what the charm declares of them.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::PathBuf;

use periapt_contract::storage::{self, Attached, Declared, Kind, StorageId};
use periapt_contract::{CallError, StorageAnswers};

use super::TestHost;
use crate::storage::StorageHost;
use crate::{HostError, Storage, StorageKind};

/// What the charm's metadata says of a storage.
#[derive(Clone, Copy, Debug)]
pub struct Declaration {
    /// None for any number.
    pub most: Option<u32>,
    pub shared: bool,
    pub read_only: bool,
}

/// A storage that was made for the unit.
#[derive(Clone, Debug)]
pub struct TestStorage {
    pub location: PathBuf,
    /// The unit was told of it.
    pub attached: bool,
    pub read_only: bool,
}

impl TestHost {
    /// Makes one; its directory is made as it is attached.
    pub fn make_storage(&mut self, name: &str) -> Result<StorageId, CallError> {
        let id = StorageId::new(name, self.next_storage)
            .map_err(|error| CallError::invalid(error.to_string()))?;
        self.next_storage += 1;
        let declared = self.declared_storage.get(name);
        let made = TestStorage {
            location: self.storage_root.join(id.dashed()),
            attached: false,
            read_only: declared.is_some_and(|declared| declared.read_only),
        };
        self.storage.insert(id.clone(), made);
        Ok(id)
    }

    fn has(&self, id: &StorageId) -> bool {
        let told = self.storage.get(id).is_some_and(|one| one.attached);
        told || self.hook_storage.as_ref() == Some(id)
    }
}

impl StorageAnswers for TestHost {
    fn attached_storage(&mut self) -> Result<Vec<Attached>, CallError> {
        let all = self.storage.iter().filter(|(id, _)| self.has(id));
        let attached = all.map(|(id, one)| Attached {
            id: id.clone(),
            kind: Kind::Filesystem,
            location: one.location.display().to_string(),
            read_only: one.read_only,
        });
        Ok(attached.collect())
    }

    fn declared_storage(&mut self) -> Result<BTreeMap<String, Declared>, CallError> {
        let held = |name: &str| {
            let held = self.storage.keys().filter(|id| id.name() == name);
            u32::try_from(held.count()).unwrap_or(u32::MAX)
        };
        let declared = self.declared_storage.iter().map(|(name, one)| {
            let declared = Declared {
                room: one.most.map(|most| most.saturating_sub(held(name))),
                shared: one.shared,
            };
            (name.clone(), declared)
        });
        Ok(declared.collect())
    }

    fn hook_storage(&self) -> Option<StorageId> {
        self.hook_storage.clone()
    }
}

pub(super) fn commit(host: &mut TestHost, changes: &storage::Changes) -> Result<(), CallError> {
    for (name, count) in changes {
        for _ in 0..*count {
            host.make_storage(name)?;
        }
    }
    Ok(())
}

impl StorageHost for RefCell<TestHost> {
    fn storage_ids(&self, name: Option<&str>) -> Result<Vec<String>, HostError> {
        self.borrow_mut().transaction(|txn, host| {
            let ids = txn.storage_ids(host, name)?.into_iter();
            Ok(ids.map(String::from).collect())
        })
    }

    fn storage_get(&self, id: Option<&str>) -> Result<Storage, HostError> {
        self.borrow_mut().transaction(|txn, host| {
            let found = txn.storage_get(host, id)?;
            Ok(Storage {
                id: found.id.to_string(),
                kind: match found.kind {
                    Kind::Block => StorageKind::Block,
                    Kind::Filesystem => StorageKind::Filesystem,
                },
                location: found.location.into(),
                read_only: found.read_only,
            })
        })
    }

    fn storage_add(&self, name: &str, count: u32) -> Result<(), HostError> {
        self.borrow_mut()
            .transaction(|txn, host| txn.storage_add(host, name, count))
    }
}

//! Storage: what the unit has was said as the hook was chosen; how much more it may be given the controller says.

use std::collections::BTreeMap;

use periapt_contract::storage::{Attached, Declared, StorageId};
use periapt_sandbox::{CallError, StorageAnswers};
use periapt_wire::agent::uniter::GetDeclaredStorage;

use super::UnitContext;

impl StorageAnswers for UnitContext {
    fn attached_storage(&mut self) -> Result<Vec<Attached>, CallError> {
        let attached = self.storage.iter().map(|(id, one)| Attached {
            id: id.clone(),
            kind: one.kind,
            location: one.location.clone(),
            read_only: one.read_only,
        });
        Ok(attached.collect())
    }

    fn declared_storage(&mut self) -> Result<BTreeMap<String, Declared>, CallError> {
        self.call(&GetDeclaredStorage {
            unit: self.unit.clone(),
        })
    }

    fn hook_storage(&self) -> Option<StorageId> {
        self.hook_storage.clone()
    }
}

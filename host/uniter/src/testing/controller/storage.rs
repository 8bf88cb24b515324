//! Storage of the controller in memory: what is attached to which unit. A storage is ready as soon as it is there;
//! its directory is the test's to make.

use std::collections::BTreeMap;

use periapt_contract::storage::{Declared, Kind, StorageId};
use periapt_model::charm::{self, CharmInfo};
use periapt_model::storage::{RemoteAttachment, declared, location, may_create};
use periapt_model::{Life, UnitName};
use periapt_wire::CallError;
use periapt_wire::rpc::code;

use super::{Controller, Inner, UnitRecord, refused};

impl Controller {
    /// Attaches a storage, in a directory `data-0` for `data/0`, and gives it as the unit hears of it.
    ///
    /// # Errors
    /// There is no such unit, or this does not name a storage.
    pub fn attach_storage(
        &self,
        unit: &UnitName,
        storage: &str,
        ready: bool,
    ) -> Result<RemoteAttachment, CallError> {
        let not_one = |error: periapt_contract::storage::NotAStorage| {
            refused(code::BAD_REQUEST, &error.to_string())
        };
        let id: StorageId = storage.parse().map_err(not_one)?;
        let attachment = {
            let mut inner = self.lock();
            let charm = inner
                .charm_of(unit)?
                .metadata
                .storage
                .get(id.name())
                .cloned();
            let attachment = attachment(charm.as_ref(), &id, ready);
            let attached = &mut inner.record(unit)?.remote.storage;
            attached.insert(id, attachment.clone());
            attachment
        };
        self.touch(&[format!("unit:{unit}")]);
        Ok(attachment)
    }

    /// Changes what is attached to a unit, as a person or a provider would.
    pub fn change_storage(
        &self,
        unit: &UnitName,
        change: impl FnOnce(&mut BTreeMap<StorageId, RemoteAttachment>),
    ) {
        self.change(unit, |record| change(&mut record.remote.storage));
    }

    /// All storage of a unit is to be let go of: it is being detached.
    pub fn detach_storage(&self, unit: &UnitName) {
        self.change_storage(unit, |attached| {
            for attachment in attached.values_mut() {
                attachment.life = Life::Dying;
            }
        });
    }
}

impl Inner {
    fn charm_of(&self, unit: &UnitName) -> Result<&CharmInfo, CallError> {
        let record = self.units.get(unit);
        let record = record.ok_or_else(|| refused(code::NOT_FOUND, "unit"))?;
        let charm = self.charms.get(&record.remote.charm_url);
        charm.ok_or_else(|| refused(code::NOT_FOUND, "charm"))
    }

    pub(super) fn declared_storage(
        &self,
        unit: &UnitName,
    ) -> Result<BTreeMap<String, Declared>, CallError> {
        let charm = &self.charm_of(unit)?.metadata.storage;
        let record = self.units.get(unit);
        let held = |name: &str| record.map_or(0, |record| record.held(name));
        Ok(declared(charm, held)?)
    }

    /// Gives a unit so many more of a storage.
    pub(super) fn give_storage(
        &mut self,
        unit: &UnitName,
        name: &str,
        count: u32,
    ) -> Result<(), CallError> {
        let charm = self.charm_of(unit)?.metadata.storage.clone();
        let record = self.record(unit)?;
        let life = record.remote.life;
        may_create(unit, life, &charm, name, (record.held(name), count))?;
        for _ in 0..count {
            self.storages += 1;
            let number = self.storages;
            let id = StorageId::new(name, number)
                .map_err(|error| refused(code::BAD_REQUEST, &error.to_string()))?;
            let attachment = attachment(charm.get(name), &id, true);
            self.record(unit)?.remote.storage.insert(id, attachment);
        }
        Ok(())
    }

    /// A unit has let go of a storage. Again is the same.
    pub(super) fn let_go(&mut self, unit: &UnitName, storage: &StorageId) {
        if let Some(record) = self.units.get_mut(unit) {
            record.remote.storage.remove(storage);
        }
    }
}

impl UnitRecord {
    fn held(&self, name: &str) -> u32 {
        let all = self.remote.storage.iter();
        let held = all.filter(|(id, one)| id.name() == name && one.life.is_alive());
        u32::try_from(held.count()).unwrap_or(u32::MAX)
    }
}

fn attachment(charm: Option<&charm::Storage>, id: &StorageId, ready: bool) -> RemoteAttachment {
    RemoteAttachment {
        life: Life::Alive,
        ready,
        kind: Kind::Filesystem,
        location: charm.map_or_else(|| format!("/storage/{id}"), |charm| location(charm, id)),
        read_only: charm.is_some_and(|charm| charm.read_only),
        directory: id.dashed(),
    }
}

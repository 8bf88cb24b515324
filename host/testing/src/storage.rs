//! Storage: what a person does with that of the model, and where it is.
//!
//! A directory is a plain one, whatever the pool: nothing is mounted on the machines of a scenario, and no size is held.

use std::collections::BTreeMap;
use std::path::PathBuf;

use periapt_model::UnitName;
use periapt_model::storage::{Asked, DEFAULT_POOL, StorageId};
use periapt_wire::rest::{AddStorage, ImportFilesystem, StorageInfo, StorageRemoval};

use crate::scenario::{MODEL, doing, name};
use crate::{Scenario, ScenarioError};

/// A storage is named by its id, `data/0`.
impl Scenario {
    /// Gives a unit more of a storage of its charm: as `asked` says, `2` or `loop,1G`, or one more like those that the
    /// application's units have, where that is empty.
    ///
    /// # Errors
    /// What the controller refuses.
    pub async fn add_storage(
        &self,
        unit: &str,
        storage: &str,
        asked: &str,
    ) -> Result<Vec<StorageInfo>, ScenarioError> {
        let of: UnitName = name(unit)?;
        let request = AddStorage {
            storage: storage.to_owned(),
            asked: one_asked(asked)?,
        };
        let added = self.client.add_storage(MODEL, &of, &request).await;
        added.map_err(doing(format!("adding storage {storage} to {unit}")))
    }

    /// Gives a unit a storage that no unit has.
    ///
    /// # Errors
    /// What the controller refuses.
    pub async fn attach_storage(
        &self,
        unit: &str,
        storage: &str,
    ) -> Result<StorageInfo, ScenarioError> {
        let (to, id): (UnitName, StorageId) = (name(unit)?, name(storage)?);
        let attached = self.client.attach_storage(MODEL, &id, &to).await;
        attached.map_err(doing(format!("attaching storage {storage} to {unit}")))
    }

    /// Has the unit that has a storage let go of it; with `force` also where its charm needs it.
    ///
    /// # Errors
    /// What the controller refuses.
    pub async fn detach_storage(
        &self,
        storage: &str,
        force: bool,
    ) -> Result<StorageInfo, ScenarioError> {
        let id: StorageId = name(storage)?;
        let detached = self.client.detach_storage(MODEL, &id, force).await;
        detached.map_err(doing(format!("detaching storage {storage}")))
    }

    /// Begins to remove a storage; with `force` also one that units have.
    ///
    /// # Errors
    /// What the controller refuses.
    pub async fn remove_storage(&self, storage: &str, force: bool) -> Result<(), ScenarioError> {
        let removal = StorageRemoval {
            force,
            no_destroy: false,
        };
        self.take_away(storage, removal).await
    }

    /// Begins to give up a storage that no unit has: its directory stays, and [`Scenario::import_storage`] finds it again.
    ///
    /// # Errors
    /// What the controller refuses.
    pub async fn give_up_storage(&self, storage: &str) -> Result<(), ScenarioError> {
        let removal = StorageRemoval {
            force: false,
            no_destroy: true,
        };
        self.take_away(storage, removal).await
    }

    async fn take_away(&self, storage: &str, removal: StorageRemoval) -> Result<(), ScenarioError> {
        let id: StorageId = name(storage)?;
        let removed = self.client.remove_storage(MODEL, &id, &removal).await;
        removed
            .map(|_| ())
            .map_err(doing(format!("removing storage {storage}")))
    }

    /// Makes a storage, called as charms declare it, of a directory that was given up: `data-0` was that of `data/0`.
    ///
    /// # Errors
    /// What the controller refuses.
    pub async fn import_storage(
        &self,
        directory: &str,
        storage: &str,
    ) -> Result<StorageInfo, ScenarioError> {
        let request = ImportFilesystem {
            pool: DEFAULT_POOL.to_owned(),
            provider_id: directory.to_owned(),
            storage: storage.to_owned(),
        };
        let imported = self.client.import_filesystem(MODEL, &request).await;
        imported.map_err(doing(format!("importing {directory} as {storage}")))
    }

    /// One storage, with who has it.
    ///
    /// # Errors
    /// There is none of this id.
    pub async fn storage(&self, storage: &str) -> Result<StorageInfo, ScenarioError> {
        let id: StorageId = name(storage)?;
        let found = self.client.storage(MODEL, &id).await;
        found.map_err(doing(format!("reading storage {storage}")))
    }

    /// All storage of the model.
    ///
    /// # Errors
    /// What the controller refuses.
    pub async fn storages(&self) -> Result<Vec<StorageInfo>, ScenarioError> {
        let found = self.client.storages(MODEL, None).await;
        found.map_err(doing("reading the storage"))
    }

    /// Where the directory of a storage is: to see what a charm wrote there, or to put there what another unit would
    /// have written.
    ///
    /// # Errors
    /// There is no storage of this id.
    pub async fn storage_directory(&self, storage: &str) -> Result<PathBuf, ScenarioError> {
        let directory = self.storage(storage).await?.provider_id;
        let all = self.agent_directory().await?.join("storage");
        Ok(all.join(directory))
    }
}

/// What each unit is given of storage, by its name.
pub(crate) fn asked(storage: &[(&str, &str)]) -> Result<BTreeMap<String, Asked>, ScenarioError> {
    let one = |(name, text): &(&str, &str)| Ok(((*name).to_owned(), one_asked(text)?));
    storage.iter().map(one).collect()
}

fn one_asked(text: &str) -> Result<Asked, ScenarioError> {
    match text.is_empty() {
        true => Ok(Asked::default()),
        false => name(text),
    }
}

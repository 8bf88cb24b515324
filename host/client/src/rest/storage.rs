//! The methods about storage and the pools that it is made of.

use periapt_model::UnitName;
use periapt_model::storage::StorageId;
use periapt_wire::rest::{
    AddStorage, AttachStorage, DetachStorage, ImportFilesystem, ListQuery, NewStoragePool,
    StorageInfo, StoragePoolInfo, StorageQuery, StorageRemoval, paths,
};
use periapt_wire::rpc::Empty;
use reqwest::Method;

use super::{ANSWER, RestClient, RestError};

impl RestClient {
    /// The storage of a model, or what a unit or the units of an application have of it; read page by page.
    pub async fn storages(
        &self,
        model: &str,
        of: Option<&str>,
    ) -> Result<Vec<StorageInfo>, RestError> {
        let query = StorageQuery {
            of: of.map(str::to_owned),
            ..StorageQuery::default()
        };
        self.list(&paths::STORAGE.at([model]), &query).await
    }

    pub async fn storage(&self, model: &str, id: &StorageId) -> Result<StorageInfo, RestError> {
        let number = id.number().to_string();
        self.get(&paths::STORAGE_OF.at([model, id.name(), &number]))
            .await
    }

    /// Gives a unit more of a storage of its charm; what was made.
    pub async fn add_storage(
        &self,
        model: &str,
        unit: &UnitName,
        request: &AddStorage,
    ) -> Result<Vec<StorageInfo>, RestError> {
        let (application, number) = (unit.application().to_string(), unit.number().to_string());
        self.post(
            &paths::UNIT_STORAGE.at([model, &application, &number]),
            request,
        )
        .await
    }

    /// Gives a unit storage that no unit has.
    pub async fn attach_storage(
        &self,
        model: &str,
        id: &StorageId,
        unit: &UnitName,
    ) -> Result<StorageInfo, RestError> {
        let number = id.number().to_string();
        let request = AttachStorage { unit: unit.clone() };
        self.post(
            &paths::STORAGE_ATTACH.at([model, id.name(), &number]),
            &request,
        )
        .await
    }

    /// Has the unit that has it let go of it.
    pub async fn detach_storage(
        &self,
        model: &str,
        id: &StorageId,
        force: bool,
    ) -> Result<StorageInfo, RestError> {
        let number = id.number().to_string();
        self.post(
            &paths::STORAGE_DETACH.at([model, id.name(), &number]),
            &DetachStorage { force },
        )
        .await
    }

    /// Begins to remove a storage.
    pub async fn remove_storage(
        &self,
        model: &str,
        id: &StorageId,
        removal: &StorageRemoval,
    ) -> Result<Empty, RestError> {
        let number = id.number().to_string();
        self.change(
            Method::DELETE,
            &paths::STORAGE_OF.at([model, id.name(), &number]),
            |request| request.timeout(ANSWER).query(removal),
        )
        .await
    }

    /// Makes a storage of a directory that was given up.
    pub async fn import_filesystem(
        &self,
        model: &str,
        request: &ImportFilesystem,
    ) -> Result<StorageInfo, RestError> {
        self.post(&paths::STORAGE.at([model]), request).await
    }

    /// The pools of a model, those that every model has among them.
    pub async fn storage_pools(&self, model: &str) -> Result<Vec<StoragePoolInfo>, RestError> {
        self.list(&paths::STORAGE_POOLS.at([model]), &ListQuery::default())
            .await
    }

    pub async fn create_storage_pool(
        &self,
        model: &str,
        request: &NewStoragePool,
    ) -> Result<StoragePoolInfo, RestError> {
        self.post(&paths::STORAGE_POOLS.at([model]), request).await
    }

    pub async fn remove_storage_pool(&self, model: &str, pool: &str) -> Result<Empty, RestError> {
        self.change(
            Method::DELETE,
            &paths::STORAGE_POOL.at([model, pool]),
            |request| request.timeout(ANSWER),
        )
        .await
    }
}

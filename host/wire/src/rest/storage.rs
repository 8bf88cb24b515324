//! Storage of a model, and the pools that it is made of.
//!
//! | method and path | query | answer |
//! |---|---|---|
//! | `GET .../storage` | `StorageQuery` | `Page<StorageInfo>` |
//! | `POST .../storage` with [`ImportFilesystem`] | | `StorageInfo` |
//! | `GET .../storage/{name}/{number}` | | `StorageInfo` |
//! | `DELETE .../storage/{name}/{number}` | `StorageRemoval` | `Empty` |
//! | `POST .../storage/{name}/{number}/attach` with [`AttachStorage`] | | `StorageInfo` |
//! | `POST .../storage/{name}/{number}/detach` with [`DetachStorage`] | | `StorageInfo` |
//! | `POST .../units/{name}/{number}/storage` with [`AddStorage`] | | `[StorageInfo]` |
//! | `GET .../storage-pools` | | `Page<StoragePoolInfo>` |
//! | `POST .../storage-pools` with [`NewStoragePool`] | | `StoragePoolInfo` |
//! | `DELETE .../storage-pools/{pool}` | | `Empty` |
//! | `GET .../machines/{machine}/block-devices` | | `Page<BlockDevice>` |
//!
//! Sizes are MiB. What was taken away is in the answer until its directory is gone.

use std::collections::BTreeMap;

use periapt_model::status::{Status, Storage};
use periapt_model::storage::{Asked, PoolKind, StorageId};
use periapt_model::{Life, MachineId, UnitName};
use serde::{Deserialize, Serialize};

/// A storage and its directory.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "kebab-case")]
pub struct StorageInfo {
    /// `data/0`
    #[schema(value_type = String)]
    pub id: StorageId,
    /// `filesystem`
    pub kind: String,
    /// The unit, or the application whose units share it; none for what belongs to nobody now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub owner: Option<String>,
    pub life: Life,
    pub status: Status<Storage>,
    pub pool: String,
    pub provider: PoolKind,
    /// MiB. No more than that fits into it where `limited`.
    pub size: u64,
    pub limited: bool,
    /// It outlives the units that it is attached to.
    pub persistent: bool,
    /// The name of its directory; by it, it can be imported once it was given up.
    pub provider_id: String,
    #[serde(with = "periapt_model::time::micros")]
    #[schema(value_type = String, format = DateTime)]
    pub created_at: i64,
    pub attachments: Vec<StorageAttachmentInfo>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "kebab-case")]
pub struct StorageAttachmentInfo {
    pub unit: UnitName,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub machine: Option<MachineId>,
    /// Where the unit's charm finds it.
    pub location: String,
    pub read_only: bool,
    pub life: Life,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize, utoipa::ToSchema, utoipa::IntoParams)]
#[serde(default, rename_all = "kebab-case")]
#[into_params(parameter_in = Query)]
pub struct StorageQuery {
    /// Only what this unit, or the units of this application, have.
    pub of: Option<String>,
    /// Storages on a page, 1 to 1000; 100 when left out.
    pub limit: Option<u64>,
    pub after: Option<String>,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize, utoipa::ToSchema, utoipa::IntoParams)]
#[serde(default, rename_all = "kebab-case")]
#[into_params(parameter_in = Query)]
pub struct StorageRemoval {
    /// Also one that units have: they let go of it first.
    pub force: bool,
    /// Keep its directory, which can be imported again.
    pub no_destroy: bool,
}

/// A directory that was given up becomes a storage again.
#[derive(Clone, Debug, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "kebab-case")]
pub struct ImportFilesystem {
    pub pool: String,
    /// The name of the directory.
    pub provider_id: String,
    /// The storage's name, as charms declare it.
    pub storage: String,
}

#[derive(Clone, Debug, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "kebab-case")]
pub struct AttachStorage {
    pub unit: UnitName,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(default, rename_all = "kebab-case")]
pub struct DetachStorage {
    /// Also where the unit's charm needs it.
    pub force: bool,
}

/// More storage for a unit.
#[derive(Clone, Debug, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "kebab-case")]
pub struct AddStorage {
    /// As its charm declares it.
    pub storage: String,
    /// What is left out is as for the other units of the application; one where no count is said.
    #[serde(default)]
    pub asked: Asked,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "kebab-case")]
pub struct StoragePoolInfo {
    pub name: String,
    pub provider: PoolKind,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub attributes: BTreeMap<String, String>,
    /// Every model has it.
    pub built_in: bool,
    /// Storages that were made of it.
    pub storages: u64,
}

#[derive(Clone, Debug, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "kebab-case")]
pub struct NewStoragePool {
    pub name: String,
    /// `rootfs`, `tmpfs` or `loop`.
    pub provider: String,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub attributes: BTreeMap<String, String>,
}

/// A block device of a machine, as its agent sees it.
#[derive(
    Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, utoipa::ToSchema,
)]
#[serde(rename_all = "kebab-case")]
pub struct BlockDevice {
    /// `loop0`
    pub name: String,
    /// MiB.
    pub size: u64,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub filesystem_type: String,
    /// Where it is mounted; empty where it is not.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub mount_point: String,
    /// MiB that are free in what is mounted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub free: Option<u64>,
    /// Something uses it.
    pub in_use: bool,
    /// The agent's own directory is on it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub of_agent: bool,
}

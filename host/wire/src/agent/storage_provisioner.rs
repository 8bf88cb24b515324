//! The directories of storage, for whoever makes them and takes them back.

use std::collections::BTreeMap;

use periapt_model::AgentName;
use periapt_model::storage::{PoolKind, StorageId};
use serde::{Deserialize, Serialize};

use crate::rpc::{Empty, Watch};

/// What is to become of a directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Wanted {
    /// It is to be there; made where it is not.
    There,
    /// It was given up before and is to be there again; never made.
    Imported,
    /// It goes, with what is in it.
    Destroyed,
    /// It stays, and is no storage any more.
    Released,
}

/// A storage whose directory is not as it should be, or was not told to be in this life of its provider.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct StorageWork {
    pub id: StorageId,
    pub wanted: Wanted,
    pub provider: PoolKind,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub attributes: BTreeMap<String, String>,
    /// MiB.
    pub size: u64,
    /// The name of its directory.
    pub directory: String,
    /// The agent that opens it.
    pub agent: AgentName,
    /// It is there, as far as the model knows: told for mounts that a machine's new start took away.
    pub provisioned: bool,
    /// Why it failed last; empty where it did not.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub failure: String,
}

crate::facade! { "periapt.StorageProvisioner" 1 for Controller {
    /// Keys are ids of storages of which something changed.
    [Watch] WatchStorage as WatchStorageWork {} -> Watch;
    /// Of these, or of all for an empty list. What units still have is never to be destroyed or released, and what
    /// nobody has an agent for yet is left out.
    [Read] Work as GetStorageWork { storages: Vec<StorageId> } -> Vec<StorageWork>;
    /// Its directory is there; with the size that an imported one has, MiB.
    [Write] SetProvisioned as SetStorageProvisioned { storage: StorageId, size: Option<u64> } -> Empty;
    /// It could not be made or taken back, and is tried again.
    [Write] SetFailed as SetStorageFailed { storage: StorageId, failure: String } -> Empty;
    /// It is destroyed or released: the model forgets it.
    [Write] Forget as ForgetStorage { storage: StorageId } -> Empty;
} }

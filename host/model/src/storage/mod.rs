//! Storage: directories that units are given and that may outlive them; what there may be of it, and when it
//! comes and goes.
//!
//! One storage is both Juju's storage instance and its filesystem: there is no volume without a directory. It
//! is attached to units, and a provider makes its directory. Sizes are MiB. Nothing here makes a directory, and
//! nothing knows where on a machine one is: a provider finds it by its name below the agent's directory.

use std::collections::{BTreeMap, BTreeSet};

pub use periapt_contract::storage::{
    Attached, Changes, Declared, Kind, NotAStorage, StorageId, is_storage_name,
};
use serde::{Deserialize, Serialize};

use crate::Life;
use crate::charm::StorageKind;
use crate::hook::StorageEvent;
use crate::hook::commit::Refused;
use crate::refusal::Refusal;
use crate::status;

mod count;
mod directive;
mod location;
mod pool;
mod rules;
mod size;
#[cfg(test)]
mod tests;

pub use count::CountRange;
pub use directive::{Asked, DEFAULT_SIZE_MIB, Directive, directives, to_create};
pub use location::{location, locations_are_sound};
pub use pool::{DEFAULT_POOL, Pool, PoolKind, Pools};
pub use rules::{
    Facts, Removal, compatible, declared, may_attach, may_create, may_detach, may_remove,
};
pub use size::{mib_of, shown};

impl From<StorageKind> for Kind {
    fn from(kind: StorageKind) -> Self {
        match kind {
            StorageKind::Filesystem => Kind::Filesystem,
            StorageKind::Block => Kind::Block,
        }
    }
}

/// What the controller says of a storage to a unit that it is attached to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct RemoteAttachment {
    /// Of the attachment. The unit lets go of one that is dying.
    pub life: Life,
    /// Its directory is there.
    pub ready: bool,
    pub kind: Kind,
    /// Where the charm finds it.
    pub location: String,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub read_only: bool,
    /// The name of its directory below the agent's directory for storage.
    pub directory: String,
}

impl RemoteAttachment {
    /// What a hook about it is told.
    pub fn event(&self, id: &StorageId) -> StorageEvent {
        StorageEvent {
            id: id.clone(),
            kind: self.kind,
            location: self.location.clone(),
        }
    }
}

/// What is known of a storage and decides the status that it shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Condition {
    pub life: Life,
    /// Its directory is there.
    pub provisioned: bool,
    /// The provider could not make or take back its directory, and tries again.
    pub failed: bool,
    pub attachments: usize,
    /// Of these.
    pub dying_attachments: usize,
}

impl Condition {
    #[must_use]
    pub fn status(self) -> status::Storage {
        use status::Storage;
        match self {
            Condition { failed: true, .. } => Storage::Error,
            _ if self.dying_attachments > 0 => Storage::Detaching,
            _ if !self.life.is_alive() => Storage::Destroying,
            _ if !self.provisioned => Storage::Pending,
            _ if self.attachments == 0 => Storage::Detached,
            _ => Storage::Attached,
        }
    }
}

fn refused(refusal: Refusal, why: impl Into<String>) -> Refused {
    let why = why.into();
    Refused { refusal, why }
}

fn invalid(why: impl Into<String>) -> Refused {
    refused(Refusal::StorageInvalid, why)
}

/// What a unit has, by the name that its charm declares.
pub type Held = BTreeMap<String, BTreeSet<StorageId>>;

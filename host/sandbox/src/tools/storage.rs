//! `storage-list`, `storage-get`, `storage-add`: directories that a unit is given and that may outlive it.

pub use periapt_contract::StorageAnswers;
use periapt_contract::storage;

use super::Permission::Everybody;
use super::Tool;
use super::When::{AtCommit, Read};
use crate::world::periapt::charm::storage as wit;
use crate::world::{Answer, HookState};

pub(super) const TOOLS: &[Tool] = &[
    Tool::new("storage-list", "storage", "ids", Read, Everybody),
    Tool::new("storage-get", "storage", "get", Read, Everybody),
    Tool::new("storage-add", "storage", "add", AtCommit, Everybody),
];

impl wit::Host for HookState {
    fn ids(&mut self, name: Option<String>) -> Answer<Vec<String>> {
        self.transaction(|txn, context| {
            let ids = txn.storage_ids(context, name.as_deref())?.into_iter();
            Ok(ids.map(String::from).collect())
        })
    }

    fn get(&mut self, id: Option<String>) -> Answer<wit::Info> {
        self.transaction(|txn, context| Ok(info_of(txn.storage_get(context, id.as_deref())?)))
    }

    fn add(&mut self, name: String, count: u32) -> Answer<()> {
        self.transaction(|txn, context| txn.storage_add(context, &name, count))
    }
}

fn info_of(attached: storage::Attached) -> wit::Info {
    wit::Info {
        id: attached.id.to_string(),
        kind: match attached.kind {
            storage::Kind::Block => wit::Kind::Block,
            storage::Kind::Filesystem => wit::Kind::Filesystem,
        },
        location: attached.location,
        read_only: attached.read_only,
    }
}

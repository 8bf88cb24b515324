//! Waits for storage, and says so: for what a unit is to have before its first hook, and for what is mounted anew after a
//! start of the machine.
//!
//! Until its provider has mounted it, the directory of a storage is closed to the agent, and a hook would fail on it. So
//! what runs first waits for a while. What is missing, or stays closed, is left to the hook to find.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::Duration;

use periapt_model::storage::StorageId;
use periapt_model::uniter::{OperationState, RemoteState, agent_awaits_storage};

use super::Executor;
use crate::error::UniterError;
use crate::files::blocking;
use crate::remote::Heard;
use crate::storage;

/// How long in all, in one life of the unit's agent.
const PATIENCE: Duration = Duration::from_secs(60);

/// Storage with its directory.
type Places = Vec<(StorageId, PathBuf)>;

/// What is known of the directories of a unit's storage.
#[derive(Debug, Default)]
pub(super) struct Mounts {
    /// These are not closed.
    seen: BTreeSet<StorageId>,
    /// Nothing waits from then on.
    until: Option<Duration>,
}

impl Executor {
    /// Whether `what`, which is about to run and perhaps about a storage, has to wait. Nothing of it is begun then.
    pub(super) async fn awaits_storage(
        &mut self,
        what: impl FnOnce() -> String,
        about: Option<&StorageId>,
        heard: &Heard,
    ) -> Result<bool, UniterError> {
        let mut has = self.local.operation.storage.iter().chain(about);
        if has.all(|id| self.mounts.seen.contains(id)) {
            return Ok(false);
        }
        let root = self.config.process.storage();
        let held = storage::held(&self.local.operation, &heard.state.storage, about);
        let unseen = held.into_iter();
        let unseen = unseen.filter(|(id, _)| !self.mounts.seen.contains(id));
        let unseen: Places = unseen
            .map(|(id, one)| (id, root.join(one.directory)))
            .collect();
        let (closed, others): (Places, Places) = blocking(move || {
            let unseen = unseen.into_iter();
            Ok(unseen.partition(|(_, path)| is_closed(path)))
        })
        .await?;
        let others = others.into_iter().map(|(id, _)| id);
        self.mounts.seen.extend(others);
        let Some((id, _)) = closed.first() else {
            return Ok(false);
        };
        let now = self.clock().monotonic();
        let is_first = self.mounts.until.is_none();
        let until = *self.mounts.until.get_or_insert(now + PATIENCE);
        if now < until {
            self.show_awaited(id).await?;
        }
        if is_first {
            let waits = format!("{} has to wait until storage {id} is mounted", what());
            self.log("INFO", &waits);
        }
        Ok(now < until)
    }

    /// Shows which storage the unit waits for before its first hook, if it does.
    pub async fn show_storage_to_come(&mut self, remote: &RemoteState) -> Result<(), UniterError> {
        let OperationState {
            installed, storage, ..
        } = &self.local.operation;
        if *installed || !remote.life.is_alive() {
            return Ok(());
        }
        let mut all = remote.storage.iter();
        match all.find(|(id, one)| !one.ready && !storage.contains(*id)) {
            Some((id, _)) => self.show_awaited(id).await,
            None => Ok(()),
        }
    }

    /// A failed hook goes on to be shown as failed.
    async fn show_awaited(&mut self, id: &StorageId) -> Result<(), UniterError> {
        match self.local.operation.failed_hook() {
            Some(_) => Ok(()),
            None => self.show(agent_awaits_storage(id)).await,
        }
    }
}

fn is_closed(directory: &Path) -> bool {
    File::open(directory).is_err_and(|error| error.kind() == ErrorKind::PermissionDenied)
}

//! **storageprovisioner**: sees to it that directories of storage are there, and that they go.
//!
//! Trigger: start, and changes of the model's storage. Action: what units are to have the provider makes, what they had
//! is there again after the machine has started anew, what was given up it finds again, and what nobody has any more it
//! destroys or gives up. What fails is tried again after 30 s, then ever more seldom, up to every 30 minutes. Effect:
//! status shows a storage as attached once its directory is there, with the reason as long as it cannot be made, and not
//! any more once it is gone.
//!
//! What it never does: what is to be there again it never makes anew, since an empty directory in place of a lost one
//! would look like data that is gone; only memory, in which nothing lasts, is. Nor does it decide who has what.

mod schedule;

use std::sync::Arc;

use periapt_engine::{
    Manifold, ResultExt, SharedClock, TaskWorker, WorkerContext, WorkerResult, clock,
};
use periapt_model::storage::{PoolKind, StorageId};
use periapt_providers::{Filesystem, Filesystems, Provider, ProviderError};
use periapt_wire::ApiConnection;
use periapt_wire::agent::storage_provisioner::{
    ForgetStorage, GetStorageWork, SetStorageFailed, SetStorageProvisioned, StorageWork, Wanted,
    WatchStorageWork,
};
use serde_json::json;

use super::{apicaller, environ};
use crate::watching::Watching;
use schedule::Schedule;

pub const NAME: &str = "storage-provisioner";

/// Lends nothing.
pub fn manifold() -> Manifold {
    Manifold::new(|context| async move {
        let api: ApiConnection = context.get(apicaller::NAME)?;
        let provider: Arc<dyn Provider> = context.get(environ::NAME)?;
        let clock = context.clock();
        Ok(TaskWorker::spawn(move |worker| async move {
            let provisioner = Provisioner {
                worker,
                api,
                provider,
                clock,
                schedule: Schedule::default(),
            };
            provisioner.run().await
        }))
    })
    .needs([apicaller::NAME, environ::NAME])
}

struct Provisioner {
    worker: WorkerContext,
    api: ApiConnection,
    provider: Arc<dyn Provider>,
    clock: SharedClock,
    schedule: Schedule,
}

impl Provisioner {
    async fn run(mut self) -> WorkerResult {
        let (worker, doing) = (self.worker.clone(), "watching storage");
        let mut storage = Watching::begin(&worker, &self.api, &WatchStorageWork {}, doing).await?;
        loop {
            self.show();
            let next = clock::until(self.clock.as_ref(), self.schedule.next());
            tokio::select! {
                changed = storage.names::<StorageId>() => self.hear(changed?).await?,
                () = next => self.work().await?,
            }
        }
    }

    fn show(&self) {
        self.worker.set_report(json!({
            "there": self.schedule.there(),
            "waiting": self.schedule.waiting(),
            "failed": self.schedule.failing(),
        }));
    }

    /// Reads what is to become of these.
    async fn hear(&mut self, storages: Vec<StorageId>) -> WorkerResult {
        // None would mean all.
        if storages.is_empty() {
            return Ok(());
        }
        let call = GetStorageWork { storages };
        let work = self.worker.or_dying(self.api.call(&call)).await?;
        let work = work.while_doing("reading what is to become of storage")?;
        let now = self.clock.monotonic();
        self.schedule.heard(&call.storages, work, now);
        Ok(())
    }

    /// Does what is due, if it still is wanted.
    async fn work(&mut self) -> WorkerResult {
        let due = self.schedule.due(self.clock.monotonic());
        self.hear(due).await?;
        while let Some(work) = self.schedule.take(self.clock.monotonic()) {
            // What was done before it may have taken long, and the last word on how a storage goes counts.
            if matches!(work.wanted, Wanted::Destroyed | Wanted::Released) {
                self.hear(vec![work.id.clone()]).await?;
                if !self.schedule.wants(&work) {
                    continue;
                }
            }
            let provider = Arc::clone(&self.provider);
            let done = match provider.filesystems() {
                Some(filesystems) => self.worker.or_dying(carry_out(filesystems, &work)).await?,
                None => without_any(&work),
            };
            match done {
                Ok(size) => self.tell(&work, size).await?,
                Err(error) => self.tell_failure(&work, &error).await?,
            }
        }
        Ok(())
    }

    async fn tell(&mut self, work: &StorageWork, size: Option<u64>) -> WorkerResult {
        let storage = work.id.clone();
        match work.wanted {
            Wanted::There | Wanted::Imported => {
                self.schedule.is_there(&work.id);
                // Nothing to be said of what is as it was.
                if work.provisioned && work.failure.is_empty() {
                    return Ok(());
                }
                let call = SetStorageProvisioned { storage, size };
                let told = self.worker.or_dying(self.api.call(&call)).await?;
                told.while_doing("recording that a directory is there")?;
            }
            Wanted::Destroyed | Wanted::Released => {
                self.schedule.is_gone(&work.id);
                let call = ForgetStorage { storage };
                let told = self.worker.or_dying(self.api.call(&call)).await?;
                told.while_doing("recording that a directory is gone")?;
            }
        }
        Ok(())
    }

    async fn tell_failure(&mut self, work: &StorageWork, error: &ProviderError) -> WorkerResult {
        tracing::warn!(storage = %work.id, code = error.code(), %error, "storage is not as it should be");
        self.schedule.failed(work, self.clock.monotonic());
        let call = SetStorageFailed {
            storage: work.id.clone(),
            failure: error.to_string(),
        };
        let told = self.worker.or_dying(self.api.call(&call)).await?;
        told.while_doing("recording why a directory is not there")
            .map(drop)
    }
}

/// The size of one that was there before, MiB.
async fn carry_out(
    filesystems: &dyn Filesystems,
    work: &StorageWork,
) -> Result<Option<u64>, ProviderError> {
    let filesystem = Filesystem {
        directory: work.directory.clone(),
        kind: work.provider,
        size: work.size,
        attributes: work.attributes.clone(),
        made: work.provisioned,
    };
    match work.wanted {
        Wanted::There if work.provisioned && work.provider != PoolKind::Tmpfs => {
            filesystems.import(&filesystem).await.map(|_| None)
        }
        Wanted::There => filesystems.make(&filesystem).await.map(|()| None),
        Wanted::Imported => filesystems.import(&filesystem).await.map(Some),
        Wanted::Destroyed => filesystems.destroy(&filesystem).await.map(|()| None),
        Wanted::Released => filesystems.release(&filesystem).await.map(|()| None),
    }
}

/// In a cloud that has no storage nothing is made, and nothing has to be taken back.
fn without_any(work: &StorageWork) -> Result<Option<u64>, ProviderError> {
    match work.wanted {
        Wanted::There | Wanted::Imported => Err(ProviderError::Refused(
            "the model's cloud has no storage".to_owned(),
        )),
        Wanted::Destroyed | Wanted::Released => Ok(None),
    }
}

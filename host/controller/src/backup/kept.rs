//! The backups that a controller keeps: `backups/ID.zip` with `ID.json`, which tells of it, beside
//! it. The second is written last, so a backup that is listed is whole.

use std::path::{Path, PathBuf};

use async_trait::async_trait;
use periapt_server::backups::{BackupError, Backups};
use periapt_store::Store;
use periapt_wire::rest::Backup;
use tokio::runtime::Handle;
use tokio::sync::Mutex;

use super::create::{Source, create, file};
use crate::ControllerContext;

/// The backups of one controller.
pub struct KeptBackups {
    source: Source,
    directory: PathBuf,
    /// One is made at a time.
    turn: Mutex<()>,
}

impl KeptBackups {
    pub fn new(controller: &ControllerContext, store: &Store) -> Self {
        Self {
            directory: controller.data_dir.join("backups"),
            source: Source {
                config: controller.config.clone(),
                data_dir: controller.data_dir.clone(),
                store: store.clone(),
            },
            turn: Mutex::default(),
        }
    }
}

#[async_trait]
impl Backups for KeptBackups {
    async fn create(&self) -> Result<Backup, BackupError> {
        let _turn = self.turn.try_lock().map_err(|_| BackupError::Busy)?;
        let (source, directory) = (self.source.clone(), self.directory.clone());
        let runtime = Handle::current();
        blocking(move || {
            let now = source.store.clock().now();
            #[expect(clippy::disallowed_methods, reason = "a name that nobody else has")]
            let chance = &uuid::Uuid::new_v4().simple().to_string()[..6];
            let id = format!("{}-{chance}", now.strftime("%Y%m%d-%H%M%S"));
            let whole = directory.join(format!("{id}.zip"));
            let partial = directory.join(format!("{id}.part"));
            let made = create(&source, &id, &partial, &runtime)?;
            let backup = Backup {
                id: id.clone(),
                created_at: made.manifest.created_at,
                size: made.size,
                sha256: made.sha256,
                controller: source.config.name.clone(),
                version: made.manifest.version,
                database: made.manifest.database,
                models: made.manifest.models,
                units: made.manifest.units,
                missing: made.manifest.missing,
            };
            std::fs::rename(&partial, &whole).map_err(file("write", &whole))?;
            let told = serde_json::to_vec_pretty(&backup)
                .map_err(|error| BackupError::Internal(error.to_string()))?;
            let note = directory.join(format!("{id}.json"));
            std::fs::write(&note, told).map_err(file("write", &note))?;
            std::fs::File::open(&directory)
                .and_then(|directory| directory.sync_all())
                .map_err(file("write", &directory))?;
            Ok(backup)
        })
        .await
    }

    async fn list(&self) -> Result<Vec<Backup>, BackupError> {
        let directory = self.directory.clone();
        blocking(move || listed(&directory)).await
    }

    async fn open(&self, id: &str) -> Result<(Backup, tokio::fs::File), BackupError> {
        let backup = self.find(id).await?;
        let path = self.directory.join(format!("{}.zip", backup.id));
        let opened = tokio::fs::File::open(&path).await;
        Ok((backup, opened.map_err(file("read", &path))?))
    }

    async fn remove(&self, id: &str) -> Result<Backup, BackupError> {
        let backup = self.find(id).await?;
        for ending in ["json", "zip"] {
            let path = self.directory.join(format!("{}.{ending}", backup.id));
            let removed = tokio::fs::remove_file(&path).await;
            removed.map_err(file("remove", &path))?;
        }
        Ok(backup)
    }
}

impl KeptBackups {
    /// The listed backup of this id; a path that somebody sends is compared and never used.
    async fn find(&self, id: &str) -> Result<Backup, BackupError> {
        let all = self.list().await?;
        let found = all.into_iter().find(|backup| backup.id == id);
        found.ok_or_else(|| BackupError::NotFound(id.to_owned()))
    }
}

fn listed(directory: &Path) -> Result<Vec<Backup>, BackupError> {
    let entries = match std::fs::read_dir(directory) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries.map_err(file("read", directory))?,
    };
    let mut found = Vec::new();
    for entry in entries {
        let path = entry.map_err(file("read", directory))?.path();
        if path.extension().is_none_or(|ending| ending != "json") {
            continue;
        }
        let bytes = std::fs::read(&path).map_err(file("read", &path))?;
        match serde_json::from_slice::<Backup>(&bytes) {
            Ok(backup)
                if path
                    .file_stem()
                    .is_some_and(|stem| stem == backup.id.as_str()) =>
            {
                found.push(backup);
            }
            _ => tracing::warn!(path = %path.display(), "not the note of a backup"),
        }
    }
    found.sort_by_key(|backup| backup.created_at);
    Ok(found)
}

async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, BackupError> + Send + 'static,
) -> Result<T, BackupError> {
    let done = tokio::task::spawn_blocking(work).await;
    done.map_err(|error| BackupError::Internal(error.to_string()))?
}

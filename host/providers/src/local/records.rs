//! What the local provider keeps on disk for an environment: which instances there are, and
//! their agent's configuration. Each file is replaced as a whole and is on the disk before the
//! call returns.

use std::collections::BTreeSet;
use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use super::filesystems;
use crate::ProviderError;
use crate::error::file;

/// The directory of one environment.
#[derive(Clone, Debug)]
pub struct Records {
    directory: PathBuf,
}

impl Records {
    pub fn new(directory: PathBuf) -> Self {
        Self { directory }
    }

    pub fn directory(&self) -> &Path {
        &self.directory
    }

    pub fn config_file(&self) -> PathBuf {
        self.directory.join("agent.json")
    }

    fn instances_file(&self) -> PathBuf {
        self.directory.join("instances.json")
    }

    /// Makes the directory, closed to other users.
    pub fn create(&self) -> Result<(), ProviderError> {
        std::fs::DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(&self.directory)
            .map_err(file("make", &self.directory))
    }

    /// Takes the directory of an earlier version from other users.
    pub fn close(&self) -> Result<(), ProviderError> {
        super::close(&self.directory)
    }

    /// Writes into the directory, and leaves nothing behind.
    pub fn check_writable(&self) -> Result<(), ProviderError> {
        let was_there = self.directory.exists();
        self.create()?;
        let probe = self.directory.join("writable");
        let written = OpenOptions::new()
            .create(true)
            .write(true)
            .truncate(true)
            .mode(0o600)
            .open(&probe)
            .and_then(|_| std::fs::remove_file(&probe))
            .map_err(file("write", &probe));
        if !was_there {
            // Somebody may have begun to use it.
            let _ = std::fs::remove_dir(&self.directory);
        }
        written
    }

    /// Names of the instances.
    pub fn instances(&self) -> Result<BTreeSet<String>, ProviderError> {
        let path = self.instances_file();
        match read(&path)? {
            None => Ok(BTreeSet::new()),
            Some(bytes) => {
                serde_json::from_slice(&bytes).map_err(|error| file("read", &path)(error.into()))
            }
        }
    }

    pub fn set_instances(&self, names: &BTreeSet<String>) -> Result<(), ProviderError> {
        let path = self.instances_file();
        let bytes =
            serde_json::to_vec(names).map_err(|error| file("write", &path)(error.into()))?;
        replace(&path, &bytes)
    }

    pub fn config(&self) -> Result<Option<Vec<u8>>, ProviderError> {
        read(&self.config_file())
    }

    pub fn set_config(&self, bytes: &[u8]) -> Result<(), ProviderError> {
        replace(&self.config_file(), bytes)
    }

    /// Removes the files of units, once there is no machine left on which a unit could be. An agent
    /// that was stopped in the middle of a forced removal had no time for it.
    pub async fn remove_units(&self) -> Result<(), ProviderError> {
        for folder in ["units", "shared"] {
            remove(self.directory.join(folder)).await?;
        }
        Ok(())
    }

    /// Removes the directory with everything in it, but for storage that was given up.
    pub async fn remove(&self) -> Result<(), ProviderError> {
        if !filesystems::clear(&self.directory).await? {
            return remove(self.directory.clone()).await;
        }
        let entries = std::fs::read_dir(&self.directory).map_err(file("read", &self.directory))?;
        for entry in entries {
            let entry = entry.map_err(file("read", &self.directory))?;
            if entry.file_name() != filesystems::STORAGE {
                remove(entry.path()).await?;
            }
        }
        Ok(())
    }
}

/// Off the reactor: guests decide how much there is to remove.
async fn remove(path: PathBuf) -> Result<(), ProviderError> {
    let removing = path.clone();
    let removed = tokio::task::spawn_blocking(move || periapt_files::remove(&removing)).await;
    removed
        .unwrap_or_else(|error| Err(error.into()))
        .map_err(file("remove", &path))
}

fn read(path: &Path) -> Result<Option<Vec<u8>>, ProviderError> {
    match std::fs::read(path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(file("read", path)(error)),
    }
}

fn replace(path: &Path, bytes: &[u8]) -> Result<(), ProviderError> {
    let next = path.with_extension("json.next");
    let write = || {
        let mut file = OpenOptions::new()
            .create(true)
            .write(true)
            .truncate(true)
            .mode(0o600)
            .open(&next)?;
        file.write_all(bytes)?;
        file.sync_all()?;
        std::fs::rename(&next, path)?;
        match path.parent() {
            Some(parent) => File::open(parent)?.sync_all(),
            None => Ok(()),
        }
    };
    write().map_err(file("write", path))
}

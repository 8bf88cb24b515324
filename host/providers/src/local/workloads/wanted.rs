//! Which environments have something to be reached: an empty file for each, shared by all controllers
//! of the directory.

use std::fs::OpenOptions;
use std::io::ErrorKind;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use crate::ProviderError;
use crate::error::file;

/// The files.
pub(super) struct Wanted {
    directory: PathBuf,
}

impl Wanted {
    /// Within the directory of the process.
    pub fn new(directory: &Path) -> Self {
        Self {
            directory: directory.join("wanted"),
        }
    }

    pub fn has(&self, environment: &str) -> bool {
        self.directory.join(environment).exists()
    }

    pub fn add(&self, environment: &str) -> Result<(), ProviderError> {
        std::fs::DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(&self.directory)
            .map_err(file("make", &self.directory))?;
        let path = self.directory.join(environment);
        let made = OpenOptions::new()
            .create(true)
            .write(true)
            .truncate(false)
            .mode(0o600)
            .open(&path);
        made.map(drop).map_err(file("make", path))
    }

    pub fn remove(&self, environment: &str) -> Result<(), ProviderError> {
        let path = self.directory.join(environment);
        match std::fs::remove_file(&path) {
            Err(error) if error.kind() != ErrorKind::NotFound => Err(file("remove", path)(error)),
            _ => Ok(()),
        }
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> Result<bool, ProviderError> {
        match std::fs::read_dir(&self.directory) {
            Ok(mut entries) => Ok(entries.next().is_none()),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(true),
            Err(error) => Err(file("read", &self.directory)(error)),
        }
    }
}

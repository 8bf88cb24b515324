//! Charms unpacked on this machine: one directory for each archive, named by its digest, shared
//! by all units of the process and never changed once it is there.
//!
//! A directory is filled aside and renamed, so one that exists is whole. What a crash left
//! aside is removed when the process starts.

use std::collections::HashMap;
use std::fs;
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use periapt_client::ApiConnection;
use periapt_model::charm::{Archive, CharmInfo};
use periapt_wire::agent::uniter::GetCharm;
use tokio::sync::OnceCell;

use crate::error::{UniterError, call, file};
use crate::files;
use crate::sandbox::CharmFiles;

const ASIDE: &str = "new-";

/// A charm in place.
#[derive(Debug)]
pub struct Charm {
    pub info: CharmInfo,
    /// Where it is unpacked.
    pub directory: PathBuf,
}

impl Charm {
    pub fn implements(&self, hook: &str) -> bool {
        self.info.hooks.iter().any(|name| name == hook)
    }

    pub fn files(&self) -> CharmFiles<'_> {
        CharmFiles {
            info: &self.info,
            directory: &self.directory,
        }
    }
}

/// All charms of the process. Revisions of a charm are few, so what is known of one is kept.
pub struct Charms {
    directory: PathBuf,
    known: Mutex<HashMap<String, Arc<OnceCell<Arc<Charm>>>>>,
}

impl Charms {
    /// Makes the directory and removes what a crash left half unpacked. Blocks.
    pub fn open(directory: impl Into<PathBuf>) -> Result<Self, UniterError> {
        let directory = directory.into();
        fs::create_dir_all(&directory).map_err(file("make", &directory))?;
        for entry in fs::read_dir(&directory).map_err(file("read", &directory))? {
            let entry = entry.map_err(file("read", &directory))?;
            if entry.file_name().to_string_lossy().starts_with(ASIDE) {
                files::remove(&entry.path()).map_err(file("remove", &entry.path()))?;
            }
        }
        Ok(Self {
            directory,
            known: Mutex::default(),
        })
    }

    /// The charm of this URL, fetched and unpacked at most once however many units ask.
    ///
    /// # Errors
    /// `Charm` when what the controller has is not the charm it should be.
    pub async fn get(
        &self,
        connection: &ApiConnection,
        url: &str,
    ) -> Result<Arc<Charm>, UniterError> {
        let cell = {
            let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
            known.entry(url.to_owned()).or_default().clone()
        };
        cell.get_or_try_init(|| self.put_in_place(connection, url))
            .await
            .cloned()
    }

    async fn put_in_place(
        &self,
        connection: &ApiConnection,
        url: &str,
    ) -> Result<Arc<Charm>, UniterError> {
        let info = connection
            .call(&GetCharm {
                url: url.to_owned(),
            })
            .await
            .map_err(call("asking for the charm"))?;
        let directory = self.directory.join(&info.sha256);
        if !directory.is_dir() {
            let bytes = connection
                .blob(&info.sha256)
                .await
                .map_err(call("fetching the charm"))?;
            let (parent, wanted, url) =
                (self.directory.clone(), info.sha256.clone(), url.to_owned());
            tokio::task::spawn_blocking(move || unpack(&bytes, &parent, &wanted, &url))
                .await
                .map_err(|error| UniterError::Thread(error.to_string()))??;
        }
        Ok(Arc::new(Charm { info, directory }))
    }
}

fn unpack(bytes: &[u8], parent: &Path, wanted: &str, url: &str) -> Result<(), UniterError> {
    let bad = |reason: String| UniterError::Charm {
        url: url.to_owned(),
        reason,
    };
    let archive = Archive::read(bytes).map_err(|error| bad(error.to_string()))?;
    if archive.sha256 != wanted {
        return Err(bad(format!(
            "its archive has the digest {} instead of {wanted}",
            archive.sha256
        )));
    }
    let aside = parent.join(format!("{ASIDE}{wanted}"));
    files::remove(&aside).map_err(file("remove", &aside))?;
    for (name, content) in archive.files() {
        let path = aside.join(name);
        write(&path, content).map_err(file("write", &path))?;
    }
    files::sync(&aside).map_err(file("sync", &aside))?;
    let target = parent.join(wanted);
    fs::rename(&aside, &target).map_err(file("rename to", &target))?;
    files::sync_directory(parent).map_err(file("sync", parent))
}

fn write(path: &Path, content: &[u8]) -> std::io::Result<()> {
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent)?;
    }
    fs::OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o444)
        .open(path)?
        .write_all(content)
}

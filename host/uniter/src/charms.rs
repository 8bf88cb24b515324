//! Charms unpacked on this machine: one directory for each archive, named by its digest, shared
//! by all units of the process and never changed once it is there.
//!
//! A directory is filled aside and renamed, so one that exists was whole. Beside it lies the list of
//! its files with their digests, and each process compares the two before it uses a charm for the
//! first time: what a disk or a person damaged is removed and fetched again. What a crash left aside
//! is removed when the process starts.

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use periapt_files::out_of_descriptors;
use periapt_model::Digest;
use periapt_model::charm::{Archive, COMPONENT, CharmInfo};
use periapt_wire::ApiConnection;
use periapt_wire::agent::uniter::GetCharm;
use tokio::sync::OnceCell;

use crate::error::{UniterError, call, file};
use crate::files::blocking;
use crate::sandbox::CharmFiles;

const ASIDE: &str = "new-";

/// A charm in place.
#[derive(Debug)]
pub struct Charm {
    pub info: CharmInfo,
    /// Where it is unpacked.
    pub directory: PathBuf,
    /// Of the component in its archive.
    pub component: Digest,
}

impl Charm {
    pub fn implements(&self, hook: &str) -> bool {
        self.info.hooks.iter().any(|name| name == hook)
    }

    pub fn files(&self) -> CharmFiles<'_> {
        CharmFiles {
            info: &self.info,
            directory: &self.directory,
            component: self.component,
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
                let path = entry.path();
                periapt_files::remove(&path).map_err(file("remove", &path))?;
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

    /// As [`Charms::get`], after the charm was found to be damaged: looks at its files again.
    pub async fn renew(
        &self,
        connection: &ApiConnection,
        url: &str,
    ) -> Result<Arc<Charm>, UniterError> {
        self.known
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .remove(url);
        self.get(connection, url).await
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
        let place = Place::new(&self.directory, &info.sha256);
        let looked = place.clone();
        let component = match blocking(move || looked.verified()).await? {
            Some(component) => component,
            None => {
                let bytes = connection
                    .blob(&info.sha256)
                    .await
                    .map_err(call("fetching the charm"))?;
                let (place, url) = (place.clone(), url.to_owned());
                blocking(move || place.unpack(&bytes, &url)).await?
            }
        };
        Ok(Arc::new(Charm {
            info,
            directory: place.directory,
            component,
        }))
    }
}

/// Digests of a charm's files by name, as they were in the archive.
type Digests = BTreeMap<String, Digest>;

/// Where one charm is.
#[derive(Clone)]
struct Place {
    parent: PathBuf,
    sha256: String,
    directory: PathBuf,
    digests: PathBuf,
}

impl Place {
    fn new(parent: &Path, sha256: &str) -> Self {
        Self {
            parent: parent.to_owned(),
            sha256: sha256.to_owned(),
            directory: parent.join(sha256),
            digests: parent.join(format!("{sha256}.digests")),
        }
    }

    /// The digest of the charm's component, when all its files are as they were unpacked.
    fn verified(&self) -> Result<Option<Digest>, UniterError> {
        if !self.directory.is_dir() {
            return Ok(None);
        }
        match self.damage() {
            Ok(component) => Ok(Some(component)),
            Err(error) if out_of_descriptors(&error) => Err(file("read", &self.directory)(error)),
            Err(error) => {
                let path = self.directory.display();
                tracing::warn!(%path, %error, "an unpacked charm is damaged; fetching it again");
                Ok(None)
            }
        }
    }

    fn damage(&self) -> io::Result<Digest> {
        let digests: Digests = serde_json::from_slice(&fs::read(&self.digests)?)?;
        for (name, digest) in &digests {
            if Digest::of(fs::read(self.directory.join(name))?) != *digest {
                return Err(io::Error::other(format!("{name} is not as it was")));
            }
        }
        let component = digests.get(COMPONENT).copied();
        component.ok_or_else(|| io::Error::other("it has no component"))
    }

    /// Puts the charm in place, also where a damaged one is; the digest of its component.
    fn unpack(&self, bytes: &[u8], url: &str) -> Result<Digest, UniterError> {
        let bad = |reason: String| UniterError::Charm {
            url: url.to_owned(),
            reason,
        };
        let archive = Archive::read(bytes).map_err(|error| bad(error.to_string()))?;
        if archive.sha256 != self.sha256 {
            return Err(bad(format!(
                "its archive has the digest {} instead of {}",
                archive.sha256, self.sha256
            )));
        }
        let aside = self.parent.join(format!("{ASIDE}{}", self.sha256));
        let mut digests = Digests::new();
        for left in [&aside, &self.digests, &self.directory] {
            periapt_files::remove(left).map_err(file("remove", left))?;
        }
        for (name, content) in archive.files() {
            let path = aside.join(name);
            write(&path, content).map_err(file("write", &path))?;
            digests.insert(name.to_owned(), Digest::of(content));
        }
        periapt_files::sync(&aside).map_err(file("sync", &aside))?;
        fs::rename(&aside, &self.directory).map_err(file("rename to", &self.directory))?;
        // Last, so that a crash before it means that the charm is fetched again.
        let list = serde_json::to_vec(&digests).map_err(io::Error::from);
        list.and_then(|list| write(&self.digests, &list))
            .map_err(file("write", &self.digests))?;
        periapt_files::sync_directory(&self.parent).map_err(file("sync", &self.parent))?;
        Ok(Digest::of(archive.component()))
    }
}

fn write(path: &Path, content: &[u8]) -> io::Result<()> {
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

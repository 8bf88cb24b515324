//! Resources of applications on this machine: each content once, in a directory of its own with the one
//! file, shared by all units of the process that have it.
//!
//! What is fetched is held against its digest before anybody may see it, and never changed once it is there.
//! It is kept for as long as a unit has that revision or a hook reads it. Nothing outlives the process: what
//! the next one needs it fetches when a hook asks, so nobody has to find out what a disk did meanwhile.

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use periapt_model::charm::{CharmInfo, ResourceKind};
use periapt_model::{Digest, UnitName};
use periapt_wire::{ApiConnection, CallError};
use tokio::sync::OnceCell;

use crate::error::{UniterError, call, file};
use crate::files::{blocking, is_word};

#[cfg(test)]
mod tests;

/// Where they are, in the directory of the process.
pub(crate) const DIRECTORY: &str = "resources";

/// A file in place; it goes with the last who has it.
#[derive(Debug)]
pub(crate) struct Resource {
    directory: PathBuf,
}

impl Resource {
    /// Holds the file alone.
    pub fn directory(&self) -> &Path {
        &self.directory
    }
}

impl Drop for Resource {
    fn drop(&mut self) {
        if let Err(error) = periapt_files::remove(&self.directory) {
            let path = self.directory.display();
            tracing::warn!(%path, %error, "a resource stays until the next start");
        }
    }
}

/// Digest and name of a file.
type Key = (String, String);

/// All resources of the process. Clones are the same.
#[derive(Clone)]
pub(crate) struct Resources {
    shared: Arc<Shared>,
}

struct Shared {
    directory: PathBuf,
    next: AtomicU64,
    known: Mutex<Known>,
}

#[derive(Default)]
struct Known {
    contents: HashMap<Key, Arc<OnceCell<Arc<Resource>>>>,
    /// What units were given last, by name.
    of_units: BTreeMap<(UnitName, String), Arc<Resource>>,
}

impl Known {
    /// Takes out what nobody has and nobody fetches.
    fn unused(&mut self) -> Vec<Arc<OnceCell<Arc<Resource>>>> {
        let unused = |cell: &Arc<OnceCell<Arc<Resource>>>| {
            let held = cell.get().is_some_and(|one| Arc::strong_count(one) > 1);
            Arc::strong_count(cell) == 1 && !held
        };
        let contents = self.contents.iter();
        let keys: Vec<Key> = contents
            .filter(|(_, cell)| unused(cell))
            .map(|(key, _)| key.clone())
            .collect();
        keys.iter()
            .filter_map(|key| self.contents.remove(key))
            .collect()
    }
}

impl Resources {
    /// Empties the directory. Blocks.
    pub fn open(process: &Path) -> Result<Self, UniterError> {
        let directory = process.join(DIRECTORY);
        fs::create_dir_all(&directory).map_err(file("make", &directory))?;
        for entry in fs::read_dir(&directory).map_err(file("read", &directory))? {
            let path = entry.map_err(file("read", &directory))?.path();
            periapt_files::remove(&path).map_err(file("remove", &path))?;
        }
        Ok(Self {
            shared: Arc::new(Shared {
                directory,
                next: AtomicU64::new(0),
                known: Mutex::default(),
            }),
        })
    }

    /// The file with this digest under this name, fetched at most once however many units ask.
    pub async fn get(
        &self,
        connection: &ApiConnection,
        sha256: &str,
        name: &str,
    ) -> Result<Arc<Resource>, UniterError> {
        let key = (sha256.to_owned(), name.to_owned());
        let cell = self.lock().contents.entry(key).or_default().clone();
        cell.get_or_try_init(|| self.fetch(connection, sha256, name))
            .await
            .cloned()
    }

    /// A unit has this one from now on; what it had before goes, unless others have it.
    pub fn give(&self, unit: &UnitName, name: &str, resource: Arc<Resource>) {
        let key = (unit.clone(), name.to_owned());
        let mut known = self.lock();
        let before = known.of_units.insert(key, resource);
        self.sweep(known, before);
    }

    /// A unit is gone from this machine.
    pub fn forget(&self, unit: &UnitName) {
        let mut known = self.lock();
        let (gone, stay): (BTreeMap<_, _>, _) = std::mem::take(&mut known.of_units)
            .into_iter()
            .partition(|((of, _), _)| of == unit);
        known.of_units = stay;
        self.sweep(known, gone);
    }

    /// Files are removed once the lock is free.
    fn sweep<T>(&self, mut known: MutexGuard<'_, Known>, gone: T) {
        drop(gone);
        let unused = known.unused();
        drop(known);
        drop(unused);
    }

    async fn fetch(
        &self,
        connection: &ApiConnection,
        sha256: &str,
        name: &str,
    ) -> Result<Arc<Resource>, UniterError> {
        let bytes = match whole(connection, sha256).await? {
            Some(bytes) => bytes,
            None => {
                tracing::warn!(
                    sha256,
                    "a resource came with another digest; fetching it again"
                );
                let again = whole(connection, sha256).await?;
                again.ok_or_else(|| {
                    let text =
                        format!("what the controller sends does not have the digest {sha256}");
                    call("fetching a resource")(CallError::Unexpected(text))
                })?
            }
        };
        let number = self.shared.next.fetch_add(1, Ordering::Relaxed);
        let resource = Resource {
            directory: self.shared.directory.join(number.to_string()),
        };
        let name = name.to_owned();
        blocking(move || {
            write(&resource.directory, &name, &bytes)?;
            Ok(Arc::new(resource))
        })
        .await
    }

    fn lock(&self) -> MutexGuard<'_, Known> {
        let known = self.shared.known.lock();
        known.unwrap_or_else(PoisonError::into_inner)
    }
}

/// The bytes with a digest; none where those that came have another.
async fn whole(connection: &ApiConnection, sha256: &str) -> Result<Option<Bytes>, UniterError> {
    let bytes = connection.blob(sha256).await;
    let bytes = bytes.map_err(call("fetching a resource"))?;
    let wanted = sha256.to_owned();
    blocking(move || Ok((Digest::of(&bytes).to_string() == wanted).then_some(bytes))).await
}

/// A file that nobody may write to, alone in a directory.
fn write(directory: &Path, name: &str, bytes: &[u8]) -> Result<(), UniterError> {
    fs::create_dir(directory).map_err(file("make", directory))?;
    let path = directory.join(name);
    let written = fs::OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o444)
        .open(&path)
        .and_then(|mut opened| opened.write_all(bytes));
    written.map_err(file("write", &path))
}

/// Files that a charm may be given, with their names. A resource whose name is more than one word was never
/// checked, and is left out.
pub(crate) fn declared(charm: &CharmInfo) -> BTreeMap<String, String> {
    let files = charm
        .metadata
        .resources
        .iter()
        .filter(|(name, resource)| is_word(name) && resource.kind == ResourceKind::File);
    files
        .map(|(name, resource)| (name.clone(), resource.file_name(name).to_owned()))
        .collect()
}

/// What one hook has of them, from its first question on. Clones are the same.
#[derive(Clone, Default)]
pub(crate) struct OfHook {
    held: Arc<Mutex<BTreeMap<String, Arc<Resource>>>>,
}

impl OfHook {
    pub fn hold(&self, name: &str, resource: Arc<Resource>) {
        self.lock().insert(name.to_owned(), resource);
    }

    /// Where a file is that the hook asked for.
    pub fn directory(&self, name: &str) -> Option<PathBuf> {
        let held = self.lock();
        held.get(name).map(|one| one.directory().to_owned())
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<String, Arc<Resource>>> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

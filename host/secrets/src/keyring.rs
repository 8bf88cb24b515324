//! The controller's keys, in a file that only its owner reads.
//!
//! There is one key, and for as long as it is replaced two. The file is written before anything is sealed under
//! a key that is in it, and a key leaves it after nothing is: so whatever is sealed can be opened, whenever
//! the process ends.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::{PoisonError, RwLock};

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde::{Deserialize, Serialize};

use crate::seal::{Key, SealError};

#[cfg(test)]
mod tests;

/// Its name in the controller's directory.
pub const KEY_FILE: &str = "secrets.key";

/// What is wrong with the keys.
#[derive(Debug, thiserror::Error)]
pub enum KeyError {
    #[error("cannot {doing} {path}: {source}")]
    File {
        doing: &'static str,
        path: PathBuf,
        source: io::Error,
    },
    #[error("{path} contains no keys: {reason}")]
    Damaged { path: PathBuf, reason: String },
    /// Something was sealed under a key that is not in the file.
    #[error("the key {id} is not in {path}")]
    Missing { id: String, path: PathBuf },
    #[error(transparent)]
    Seal(#[from] SealError),
}

#[derive(Clone, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
struct Entry {
    id: String,
    /// In base64.
    key: String,
    /// Microseconds UTC.
    created_at: i64,
}

/// The file's content.
#[derive(Clone, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
struct Content {
    /// The id of that under which everything is sealed.
    current: String,
    keys: Vec<Entry>,
}

struct Ring {
    current: String,
    keys: Vec<(Key, i64)>,
}

impl Ring {
    fn find(&self, id: &str) -> Option<&Key> {
        let mut keys = self.keys.iter();
        keys.find(|(key, _)| key.id() == id).map(|(key, _)| key)
    }
}

/// The keys of one process of the controller.
pub struct Keyring {
    path: PathBuf,
    ring: RwLock<Ring>,
}

impl std::fmt::Debug for Keyring {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "keys in {}", self.path.display())
    }
}

impl Keyring {
    /// Reads the file of a directory. Where there is none it is made, with the key that all processes of the
    /// controller make of the same secret text: one from before there were secrets has several. Blocks.
    ///
    /// # Errors
    /// Files, and one that holds no keys.
    pub fn open(directory: &Path, first: &str, now: i64) -> Result<Self, KeyError> {
        let path = directory.join(KEY_FILE);
        let text = match std::fs::read_to_string(&path) {
            Ok(text) => Some(text),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(file("read", &path)(error)),
        };
        let ring = match &text {
            Some(text) => read(&path, text)?,
            None => {
                let key = Key::made_of(first);
                Ring {
                    current: key.id(),
                    keys: vec![(key, now)],
                }
            }
        };
        if text.is_none() {
            write(&path, &ring)?;
        }
        Ok(Self {
            path,
            ring: RwLock::new(ring),
        })
    }

    /// The id of the key under which everything is sealed, and when it was made.
    #[must_use]
    pub fn current(&self) -> (String, i64) {
        let ring = self.ring.read().unwrap_or_else(PoisonError::into_inner);
        let made = ring.keys.iter().find(|(key, _)| key.id() == ring.current);
        (ring.current.clone(), made.map_or(0, |(_, at)| *at))
    }

    /// Whether a key is here.
    #[must_use]
    pub fn has(&self, id: &str) -> bool {
        let ring = self.ring.read().unwrap_or_else(PoisonError::into_inner);
        ring.find(id).is_some()
    }

    /// Seals under the current key; the id of that key with the text.
    ///
    /// # Errors
    /// What [`Key::seal`] says.
    pub fn seal(&self, about: &[&str], text: &[u8]) -> Result<(String, String), KeyError> {
        let (id, _) = self.current();
        let sealed = self.seal_under(&id, about, text)?;
        Ok((id, sealed))
    }

    /// Seals under one of the keys.
    ///
    /// # Errors
    /// There is no such key.
    pub fn seal_under(&self, id: &str, about: &[&str], text: &[u8]) -> Result<String, KeyError> {
        Ok(self.get(id)?.seal(about, text)?)
    }

    /// Opens what was sealed under one of the keys.
    ///
    /// # Errors
    /// There is no such key, or the text was sealed for something else.
    pub fn open_under(&self, id: &str, about: &[&str], sealed: &str) -> Result<Vec<u8>, KeyError> {
        Ok(self.get(id)?.open(about, sealed)?)
    }

    fn get(&self, id: &str) -> Result<Key, KeyError> {
        let ring = self.ring.read().unwrap_or_else(PoisonError::into_inner);
        ring.find(id).cloned().ok_or_else(|| KeyError::Missing {
            id: id.to_owned(),
            path: self.path.clone(),
        })
    }

    /// Makes a key that is to follow the current one, and has it on the disk; its id. Blocks.
    ///
    /// # Errors
    /// Files.
    pub fn add(&self, now: i64) -> Result<String, KeyError> {
        self.take(Key::random()?, now)
    }

    /// Takes over a key, sealed under one that is here; its id. Blocks.
    ///
    /// # Errors
    /// Files, and a text that is no key.
    pub fn take_over(&self, under: &str, sealed: &str, made_at: i64) -> Result<String, KeyError> {
        let bytes = self.open_under(under, &[SUCCESSION], sealed)?;
        self.take(Key::of_bytes(&bytes)?, made_at)
    }

    /// A key that is here, sealed for processes that have the current one alone.
    ///
    /// # Errors
    /// There is no such key.
    pub fn handed_on(&self, id: &str) -> Result<(String, String), KeyError> {
        let key = self.get(id)?;
        self.seal(&[SUCCESSION], key.bytes())
    }

    fn take(&self, key: Key, made_at: i64) -> Result<String, KeyError> {
        let mut ring = self.ring.write().unwrap_or_else(PoisonError::into_inner);
        let id = key.id();
        if ring.find(&id).is_none() {
            let mut keys = ring.keys.clone();
            keys.push((key, made_at));
            let more = Ring {
                current: ring.current.clone(),
                keys,
            };
            write(&self.path, &more)?;
            *ring = more;
        }
        Ok(id)
    }

    /// Seals under this key from now on, and forgets the others. Blocks.
    ///
    /// # Errors
    /// Files, and there is no such key.
    pub fn settle(&self, id: &str) -> Result<(), KeyError> {
        self.get(id)?;
        let mut ring = self.ring.write().unwrap_or_else(PoisonError::into_inner);
        if ring.current == id && ring.keys.len() == 1 {
            return Ok(());
        }
        let keys = ring.keys.iter().filter(|(key, _)| key.id() == id);
        let one = Ring {
            current: id.to_owned(),
            keys: keys.cloned().collect(),
        };
        write(&self.path, &one)?;
        *ring = one;
        Ok(())
    }
}

/// What a key is sealed for that another process takes over.
const SUCCESSION: &str = "succession";

/// The keys of both texts of the file, for whoever does not know which of them was in force: that of `later`
/// stays the current one.
///
/// # Errors
/// A text that holds no keys.
pub fn union(earlier: &str, later: &str) -> Result<String, KeyError> {
    let path = Path::new(KEY_FILE);
    let (earlier, mut later) = (read(path, earlier)?, read(path, later)?);
    for (key, made_at) in earlier.keys {
        if later.find(&key.id()).is_none() {
            later.keys.push((key, made_at));
        }
    }
    text(path, &later)
}

fn read(path: &Path, text: &str) -> Result<Ring, KeyError> {
    let damaged = |reason: String| KeyError::Damaged {
        path: path.to_owned(),
        reason,
    };
    let content: Content =
        serde_json::from_str(text).map_err(|error| damaged(format!("line {}", error.line())))?;
    let mut keys = Vec::new();
    for entry in content.keys {
        let bytes = BASE64_STANDARD.decode(&entry.key);
        let key = bytes.ok().and_then(|bytes| Key::of_bytes(&bytes).ok());
        let key = key.filter(|key| key.id() == entry.id);
        let key = key.ok_or_else(|| damaged(format!("the key {} is not whole", entry.id)))?;
        keys.push((key, entry.created_at));
    }
    let ring = Ring {
        current: content.current,
        keys,
    };
    match ring.find(&ring.current) {
        Some(_) => Ok(ring),
        None => Err(damaged("the current key is not among them".to_owned())),
    }
}

fn text(path: &Path, ring: &Ring) -> Result<String, KeyError> {
    let entry = |(key, created_at): &(Key, i64)| Entry {
        id: key.id(),
        key: BASE64_STANDARD.encode(key.bytes()),
        created_at: *created_at,
    };
    let content = Content {
        current: ring.current.clone(),
        keys: ring.keys.iter().map(entry).collect(),
    };
    serde_json::to_string_pretty(&content).map_err(|error| KeyError::Damaged {
        path: path.to_owned(),
        reason: error.to_string(),
    })
}

/// Writes the file as a whole or not at all.
fn write(path: &Path, ring: &Ring) -> Result<(), KeyError> {
    put(path, &text(path, ring)?).map_err(file("write", path))
}

/// Writes a file of keys, readable by its owner alone, as a whole or not at all. Blocks.
///
/// # Errors
/// Files.
pub fn put(path: &Path, text: &str) -> io::Result<()> {
    let new = path.with_extension("key.new");
    let mut file = OpenOptions::new()
        .create(true)
        .write(true)
        .truncate(true)
        .mode(0o600)
        .open(&new)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()?;
    std::fs::rename(&new, path)?;
    match path.parent() {
        Some(directory) => File::open(directory)?.sync_all(),
        None => Ok(()),
    }
}

fn file(doing: &'static str, path: &Path) -> impl FnOnce(io::Error) -> KeyError {
    let path = path.to_owned();
    move |source| KeyError::File {
        doing,
        path,
        source,
    }
}

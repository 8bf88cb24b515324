//! Directories of a hook: what the guest finds under `/charm`, `/state`, `/tmp` and
//! `/container`.
//!
//! wasmtime-wasi opens every path of a guest beneath a directory handle and refuses `..`,
//! absolute paths and symbolic links that lead out of it; this module only chooses the handles.
//! It also watches how much a guest leaves behind, because WASI has no quota.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use periapt_model::charm::Access;
use rustix::fs::{AtFlags, CWD, Timespec, Timestamps, UTIME_NOW, utimensat};
use wasmtime_wasi::{FsPerms, WasiCtxBuilder};

use crate::failure::HookFailure;

/// How often a running hook's directories are measured: often enough that a guest cannot write
/// much more than the limit, seldom enough that measuring costs nothing beside it.
const MEASURE_EVERY: Duration = Duration::from_millis(100);
/// What an entry costs beyond its content, so that empty files count.
const ENTRY_BYTES: u64 = 512;

/// Where a unit's directories are on this machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Directories {
    /// The unpacked charm, `/charm` of the guest, read-only.
    pub charm: PathBuf,
    /// The unit's own files, `/state`, read and write. The caller stages it: what a failed hook
    /// wrote there is still there afterwards.
    pub state: PathBuf,
    /// Where an empty directory for `/tmp` is made. Nobody else uses this place; what a killed
    /// process leaves there can be removed before the next one starts.
    pub temporary: PathBuf,
    /// What the charm shares with others in its container. There is no `/container` itself: a
    /// guest sees the directories that it was given by name and cannot list what else there is.
    pub container: Vec<ContainerDirectory>,
}

/// A directory shared by charms of one container, `/container/NAME` of the guest. What a hook
/// writes there is there at once, also when the hook fails.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContainerDirectory {
    /// One word, without `/`.
    pub name: String,
    pub path: PathBuf,
    pub access: Access,
}

/// An empty directory for one hook. Emptied when dropped, and kept for the next hook below the
/// same parent: making and removing one costs a journalling file system more than all else a
/// small hook does.
#[derive(Debug)]
pub(crate) struct Temporary(PathBuf);

/// Empty directories of hooks that ended, at most [`KEPT`].
static EMPTY: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());
const KEPT: usize = 64;

impl Temporary {
    fn new(parent: &Path) -> io::Result<Self> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        if let Some(path) = Self::kept(parent) {
            return Ok(Self(path));
        }
        loop {
            let number = NEXT.fetch_add(1, Ordering::Relaxed);
            let path = parent.join(format!("hook-{}-{number}", std::process::id()));
            match std::fs::create_dir(&path) {
                Ok(()) => return Ok(Self(path)),
                // Left over from an earlier process with the same id.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// Takes one that is still there, looking as if just made.
    fn kept(parent: &Path) -> Option<PathBuf> {
        let mut empty = EMPTY.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            let at = empty
                .iter()
                .position(|path| path.parent() == Some(parent))?;
            let path = empty.swap_remove(at);
            let now = Timespec {
                tv_sec: 0,
                tv_nsec: UTIME_NOW,
            };
            let times = Timestamps {
                last_access: now,
                last_modification: now,
            };
            // Times could carry a message from one hook to the next.
            if utimensat(CWD, &path, &times, AtFlags::SYMLINK_NOFOLLOW).is_ok() {
                return Some(path);
            }
        }
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        let unused = std::fs::read_dir(&self.0).is_ok_and(|mut entries| entries.next().is_none());
        let mut empty = EMPTY.lock().unwrap_or_else(PoisonError::into_inner);
        if unused && empty.len() < KEPT {
            empty.push(std::mem::take(&mut self.0));
            return;
        }
        drop(empty);
        if let Err(error) = std::fs::remove_dir_all(&self.0) {
            tracing::warn!(path = %self.0.display(), %error, "temporary directory of a hook stays");
        }
    }
}

/// The opened directories of one hook and their quota.
#[derive(Debug)]
pub(crate) struct Mounted {
    state: PathBuf,
    temporary: Temporary,
    /// Those that the guest may write to.
    container: Vec<PathBuf>,
    limit: u64,
    next: Instant,
}

impl Mounted {
    /// Grants the directories to the guest.
    pub(crate) fn mount(
        directories: &Directories,
        limit: u64,
        wasi: &mut WasiCtxBuilder,
    ) -> Result<Self, HookFailure> {
        let failed = |path: &Path, error: &dyn std::fmt::Display| {
            HookFailure::Directories(format!("{}: {error}", path.display()))
        };
        let temporary = Temporary::new(&directories.temporary)
            .map_err(|error| failed(&directories.temporary, &error))?;
        for (path, guest, permissions) in [
            (&directories.charm, "/charm", FsPerms::ReadOnly),
            (&directories.state, "/state", FsPerms::ReadWrite),
            (&temporary.0, "/tmp", FsPerms::ReadWrite),
        ] {
            wasi.preopened_dir(path, guest, permissions)
                .map_err(|error| failed(path, &error.root_cause()))?;
        }
        for directory in &directories.container {
            let permissions = match directory.access {
                Access::ReadOnly => FsPerms::ReadOnly,
                Access::ReadWrite => FsPerms::ReadWrite,
            };
            let guest = format!("/container/{}", directory.name);
            wasi.preopened_dir(&directory.path, guest, permissions)
                .map_err(|error| failed(&directory.path, &error.root_cause()))?;
        }
        let written = directories.container.iter();
        let written = written.filter(|directory| directory.access == Access::ReadWrite);
        Ok(Self {
            state: directories.state.clone(),
            temporary,
            container: written.map(|directory| directory.path.clone()).collect(),
            limit,
            next: Instant::now() + MEASURE_EVERY,
        })
    }

    /// Measures when it is time to.
    pub(crate) fn watch(&mut self, now: Instant) -> Option<HookFailure> {
        if now < self.next {
            return None;
        }
        let failure = self.measure().err();
        self.next = Instant::now() + MEASURE_EVERY;
        failure
    }

    /// Bytes in `/state`, or the directory that has more than it may.
    pub(crate) fn measure(&self) -> Result<u64, HookFailure> {
        let over = |directory| HookFailure::DirectoryLimit {
            directory,
            limit: self.limit,
        };
        if size(&self.temporary.0, self.limit) > self.limit {
            return Err(over("/tmp"));
        }
        if self
            .container
            .iter()
            .any(|path| size(path, self.limit) > self.limit)
        {
            return Err(over("/container"));
        }
        match size(&self.state, self.limit) {
            bytes if bytes > self.limit => Err(over("/state")),
            bytes => Ok(bytes),
        }
    }
}

/// Bytes of everything below `directory`, each file by its length or its blocks, whichever is
/// more. Stops counting beyond `enough`. What vanishes meanwhile does not count.
fn size(directory: &Path, enough: u64) -> u64 {
    use std::os::unix::fs::MetadataExt;

    let mut total: u64 = 0;
    let mut waiting = vec![directory.to_owned()];
    while let Some(directory) = waiting.pop() {
        let Ok(entries) = std::fs::read_dir(&directory) else {
            continue;
        };
        for entry in entries.flatten() {
            let Ok(metadata) = entry.metadata() else {
                continue;
            };
            let content = match metadata.is_file() {
                true => metadata.len().max(metadata.blocks().saturating_mul(512)),
                false => 0,
            };
            total = total.saturating_add(content).saturating_add(ENTRY_BYTES);
            if total > enough {
                return total;
            }
            if metadata.is_dir() {
                waiting.push(entry.path());
            }
        }
    }
    total
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sparse_and_empty_files_count() {
        let directory = tempfile::tempdir().unwrap();
        assert_eq!(size(directory.path(), u64::MAX), 0);
        std::fs::create_dir(directory.path().join("deep")).unwrap();
        let file = std::fs::File::create(directory.path().join("deep/sparse")).unwrap();
        file.set_len(1 << 30).unwrap();
        assert_eq!(
            size(directory.path(), u64::MAX),
            (1 << 30) + 2 * ENTRY_BYTES
        );
        // A link to a big file is not a big file.
        std::os::unix::fs::symlink("deep/sparse", directory.path().join("link")).unwrap();
        assert_eq!(
            size(directory.path(), u64::MAX),
            (1 << 30) + 3 * ENTRY_BYTES
        );
    }

    #[test]
    fn a_temporary_directory_goes_with_its_content() {
        let parent = tempfile::tempdir().unwrap();
        let used = Temporary::new(parent.path()).unwrap();
        std::fs::create_dir(used.0.join("deep")).unwrap();
        std::fs::write(used.0.join("deep/file"), "x").unwrap();
        let path = used.0.clone();
        drop(used);
        assert!(!path.exists());
        // One that stayed empty serves again, with times of its own.
        let unused = Temporary::new(parent.path()).unwrap();
        let path = unused.0.clone();
        std::fs::File::open(&path)
            .unwrap()
            .set_modified(std::time::UNIX_EPOCH)
            .unwrap();
        drop(unused);
        let again = Temporary::new(parent.path()).unwrap();
        assert_eq!(again.0, path);
        assert_ne!(
            std::fs::metadata(&path).unwrap().modified().unwrap(),
            std::time::UNIX_EPOCH
        );
        // Not for another parent, and not when it is gone.
        let other = tempfile::tempdir().unwrap();
        drop(again);
        assert!(
            Temporary::new(other.path())
                .unwrap()
                .0
                .starts_with(other.path())
        );
        std::fs::remove_dir(&path).unwrap();
        let fresh = Temporary::new(parent.path()).unwrap();
        assert!(fresh.0.exists() && fresh.0 != path);
    }
}

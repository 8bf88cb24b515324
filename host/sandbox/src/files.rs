//! Directories of a hook: what the guest finds under `/charm`, `/state`, `/tmp` and
//! `/container`.
//!
//! wasmtime-wasi opens every path of a guest beneath a directory handle and refuses `..`,
//! absolute paths and symbolic links that lead out of it; this module only chooses the handles.
//! It also watches how much a guest leaves behind and how deep, because WASI has no quota.
//!
//! What a hook leaves in `/state` and `/tmp` is taken away when it fails. What it leaves in a
//! directory of its container stays, and others live there. So a tree that is too deep there is
//! cut at the bound when the hook ends: whoever runs next finds nothing to be blamed for.

use std::fmt::Display;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use periapt_files::{Limits, Over, out_of_descriptors};
use periapt_model::bounds::DIRECTORY_LEVELS;
use periapt_model::charm::Access;
use rustix::fs::{AtFlags, CWD, Timespec, Timestamps, UTIME_NOW, utimensat};
use wasmtime_wasi::{FsPerms, WasiCtxBuilder};

use crate::failure::{self, HookFailure};

/// How often a running hook's directories are measured: often enough that a guest cannot write
/// much more than the limit, seldom enough that measuring costs nothing beside it.
const MEASURE_EVERY: Duration = Duration::from_millis(100);

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

impl ContainerDirectory {
    /// Where the guest finds it.
    fn of_guest(&self) -> String {
        format!("/container/{}", self.name)
    }
}

/// An empty directory for one hook. Emptied when dropped, and kept for the next hook below the
/// same parent: making and removing one costs a journalling file system more than all else a
/// small hook does.
#[derive(Debug)]
pub(crate) struct Temporary(PathBuf);

/// Empty directories of hooks that ended, at most [`KEPT`].
static EMPTY: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());
const KEPT: usize = 64;
/// Those that could not be removed yet.
static FULL: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

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
        let mut empty = lock(&EMPTY);
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
        let mut empty = lock(&EMPTY);
        if unused && empty.len() < KEPT {
            empty.push(std::mem::take(&mut self.0));
            return;
        }
        drop(empty);
        let mut full = std::mem::take(&mut *lock(&FULL));
        full.push(std::mem::take(&mut self.0));
        full.retain(|path| match periapt_files::remove(path) {
            Ok(()) => false,
            Err(error) => {
                tracing::warn!(path = %path.display(), %error, "cannot remove the temporary directory of a hook; the next hook that uses one tries again");
                true
            }
        });
        lock(&FULL).extend(full);
    }
}

fn lock(paths: &Mutex<Vec<PathBuf>>) -> MutexGuard<'_, Vec<PathBuf>> {
    paths.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The opened directories of one hook and their quota.
#[derive(Debug)]
pub(crate) struct Mounted {
    state: PathBuf,
    temporary: Temporary,
    /// Those that the guest may write to.
    container: Vec<ContainerDirectory>,
    limits: Limits,
    next: Instant,
}

impl Mounted {
    /// Grants the directories to the guest.
    pub(crate) fn mount(
        directories: &Directories,
        limit: u64,
        wasi: &mut WasiCtxBuilder,
    ) -> Result<Self, HookFailure> {
        let failed = |path: &Path, error: &dyn Display, exhausted: bool| {
            let text = format!("{}: {error}", path.display());
            match exhausted {
                true => HookFailure::Descriptors(text),
                false => HookFailure::Directories(text),
            }
        };
        let temporary = Temporary::new(&directories.temporary).map_err(|error| {
            let exhausted = out_of_descriptors(&error);
            failed(&directories.temporary, &error, exhausted)
        })?;
        let mut open = |path: &Path, guest: &str, permissions| {
            wasi.preopened_dir(path, guest, permissions)
                .map(drop)
                .map_err(|error| {
                    let exhausted = failure::out_of_descriptors(&error);
                    failed(path, &error.root_cause(), exhausted)
                })
        };
        open(&directories.charm, "/charm", FsPerms::ReadOnly)?;
        open(&directories.state, "/state", FsPerms::ReadWrite)?;
        open(&temporary.0, "/tmp", FsPerms::ReadWrite)?;
        for directory in &directories.container {
            let permissions = match directory.access {
                Access::ReadOnly => FsPerms::ReadOnly,
                Access::ReadWrite => FsPerms::ReadWrite,
            };
            open(&directory.path, &directory.of_guest(), permissions)?;
        }
        let written = directories.container.iter();
        let written = written.filter(|directory| directory.access == Access::ReadWrite);
        Ok(Self {
            state: directories.state.clone(),
            temporary,
            container: written.cloned().collect(),
            limits: Limits {
                bytes: limit,
                levels: DIRECTORY_LEVELS.most,
            },
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

    /// The last measurement of a hook that has ended: bytes in `/state`, or the directory that is
    /// not as it may be. Leaves no directory of the container too deep for whoever comes next.
    pub(crate) fn conclude(&self) -> Result<u64, HookFailure> {
        let measured = self.measure();
        if measured.is_err() {
            for directory in &self.container {
                if let Err(error) = periapt_files::cut(&directory.path, self.limits.levels) {
                    tracing::warn!(path = %directory.path.display(), %error, "cannot remove directories that are too deep");
                }
            }
        }
        measured
    }

    fn measure(&self) -> Result<u64, HookFailure> {
        self.within("/tmp", &self.temporary.0)?;
        for directory in &self.container {
            self.within(&directory.of_guest(), &directory.path)?;
        }
        self.within("/state", &self.state)
    }

    fn within(&self, directory: &str, path: &Path) -> Result<u64, HookFailure> {
        periapt_files::measure(path, self.limits).map_err(|over| {
            let directory = directory.to_owned();
            match over {
                Over::Bytes => HookFailure::DirectoryLimit {
                    directory,
                    limit: self.limits.bytes,
                },
                Over::Levels => HookFailure::DirectoryLevels {
                    directory,
                    levels: self.limits.levels,
                },
                Over::Unreadable(error) if out_of_descriptors(&error) => {
                    HookFailure::Descriptors(format!("measuring {directory}: {error}"))
                }
                Over::Unreadable(error) => HookFailure::DirectoryUnreadable {
                    directory,
                    reason: error.to_string(),
                },
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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

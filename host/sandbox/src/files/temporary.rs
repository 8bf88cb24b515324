//! `/tmp` of a hook.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use rustix::fs::{AtFlags, CWD, Timespec, Timestamps, UTIME_NOW, utimensat};

/// An empty directory for one hook. Emptied when dropped, and kept for the next hook below the
/// same parent: making and removing one costs a journalling file system more than all else a
/// small hook does.
#[derive(Debug)]
pub(super) struct Temporary(PathBuf);

/// Empty directories of hooks that ended, at most [`KEPT`].
static EMPTY: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());
const KEPT: usize = 64;
/// Those that could not be removed yet.
static FULL: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

impl Temporary {
    pub(super) fn new(parent: &Path) -> io::Result<Self> {
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

    pub(super) fn path(&self) -> &Path {
        &self.0
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

//! Temporary folders of a harness. A test cannot go on without them, so a failure panics with
//! the path in its text.
#![allow(clippy::panic)]

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

/// A folder that goes when the value goes.
pub(super) struct Folder(PathBuf);

impl Folder {
    pub fn create() -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!(
            "periapt-charm-test-{}-{number}",
            std::process::id()
        ));
        empty(&path);
        Self(path)
    }

    /// A folder below this one, made if need be.
    pub fn sub(&self, name: &str) -> PathBuf {
        let path = self.0.join(name);
        demand(fs::create_dir_all(&path), &path);
        path
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // What is left behind lies in the system's temporary folder and harms nobody.
        let _ = fs::remove_dir_all(&self.0);
    }
}

pub(super) fn write(path: &Path, content: &[u8]) {
    if let Some(parent) = path.parent() {
        demand(fs::create_dir_all(parent), parent);
    }
    demand(fs::write(path, content), path);
}

/// Makes `path` a folder, with what it has.
pub(super) fn make(path: &Path) {
    demand(fs::create_dir_all(path), path);
}

/// Makes `path` an empty folder.
pub(super) fn empty(path: &Path) {
    match fs::remove_dir_all(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => demand(Err(error), path),
        _ => demand(fs::create_dir_all(path), path),
    }
}

/// Copies the files and folders in `from` into `to`.
pub(super) fn copy(from: &Path, to: &Path) {
    demand(fs::create_dir_all(to), to);
    for entry in demand(fs::read_dir(from), from) {
        let path = demand(entry, from).path();
        let target = to.join(path.file_name().unwrap_or_default());
        if path.is_dir() {
            copy(&path, &target);
        } else {
            demand(fs::copy(&path, &target), &path);
        }
    }
}

fn demand<T>(result: io::Result<T>, path: &Path) -> T {
    result.unwrap_or_else(|error| {
        panic!("the test folder {} cannot be used: {error}", path.display())
    })
}

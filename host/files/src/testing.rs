//! Trees for tests, also for those of other crates, which take this file by its path.
#![allow(dead_code, reason = "not every test needs all of it")]

use std::ffi::CString;
use std::fs::File;
use std::os::fd::OwnedFd;
use std::path::Path;

use rustix::fs::{CWD, Mode, OFlags, mkdirat, openat};

const DIRECTORY: OFlags = OFlags::DIRECTORY.union(OFlags::CLOEXEC);

/// A directory in memory where there is such a place: what is tested is not how long a disk takes
/// for ten thousands of directories.
pub(crate) fn place() -> tempfile::TempDir {
    let memory = Path::new("/dev/shm");
    match memory.is_dir() {
        true => tempfile::tempdir_in(memory).or_else(|_| tempfile::tempdir()),
        false => tempfile::tempdir(),
    }
    .unwrap()
}

/// Makes directories of this name in one another, with a file `bottom` of `bytes` in the last one.
pub(crate) fn nest(root: &Path, name: &str, levels: usize, bytes: u64) {
    let name = CString::new(name).unwrap();
    let mut here: OwnedFd = openat(CWD, root, DIRECTORY, Mode::empty()).unwrap();
    for _ in 0..levels {
        mkdirat(&here, &name, Mode::from_raw_mode(0o755)).unwrap();
        here = openat(&here, &name, DIRECTORY, Mode::empty()).unwrap();
    }
    let flags = OFlags::CREATE | OFlags::WRONLY | OFlags::CLOEXEC;
    let file = openat(&here, "bottom", flags, Mode::from_raw_mode(0o644)).unwrap();
    File::from(file).set_len(bytes).unwrap();
}

/// How many directories of this name are in one another.
pub(crate) fn levels(root: &Path, name: &str) -> usize {
    let name = CString::new(name).unwrap();
    let mut here = openat(CWD, root, DIRECTORY, Mode::empty()).unwrap();
    let mut levels = 0;
    while let Ok(next) = openat(&here, &name, DIRECTORY, Mode::empty()) {
        here = next;
        levels += 1;
    }
    levels
}

//! The files that a workload sees: one directory, to read, as a hook committed it.
//!
//! Where it is, is asked for each request, so a commit is seen by the next one, and one that is under way
//! goes on in what it began with. The directory itself is inside a tree that a guest wrote, which may have made
//! a link of it; it is opened below the tree's root and follows none.

use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::path::PathBuf;
use std::sync::Arc;

use rustix::fs::{CWD, Mode, OFlags, ResolveFlags, openat, openat2};
use wasmtime_wasi::{FsPerms, WasiCtxBuilder};

use crate::Failure;

/// Where a unit's committed files are at the moment.
pub trait Committed: Send + Sync {
    fn directory(&self) -> io::Result<PathBuf>;
}

impl<F: Fn() -> io::Result<PathBuf> + Send + Sync> Committed for F {
    fn directory(&self) -> io::Result<PathBuf> {
        self()
    }
}

/// A directory of a unit in its workload.
#[derive(Clone)]
pub struct Mount {
    /// The tree of files that the charm wrote.
    pub committed: Arc<dyn Committed>,
    /// The directory in it; empty for all of it.
    pub below: PathBuf,
    /// Where the workload finds it, such as `/site`.
    pub guest: String,
}

impl Mount {
    pub(crate) fn add_to(&self, wasi: &mut WasiCtxBuilder) -> Result<(), Failure> {
        let failed = |error: io::Error| match periapt_files::out_of_descriptors(&error) {
            true => Failure::Descriptors(error.to_string()),
            false => Failure::Files(format!("{}: {error}", self.guest)),
        };
        let directory = self.open().map_err(failed)?;
        // The builder takes a path; this one names what is open.
        let path = format!("/proc/self/fd/{}", directory.as_raw_fd());
        wasi.preopened_dir(path, &self.guest, FsPerms::ReadOnly)
            .map_err(|error| failed(io::Error::other(format!("{error:#}"))))?;
        Ok(())
    }

    fn open(&self) -> io::Result<OwnedFd> {
        let root = self.committed.directory()?;
        let flags = OFlags::DIRECTORY | OFlags::PATH | OFlags::CLOEXEC;
        let root = openat(CWD, &root, flags, Mode::empty())?;
        if self.below.as_os_str().is_empty() {
            return Ok(root);
        }
        let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS;
        Ok(openat2(&root, &self.below, flags, Mode::empty(), resolve)?)
    }
}

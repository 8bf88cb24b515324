//! The files that a workload sees: directories, to read as a hook committed them, or of storage that its unit has.
//!
//! Where it is, is asked for each request, so a commit is seen by the next one, and one that is under way
//! goes on in what it began with. The directory itself is inside a tree that a guest wrote, which may have made
//! a link of it; it is opened below the tree's root and follows none. It stays open for the requests that follow,
//! as long as it is there. What was opened goes with the workload, so that one whose unit has let go of a storage
//! keeps nobody from taking that back.

use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use rustix::fs::{CWD, Mode, OFlags, ResolveFlags, fstat, openat, openat2};
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
    committed: Arc<dyn Committed>,
    /// The directory in it; empty for all of it.
    below: PathBuf,
    /// Where the workload finds it, such as `/site`.
    guest: String,
    access: FsPerms,
    opened: Arc<Mutex<Option<Opened>>>,
}

/// The directory that the last request saw.
struct Opened {
    root: PathBuf,
    directory: Arc<OwnedFd>,
}

impl Mount {
    /// To read.
    pub fn new(committed: Arc<dyn Committed>, below: PathBuf, guest: String) -> Self {
        Self {
            committed,
            below,
            guest,
            access: FsPerms::ReadOnly,
            opened: Arc::default(),
        }
    }

    /// To read and to write.
    #[must_use]
    pub fn writable(self) -> Self {
        Self {
            access: FsPerms::ReadWrite,
            ..self
        }
    }

    pub(crate) fn add_to(&self, wasi: &mut WasiCtxBuilder) -> Result<(), Failure> {
        let failed = |error: io::Error| match periapt_files::out_of_descriptors(&error) {
            true => Failure::Descriptors(error.to_string()),
            false => Failure::Files(format!("{}: {error}", self.guest)),
        };
        let directory = self.open().map_err(failed)?;
        // The builder takes a path; this one names what is open.
        let path = format!("/proc/self/fd/{}", directory.as_raw_fd());
        wasi.preopened_dir(path, &self.guest, self.access)
            .map_err(|error| failed(io::Error::other(format!("{error:#}"))))?;
        Ok(())
    }

    fn open(&self) -> io::Result<Arc<OwnedFd>> {
        let root = self.committed.directory()?;
        let mut opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        // One that was removed has no name left, and there may be another one of its name.
        if let Some(last) = opened.as_ref().filter(|last| last.root == root)
            && fstat(&last.directory)?.st_nlink > 0
        {
            return Ok(last.directory.clone());
        }
        let directory = Arc::new(self.open_below(&root)?);
        *opened = Some(Opened {
            root,
            directory: directory.clone(),
        });
        Ok(directory)
    }

    fn open_below(&self, root: &Path) -> io::Result<OwnedFd> {
        let flags = OFlags::DIRECTORY | OFlags::PATH | OFlags::CLOEXEC;
        let root = openat(CWD, root, flags, Mode::empty())?;
        if self.below.as_os_str().is_empty() {
            return Ok(root);
        }
        let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS;
        Ok(openat2(&root, &self.below, flags, Mode::empty(), resolve)?)
    }
}

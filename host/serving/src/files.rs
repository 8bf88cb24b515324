//! The files that a workload sees: directories, to read as a hook committed them, or of storage that its unit has.
//!
//! Where it is, is asked for each request, so a commit is seen by the next one, and one that is under way
//! goes on in what it began with. Committed files are held meanwhile, so that they stay however many commits
//! follow; whoever removes them may withdraw what was held for too long, and then no answer counts that a guest
//! made of what it did not find there.
//!
//! The directory itself is inside a tree that a guest wrote, which may have made a link of it; it is opened below
//! the tree's root and follows none. It stays open for the requests that follow, as long as it is there. What was
//! opened goes with the workload, so that one whose unit has let go of a storage keeps nobody from taking that back.

use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use periapt_files::Hold;
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
    /// Whether the tree is to stay as long as a request reads it.
    held: bool,
    /// The directory that the last request saw.
    opened: Arc<Mutex<Option<Arc<Opened>>>>,
}

/// A directory that requests see.
struct Opened {
    root: PathBuf,
    directory: OwnedFd,
    hold: Option<Hold>,
}

impl Opened {
    fn is_in_place(&self) -> bool {
        self.hold.as_ref().is_none_or(Hold::is_in_place)
    }
}

/// The directories that one request sees. They are held until the last copy of this is dropped.
#[derive(Clone, Default)]
pub(crate) struct Sight(Arc<OnceLock<Vec<Arc<Opened>>>>);

impl Sight {
    /// Opens the directories, which is done once.
    pub fn open<'a>(
        &self,
        mounts: impl Iterator<Item = &'a Mount>,
        wasi: &mut WasiCtxBuilder,
    ) -> Result<(), Failure> {
        let mut opened = Vec::new();
        for mount in mounts {
            opened.push(mount.add_to(wasi)?);
        }
        // A request that opened them before goes on to hold those.
        let _ = self.0.set(opened);
        Ok(())
    }

    /// Whether all that was there is still there. What was not opened cannot have gone.
    pub fn is_in_place(&self) -> bool {
        let mut opened = self.0.get().into_iter().flatten();
        opened.all(|one| one.is_in_place())
    }
}

impl Mount {
    /// To read.
    pub fn new(committed: Arc<dyn Committed>, below: PathBuf, guest: String) -> Self {
        Self {
            committed,
            below,
            guest,
            access: FsPerms::ReadOnly,
            held: false,
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

    /// The tree stays as long as a request reads it, if whoever removes it asks whether it is held.
    #[must_use]
    pub fn held(self) -> Self {
        Self { held: true, ..self }
    }

    fn add_to(&self, wasi: &mut WasiCtxBuilder) -> Result<Arc<Opened>, Failure> {
        let opened = self.open()?;
        // The builder takes a path; this one names what is open.
        let path = format!("/proc/self/fd/{}", opened.directory.as_raw_fd());
        wasi.preopened_dir(path, &self.guest, self.access)
            .map_err(|error| self.failed(&io::Error::other(format!("{error:#}"))))?;
        Ok(opened)
    }

    fn failed(&self, error: &io::Error) -> Failure {
        match periapt_files::out_of_descriptors(error) {
            true => Failure::Descriptors(error.to_string()),
            false => Failure::Files(format!("{}: {error}", self.guest)),
        }
    }

    fn open(&self) -> Result<Arc<Opened>, Failure> {
        let failed = |error: io::Error| self.failed(&error);
        let root = self.committed.directory().map_err(failed)?;
        let mut last = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        // One that was removed has no name left, and there may be another one of its name.
        if let Some(opened) = last.as_ref().filter(|opened| opened.root == root)
            && opened.is_in_place()
            && is_linked(&opened.directory).map_err(failed)?
        {
            return Ok(opened.clone());
        }
        let hold = match self.held {
            true => Some(Hold::take(&root).map_err(|error| match error.kind() {
                io::ErrorKind::NotFound => Failure::Outdated,
                _ => self.failed(&error),
            })?),
            false => None,
        };
        let opened = Arc::new(Opened {
            directory: self.open_below(&root).map_err(failed)?,
            root,
            hold,
        });
        *last = Some(opened.clone());
        Ok(opened)
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

fn is_linked(directory: &OwnedFd) -> io::Result<bool> {
    Ok(fstat(directory)?.st_nlink > 0)
}

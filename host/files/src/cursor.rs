//! A position in a tree: one open directory, and those above it. The uppermost stay open, so that a walk of a small
//! tree opens no directory twice; of the others there are the identities, so that a deep one needs few descriptors.

use std::ffi::{CStr, CString};
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::Path;

use rustix::fs::{AtFlags, CWD, FileType, Mode, OFlags, RawDir, Stat, fstat, openat, statat};

use crate::out_of_descriptors;

/// How directories are opened: never through a link.
const DIRECTORY: OFlags = OFlags::RDONLY
    .union(OFlags::DIRECTORY)
    .union(OFlags::NOFOLLOW)
    .union(OFlags::CLOEXEC);
/// Bytes of names that are read at a time; the kernel writes whole entries.
const NAMES: usize = 32 << 10;
/// Levels, from the root, whose directories stay open while the cursor is below them.
const KEPT: usize = 3;

/// Opens a directory by a path of the host's own making.
pub(crate) fn open(path: &Path) -> io::Result<OwnedFd> {
    Ok(openat(CWD, path, DIRECTORY, Mode::empty())?)
}

pub(crate) fn open_in(directory: BorrowedFd<'_>, name: &CStr) -> io::Result<OwnedFd> {
    Ok(openat(directory, name, DIRECTORY, Mode::empty())?)
}

#[derive(Clone, Copy, PartialEq, Eq)]
struct Identity {
    device: u64,
    inode: u64,
}

impl Identity {
    fn of(directory: BorrowedFd<'_>) -> io::Result<Self> {
        let stat = fstat(directory)?;
        Ok(Self {
            device: stat.st_dev,
            inode: stat.st_ino,
        })
    }
}

/// An entry of the directory that a cursor is in.
pub(crate) struct Entry {
    pub name: CString,
    pub stat: Stat,
}

impl Entry {
    pub fn kind(&self) -> FileType {
        FileType::from_raw_mode(self.stat.st_mode)
    }
}

/// A directory that the cursor came through.
enum Above {
    Open(OwnedFd),
    Closed(Identity),
}

/// Where a walk is. Needs one descriptor and another one while it moves, and has up to [`KEPT`] for those above where
/// there are some left.
pub(crate) struct Cursor {
    here: OwnedFd,
    above: Vec<Above>,
    names: Vec<MaybeUninit<u8>>,
}

impl Cursor {
    pub fn new(root: OwnedFd) -> Self {
        Self {
            here: root,
            above: Vec::new(),
            names: vec![MaybeUninit::uninit(); NAMES],
        }
    }

    pub fn open(root: &Path) -> io::Result<Self> {
        open(root).map(Self::new)
    }

    pub fn here(&self) -> BorrowedFd<'_> {
        self.here.as_fd()
    }

    /// Levels below the root.
    pub fn depth(&self) -> usize {
        self.above.len()
    }

    /// Into the directory of this name.
    pub fn down(&mut self, name: &CStr) -> io::Result<()> {
        let below = self.open_from_here(name)?;
        let above = match self.above.len() < KEPT {
            true => Above::Open(std::mem::replace(&mut self.here, below)),
            false => {
                let identity = Identity::of(self.here())?;
                self.here = below;
                Above::Closed(identity)
            }
        };
        self.above.push(above);
        Ok(())
    }

    /// Back to the directory that [`Cursor::down`] was called in.
    ///
    /// # Errors
    /// `ResourceBusy` when the directory was moved meanwhile, so that `..` leads elsewhere.
    pub fn up(&mut self) -> io::Result<()> {
        self.here = match self.above.pop() {
            Some(Above::Open(above)) => above,
            closed => {
                let above = self.open_from_here(c"..")?;
                let identity = Identity::of(above.as_fd())?;
                if !matches!(closed, Some(Above::Closed(known)) if known == identity) {
                    return Err(io::Error::new(
                        io::ErrorKind::ResourceBusy,
                        "a directory was moved while it was read",
                    ));
                }
                above
            }
        };
        Ok(())
    }

    /// Opens a directory, and closes those above for it where there is no other descriptor left.
    fn open_from_here(&mut self, name: &CStr) -> io::Result<OwnedFd> {
        match open_in(self.here(), name) {
            Err(error) if out_of_descriptors(&error) => {
                for above in &mut self.above {
                    if let Above::Open(directory) = above {
                        *above = Above::Closed(Identity::of(directory.as_fd())?);
                    }
                }
                open_in(self.here(), name)
            }
            opened => opened,
        }
    }

    /// Hands every entry of this directory to `visit`, once, when the cursor came down to it.
    /// Entries that vanish meanwhile are left out.
    pub fn entries<E: From<io::Error>>(
        &mut self,
        mut visit: impl FnMut(BorrowedFd<'_>, Entry) -> Result<(), E>,
    ) -> Result<(), E> {
        let here = self.here.as_fd();
        let mut names = RawDir::new(here, &mut self.names);
        while let Some(entry) = names.next() {
            let entry = entry.map_err(io::Error::from)?;
            let name = entry.file_name();
            if name == c"." || name == c".." {
                continue;
            }
            match statat(here, name, AtFlags::SYMLINK_NOFOLLOW) {
                Ok(stat) => visit(
                    here,
                    Entry {
                        name: name.to_owned(),
                        stat,
                    },
                )?,
                Err(rustix::io::Errno::NOENT) => {}
                Err(error) => return Err(io::Error::from(error).into()),
            }
        }
        Ok(())
    }
}

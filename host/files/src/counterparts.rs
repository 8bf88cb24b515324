//! What became of opened files and directories in a copy of their tree.

use std::collections::{HashMap, HashSet};
use std::ffi::CStr;
use std::io;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::path::Path;

use rustix::fs::{FileType, Mode, OFlags, openat};

use crate::cursor::{self, Cursor, Entry};
use crate::walk::{Visitor, walk};

#[cfg(test)]
mod tests;

/// Opens, for reading, what in `copy` has the place that each of these inodes has in `tree`, by
/// inode. Of one with more than one place it is any of them. The trees are alike.
pub fn counterparts(
    tree: &Path,
    copy: &Path,
    inodes: HashSet<u64>,
) -> io::Result<HashMap<u64, OwnedFd>> {
    let mut finding = Finding {
        copy: Cursor::open(copy)?,
        inodes,
        found: HashMap::new(),
    };
    if finding.inodes.is_empty() {
        return Ok(finding.found);
    }
    match walk(Cursor::open(tree)?, &mut finding) {
        Err(Ended::Failed(error)) => Err(error),
        Ok(()) | Err(Ended::AllFound) => Ok(finding.found),
    }
}

/// Why the walk goes no further.
enum Ended {
    AllFound,
    Failed(io::Error),
}

impl From<io::Error> for Ended {
    fn from(error: io::Error) -> Self {
        Ended::Failed(error)
    }
}

struct Finding {
    copy: Cursor,
    inodes: HashSet<u64>,
    found: HashMap<u64, OwnedFd>,
}

impl Visitor for Finding {
    type Error = Ended;

    fn entry(&mut self, _: BorrowedFd<'_>, entry: &Entry, _: usize) -> Result<(), Ended> {
        let (inode, name, here) = (entry.stat.st_ino, &entry.name, self.copy.here());
        if !self.inodes.remove(&inode) {
            return Ok(());
        }
        let opened = match entry.kind() {
            FileType::Directory => cursor::open_in(here, name)?,
            _ => {
                let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
                openat(here, name, flags, Mode::empty()).map_err(io::Error::from)?
            }
        };
        self.found.insert(inode, opened);
        match self.inodes.is_empty() {
            true => Err(Ended::AllFound),
            false => Ok(()),
        }
    }

    fn enter(&mut self, name: &CStr) -> Result<(), Ended> {
        Ok(self.copy.down(name)?)
    }

    fn leave(&mut self, _: BorrowedFd<'_>, depth: usize) -> Result<(), Ended> {
        match depth {
            0 => Ok(()),
            _ => Ok(self.copy.up()?),
        }
    }
}

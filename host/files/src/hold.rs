//! Holding a tree while it is read, so that nobody removes it under its readers.
//!
//! A hold is a shared lock of the kernel on the root of the tree: readers may be other processes than the one
//! that removes, and a reader that dies holds nothing any more. A tree that is being removed cannot be held. One
//! that is withdrawn from its readers gets another name first, so that they can tell whether what they did not
//! find was never there.
//!
//! Where the file system has no such locks nothing is held, and trees are removed whoever reads them.

use std::io;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, CWD, FlockOperation, flock, fstat, statat};
use rustix::io::Errno;

use crate::cursor;
use crate::remove::remove;
use crate::walk::is_gone;

#[cfg(test)]
mod tests;

/// A tree that stays until this is dropped, or until it is withdrawn.
pub struct Hold {
    path: PathBuf,
    root: OwnedFd,
}

impl Hold {
    /// Holds the tree at `path`.
    ///
    /// # Errors
    /// `NotFound` if it is not there, or is being removed.
    pub fn take(path: &Path) -> io::Result<Self> {
        let root = cursor::open(path)?;
        let removed = flock(&root, FlockOperation::NonBlockingLockShared) == Err(Errno::WOULDBLOCK);
        let hold = Self {
            path: path.to_owned(),
            root,
        };
        match !removed && hold.is_in_place() {
            true => Ok(hold),
            false => Err(io::ErrorKind::NotFound.into()),
        }
    }

    /// Whether the tree is where it was, and so is everything that was in it.
    pub fn is_in_place(&self) -> bool {
        let there = statat(CWD, &self.path, AtFlags::SYMLINK_NOFOLLOW);
        let (Ok(held), Ok(there)) = (fstat(&self.root), there) else {
            return false;
        };
        (held.st_dev, held.st_ino) == (there.st_dev, there.st_ino)
    }
}

/// Removes the tree at `path` unless somebody holds it; whether it is gone.
pub fn remove_unheld(path: &Path) -> io::Result<bool> {
    let root = match cursor::open(path) {
        Ok(root) => root,
        // What is no directory nobody holds.
        Err(error) if is_gone(&error) => return remove(path).map(|()| true),
        Err(error) => return Err(error),
    };
    if flock(&root, FlockOperation::NonBlockingLockExclusive) == Err(Errno::WOULDBLOCK) {
        return Ok(false);
    }
    // Nobody can hold it from here on: the lock goes with `root`, after the tree.
    remove(path).map(|()| true)
}

/// Removes the tree at `path` whoever holds it, by way of the name `aside` in the same file system.
pub fn withdraw(path: &Path, aside: &Path) -> io::Result<()> {
    remove(aside)?;
    match std::fs::rename(path, aside) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        renamed => renamed.and_then(|()| remove(aside)),
    }
}

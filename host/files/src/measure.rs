//! How much a tree holds, against what it may hold.

use std::io;
use std::os::fd::BorrowedFd;
use std::path::Path;

use rustix::fs::FileType;

use crate::cursor::{Cursor, Entry};
use crate::walk::{Visitor, walk};

#[cfg(test)]
mod tests;

/// What an entry costs beyond its content, so that empty files count.
const ENTRY_BYTES: u64 = 512;
/// How often a tree is measured again whose directories are moved about meanwhile.
const TRIES: u32 = 4;

/// What a tree may hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    pub bytes: u64,
    /// Directories in one another; those in the root itself are the first level.
    pub levels: u64,
}

/// Why a tree is more than it may be.
#[derive(Debug)]
pub enum Over {
    Bytes,
    Levels,
    /// A part cannot be read, so nobody knows how much it holds.
    Unreadable(io::Error),
}

impl From<io::Error> for Over {
    fn from(error: io::Error) -> Self {
        Over::Unreadable(error)
    }
}

/// Bytes of everything below `root`: each file by its length or its blocks, whichever is more, and
/// 512 for each entry. The walk ends where a limit is exceeded.
///
/// # Errors
/// What is exceeded, or that a part cannot be read. What vanishes meanwhile does not count.
pub fn measure(root: &Path, limits: Limits) -> Result<u64, Over> {
    let mut tries = TRIES;
    loop {
        let mut sum = Sum { total: 0, limits };
        let cursor = Cursor::open(root)?;
        match walk(cursor, &mut sum) {
            Ok(()) => return Ok(sum.total),
            Err(Over::Unreadable(error))
                if tries > 1 && error.kind() == io::ErrorKind::ResourceBusy =>
            {
                tries -= 1;
            }
            Err(over) => return Err(over),
        }
    }
}

struct Sum {
    total: u64,
    limits: Limits,
}

impl Visitor for Sum {
    type Error = Over;

    fn entry(&mut self, _: BorrowedFd<'_>, entry: &Entry, depth: usize) -> Result<(), Over> {
        let content = match entry.kind() {
            FileType::RegularFile => {
                let length = u64::try_from(entry.stat.st_size).unwrap_or(0);
                let blocks = u64::try_from(entry.stat.st_blocks).unwrap_or(0);
                length.max(blocks.saturating_mul(512))
            }
            FileType::Directory if depth as u64 > self.limits.levels => return Err(Over::Levels),
            _ => 0,
        };
        self.total = self
            .total
            .saturating_add(content)
            .saturating_add(ENTRY_BYTES);
        match self.total > self.limits.bytes {
            true => Err(Over::Bytes),
            false => Ok(()),
        }
    }
}

//! Making a changed copy of a tree durable, for what its changes cost.
//!
//! Syncing is what takes time. A file that is as it was in the tree that the copy was made from,
//! which is durable, becomes a link to the file there, so that nothing has to be written for it. It
//! is compared by its content: clocks of file systems are too coarse to tell what was changed right
//! after it was copied. Whoever changes a tree changes a copy of it, so nobody can write to a file that
//! two trees share.

use std::collections::HashMap;
use std::ffi::{CStr, CString};
use std::fs::File;
use std::io::{self, Read};
use std::os::fd::BorrowedFd;
use std::path::Path;

use rustix::fs::{
    AtFlags, FileType, Mode, OFlags, fstat, fsync, futimens, linkat, openat, readlinkat, renameat,
};

use crate::copy::modified;
use crate::cursor::{Cursor, Entry};
use crate::walk::{Visitor, is_gone, walk};

#[cfg(test)]
mod tests;

/// What a link is called until it takes the place of a file. Where the tree has a file of this name,
/// files beside it are not replaced.
const LINK: &CStr = c".periapt-link";
/// Bytes that are compared at a time.
const BLOCK: usize = 64 << 10;

/// What was done to make a copy durable.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Difference {
    /// Files and directories that were written out.
    pub synced: u64,
    /// Files that are shared with the tree that was copied.
    pub linked: u64,
}

/// Makes `copy`, which [`crate::copy`] made of `durable` and somebody may have changed since, durable
/// as well; none when nothing was changed, and then it may not be. `durable` stays as it is.
///
/// Modification times count, except that of `copy` itself.
pub fn sync_difference(durable: &Path, copy: &Path) -> io::Result<Option<Difference>> {
    let mut syncing = Syncing {
        durable: Cursor::open(durable)?,
        lost: 0,
        levels: Vec::new(),
        differs: false,
        done: Difference::default(),
        blocks: [vec![0; BLOCK], vec![0; BLOCK]],
    };
    let root = syncing.level()?;
    syncing.levels.push(root);
    walk(Cursor::open(copy)?, &mut syncing)?;
    Ok(syncing.differs.then_some(syncing.done))
}

struct Syncing {
    /// Where the walk is, in the tree that was copied, less the levels that it does not have.
    durable: Cursor,
    lost: usize,
    levels: Vec<Level>,
    differs: bool,
    done: Difference,
    blocks: [Vec<u8>; 2],
}

/// One directory that the walk is in. A guest may have made half a million files there, so little
/// is kept of each.
#[derive(Default)]
struct Level {
    /// What the tree that was copied has there and the copy was not seen to have.
    durable: HashMap<CString, Seen>,
    /// Files, which wait until the directory is left: it may not change while it is read.
    files: Vec<Waiting>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
struct Seen {
    kind: FileType,
    /// Zero for directories, whose size is the file system's own business.
    bytes: i64,
    modified: (i64, u32),
}

impl Seen {
    fn of(entry: &Entry) -> Self {
        let stat = &entry.stat;
        Self {
            kind: entry.kind(),
            bytes: match entry.kind() {
                FileType::Directory => 0,
                _ => stat.st_size,
            },
            modified: (
                stat.st_mtime,
                u32::try_from(stat.st_mtime_nsec).unwrap_or(0),
            ),
        }
    }
}

struct Waiting {
    name: CString,
    bytes: i64,
    /// Whether the tree that was copied has one of this name, length and time.
    alike: bool,
}

impl Syncing {
    fn level(&mut self) -> io::Result<Level> {
        let mut level = Level::default();
        if self.lost == 0 {
            self.durable.entries(|_, entry| {
                let seen = Seen::of(&entry);
                level.durable.insert(entry.name, seen);
                io::Result::Ok(())
            })?;
        }
        Ok(level)
    }

    fn file(&mut self, directory: BorrowedFd<'_>, file: &Waiting) -> io::Result<()> {
        let same =
            file.alike && same_content(self.durable.here(), directory, file, &mut self.blocks)?;
        self.differs |= !same;
        if same && link(self.durable.here(), directory, &file.name)? {
            self.done.linked += 1;
            return Ok(());
        }
        fsync(open(directory, &file.name)?)?;
        self.done.synced += 1;
        Ok(())
    }
}

impl Visitor for Syncing {
    type Error = io::Error;

    fn entry(&mut self, directory: BorrowedFd<'_>, entry: &Entry, _: usize) -> io::Result<()> {
        let Some(level) = self.levels.last_mut() else {
            return Ok(());
        };
        let before = level.durable.remove(&entry.name);
        let alike = before == Some(Seen::of(entry));
        match entry.kind() {
            FileType::RegularFile => level.files.push(Waiting {
                name: entry.name.clone(),
                bytes: entry.stat.st_size,
                alike,
            }),
            FileType::Directory => self.differs |= !alike,
            FileType::Symlink => {
                // The time of a link is not copied.
                let was_link = before.is_some_and(|before| before.kind == FileType::Symlink);
                let content = |directory| readlinkat(directory, &entry.name, Vec::new());
                self.differs |= !was_link || content(self.durable.here())? != content(directory)?;
            }
            _ => self.differs = true,
        }
        Ok(())
    }

    fn enter(&mut self, name: &CStr) -> io::Result<()> {
        self.lost += match self.lost {
            0 => match self.durable.down(name) {
                Ok(()) => 0,
                Err(error) if is_gone(&error) => 1,
                Err(error) => return Err(error),
            },
            _ => 1,
        };
        let level = self.level()?;
        self.levels.push(level);
        Ok(())
    }

    fn leave(&mut self, directory: BorrowedFd<'_>, depth: usize) -> io::Result<()> {
        let level = self.levels.pop().unwrap_or_default();
        self.differs |= !level.durable.is_empty();
        let (stat, linked) = (fstat(directory)?, self.done.linked);
        for file in &level.files {
            self.file(directory, file)?;
        }
        if self.done.linked > linked {
            futimens(directory, &modified(&stat))?;
        }
        fsync(directory)?;
        self.done.synced += 1;
        match (depth, self.lost) {
            (0, _) => Ok(()),
            (_, 0) => self.durable.up(),
            _ => {
                self.lost -= 1;
                Ok(())
            }
        }
    }
}

fn open(directory: BorrowedFd<'_>, name: &CStr) -> io::Result<File> {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    Ok(openat(directory, name, flags, Mode::empty())?.into())
}

/// Whether two files of one name and length hold the same bytes.
fn same_content(
    one: BorrowedFd<'_>,
    other: BorrowedFd<'_>,
    file: &Waiting,
    blocks: &mut [Vec<u8>; 2],
) -> io::Result<bool> {
    if file.bytes == 0 {
        return Ok(true);
    }
    let (one, other) = (open(one, &file.name)?, open(other, &file.name)?);
    let [left, right] = blocks;
    loop {
        let (read, found) = (fill(&one, left)?, fill(&other, right)?);
        if left[..read] != right[..found] {
            return Ok(false);
        }
        if read < left.len() {
            return Ok(true);
        }
    }
}

/// Reads until the block is full or the file ends.
fn fill(mut file: &File, block: &mut [u8]) -> io::Result<usize> {
    let mut filled = 0;
    while filled < block.len() {
        match file.read(&mut block[filled..]) {
            Ok(0) => break,
            Ok(read) => filled += read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(filled)
}

/// Puts a link to the file of this name in `from` in the place of the one in `to`; whether it could
/// be made. A file has a bounded number of links, and not every file system has any.
fn link(from: BorrowedFd<'_>, to: BorrowedFd<'_>, name: &CStr) -> io::Result<bool> {
    if linkat(from, name, to, LINK, AtFlags::empty()).is_err() {
        return Ok(false);
    }
    renameat(to, LINK, to, name)?;
    Ok(true)
}

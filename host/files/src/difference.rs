//! What became different in a changed copy of a tree, so that it can be kept for what the changes cost.
//!
//! A file that is as it was in the tree that the copy was made from becomes a link to the file there.
//! The others are written into a record, together with what is gone, so that it makes of the one tree
//! the other. Files are compared by their content: clocks of file systems are too coarse to tell what
//! was changed right after it was copied. Whoever changes a tree changes a copy of it, so nobody can
//! write to a file that two trees share.

use std::collections::HashMap;
use std::ffi::{CStr, CString};
use std::fs::File;
use std::io::{self, Read};
use std::os::fd::BorrowedFd;
use std::path::Path;

use rustix::fs::{
    AtFlags, FileType, Mode, OFlags, fstat, futimens, linkat, openat, readlinkat, renameat,
};

use crate::copy::modified;
use crate::cursor::{Cursor, Entry};
use crate::packing::{Bounded, Packing};
use crate::walk::{Visitor, is_gone, walk};

#[cfg(test)]
mod tests;

/// What a link is called until it takes the place of a file. Where the tree has a file of this name,
/// files beside it are not replaced.
const LINK: &CStr = c".periapt-link";
/// Bytes that are compared at a time.
const BLOCK: usize = 64 << 10;

/// What became different in a copy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// What [`apply`](crate::apply) takes; none when it is more than was asked for.
    pub record: Option<Vec<u8>>,
    /// Files and directories whose content or attributes the record holds.
    pub recorded: u64,
    /// Files that are shared with the tree that was copied.
    pub linked: u64,
}

/// What somebody changed in `copy`, which [`crate::copy`] made of `tree`, in at most `most` bytes; none
/// when nothing was changed. `copy` has then the files of `tree` that did not change. `tree` stays as
/// it is.
///
/// Modification times count, except that of `copy` itself.
pub fn difference(tree: &Path, copy: &Path, most: usize) -> io::Result<Option<Difference>> {
    let mut comparing = Comparing {
        tree: Cursor::open(tree)?,
        lost: 0,
        levels: Vec::new(),
        differs: false,
        record: Packing::new(Bounded::new(most)),
        recorded: 0,
        linked: 0,
        blocks: [Vec::new(), Vec::new()],
    };
    let root = comparing.level()?;
    comparing.levels.push(root);
    walk(Cursor::open(copy)?, &mut comparing)?;
    Ok(comparing.differs.then_some(Difference {
        record: comparing.record.out.whole(),
        recorded: comparing.recorded,
        linked: comparing.linked,
    }))
}

struct Comparing {
    /// Where the walk is, in the tree that was copied, less the levels that it does not have.
    tree: Cursor,
    lost: usize,
    levels: Vec<Level>,
    differs: bool,
    record: Packing<Bounded>,
    recorded: u64,
    linked: u64,
    blocks: [Vec<u8>; 2],
}

/// One directory that the walk is in. A guest may have made half a million files there, so little
/// is kept of each.
#[derive(Default)]
struct Level {
    /// What the tree that was copied has there and the copy was not seen to have as the same kind of
    /// thing.
    tree: HashMap<CString, Seen>,
    /// Whether the record says of it that it is gone.
    is_told: bool,
    /// Files and links, which wait until the directory is left: it may not change while it is read.
    waiting: Vec<Waiting>,
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
    kind: FileType,
    bytes: u64,
    /// Whether the tree that was copied has one of this name, kind, length and time.
    alike: bool,
}

impl Comparing {
    fn level(&mut self) -> io::Result<Level> {
        let mut level = Level::default();
        if self.lost == 0 {
            self.tree.entries(|_, entry| {
                let seen = Seen::of(&entry);
                level.tree.insert(entry.name, seen);
                io::Result::Ok(())
            })?;
        }
        Ok(level)
    }

    /// Says what is gone from the directory at hand, all of which was seen. What takes its place
    /// comes later.
    fn tell_gone(&mut self) -> io::Result<()> {
        let Some(level) = self.levels.last_mut().filter(|level| !level.is_told) else {
            return Ok(());
        };
        level.is_told = true;
        self.differs |= !level.tree.is_empty();
        for name in level.tree.keys() {
            self.record.gone(name)?;
        }
        Ok(())
    }

    fn file(&mut self, directory: BorrowedFd<'_>, file: &Waiting) -> io::Result<()> {
        let same = file.alike && same_content(self.tree.here(), directory, file, &mut self.blocks)?;
        if same && link(self.tree.here(), directory, &file.name)? {
            self.linked += 1;
            return Ok(());
        }
        // One that could not be shared is written down as if it had changed.
        self.differs |= !same;
        self.recorded += 1;
        match self.record.out.takes(file.bytes) {
            true => self.record.file(directory, &file.name),
            false => Ok(()),
        }
    }

    fn link(&mut self, directory: BorrowedFd<'_>, link: &Waiting) -> io::Result<()> {
        let content = |directory| readlinkat(directory, &link.name, Vec::new());
        // The time of a link is not copied.
        if link.alike && content(self.tree.here())? == content(directory)? {
            return Ok(());
        }
        self.differs = true;
        self.recorded += 1;
        self.record.link(directory, &link.name)
    }
}

impl Visitor for Comparing {
    type Error = io::Error;

    fn entry(&mut self, _: BorrowedFd<'_>, entry: &Entry, _: usize) -> io::Result<()> {
        let Some(level) = self.levels.last_mut() else {
            return Ok(());
        };
        let now = Seen::of(entry);
        let before = level.tree.get(&entry.name).copied();
        let is_same_kind = before.is_some_and(|before| before.kind == now.kind);
        if is_same_kind {
            level.tree.remove(&entry.name);
        }
        let alike = match entry.kind() {
            FileType::Symlink => is_same_kind,
            _ => before == Some(now),
        };
        match entry.kind() {
            FileType::RegularFile | FileType::Symlink => level.waiting.push(Waiting {
                name: entry.name.clone(),
                kind: entry.kind(),
                bytes: u64::try_from(entry.stat.st_size).unwrap_or(0),
                alike,
            }),
            FileType::Directory => self.differs |= !alike,
            // No guest can make it, and nothing can be said of it.
            _ => self.record.out.is_over = true,
        }
        Ok(())
    }

    fn enter(&mut self, name: &CStr) -> io::Result<()> {
        self.tell_gone()?;
        self.record.down(name)?;
        self.lost += match self.lost {
            0 => match self.tree.down(name) {
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
        self.tell_gone()?;
        let level = self.levels.pop().unwrap_or_default();
        let (stat, linked) = (fstat(directory)?, self.linked);
        for waiting in &level.waiting {
            match waiting.kind {
                FileType::Symlink => self.link(directory, waiting)?,
                _ => self.file(directory, waiting)?,
            }
        }
        if self.linked > linked {
            futimens(directory, &modified(&stat))?;
        }
        self.record.up(&stat)?;
        self.recorded += 1;
        match (depth, self.lost) {
            (0, _) => Ok(()),
            (_, 0) => self.tree.up(),
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
    for block in &mut *blocks {
        block.resize(BLOCK, 0);
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

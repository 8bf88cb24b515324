//! Making trees durable.

use std::fs::File;
use std::io;
use std::os::fd::BorrowedFd;
use std::path::Path;

use rustix::fs::{FileType, Mode, OFlags, fsync, openat};

use crate::cursor::{Cursor, Entry};
use crate::walk::{Visitor, walk};

/// Makes everything at and below `root` durable.
pub fn sync(root: &Path) -> io::Result<()> {
    walk(Cursor::open(root)?, &mut Syncing)
}

/// Makes the names in `directory` durable.
pub fn sync_directory(directory: &Path) -> io::Result<()> {
    File::open(directory)?.sync_all()
}

struct Syncing;

impl Visitor for Syncing {
    type Error = io::Error;

    fn entry(&mut self, directory: BorrowedFd<'_>, entry: &Entry, _: usize) -> io::Result<()> {
        if entry.kind() == FileType::RegularFile {
            let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
            let file = openat(directory, &entry.name, flags, Mode::empty())?;
            fsync(file)?;
        }
        Ok(())
    }

    fn leave(&mut self, directory: BorrowedFd<'_>, _: usize) -> io::Result<()> {
        Ok(fsync(directory)?)
    }
}

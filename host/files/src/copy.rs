//! Copying trees with their times, or sharing their files.

use std::ffi::CStr;
use std::fs::File;
use std::io;
use std::os::fd::BorrowedFd;
use std::path::Path;

use rustix::fs::{
    AtFlags, FileType, Mode, OFlags, Stat, Timespec, Timestamps, UTIME_OMIT, copy_file_range,
    fstat, futimens, linkat, mkdirat, openat, readlinkat, symlinkat,
};

use crate::cursor::{Cursor, Entry};
use crate::walk::{Visitor, walk};

#[cfg(test)]
mod tests;

/// Copies the content of `from` into the new directory `to`. A symbolic link is copied as a link.
///
/// # Errors
/// Besides those of the file system, `Unsupported` for what is neither a file, a directory nor a
/// link: no guest can make it.
pub fn copy(from: &Path, to: &Path) -> io::Result<()> {
    begin(from, to, false)
}

/// Makes `to` a tree like `from` that shares its files, for who never writes to them. A file that
/// has too many links already is copied.
///
/// # Errors
/// Those of [`copy`].
pub fn share(from: &Path, to: &Path) -> io::Result<()> {
    begin(from, to, true)
}

fn begin(from: &Path, to: &Path, shares: bool) -> io::Result<()> {
    let source = Cursor::open(from)?;
    std::fs::create_dir(to)?;
    let target = Cursor::open(to)?;
    walk(source, &mut Copying { target, shares })
}

struct Copying {
    target: Cursor,
    shares: bool,
}

impl Visitor for Copying {
    type Error = io::Error;

    fn entry(&mut self, directory: BorrowedFd<'_>, entry: &Entry, _: usize) -> io::Result<()> {
        let (name, target) = (&entry.name, self.target.here());
        match entry.kind() {
            FileType::Directory => Ok(mkdirat(target, name, Mode::RWXU | Mode::RWXG | Mode::RWXO)?),
            FileType::Symlink => {
                let content = readlinkat(directory, name, Vec::new())?;
                Ok(symlinkat(content, target, name)?)
            }
            FileType::RegularFile
                if self.shares
                    && linkat(directory, name, target, name, AtFlags::empty()).is_ok() =>
            {
                Ok(())
            }
            FileType::RegularFile => copy_file(directory, target, entry),
            other => Err(io::Error::new(
                io::ErrorKind::Unsupported,
                format!("{name:?} is neither a file nor a directory but {other:?}"),
            )),
        }
    }

    fn enter(&mut self, name: &CStr) -> io::Result<()> {
        self.target.down(name)
    }

    // Filling a directory changes its time, so times of directories come last.
    fn leave(&mut self, directory: BorrowedFd<'_>, depth: usize) -> io::Result<()> {
        futimens(self.target.here(), &modified(&fstat(directory)?))?;
        match depth {
            0 => Ok(()),
            _ => self.target.up(),
        }
    }
}

fn copy_file(from: BorrowedFd<'_>, to: BorrowedFd<'_>, entry: &Entry) -> io::Result<()> {
    let flags = OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let source = openat(from, &entry.name, flags | OFlags::RDONLY, Mode::empty())?;
    let new = flags | OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL;
    let mode = Mode::from_raw_mode(entry.stat.st_mode) & Mode::from_raw_mode(0o777);
    let target = openat(to, &entry.name, new, mode)?;
    let mut target = File::from(target);
    copy_content(&mut File::from(source), &mut target, entry.stat.st_size)?;
    Ok(futimens(&target, &modified(&entry.stat))?)
}

/// Within the kernel where it can; a file system that cannot is read and written.
fn copy_content(source: &mut File, target: &mut File, length: i64) -> io::Result<()> {
    let mut left = usize::try_from(length).unwrap_or(0);
    while left > 0 {
        match copy_file_range(&*source, None, &*target, None, left) {
            Ok(0) => break,
            Ok(copied) => left = left.saturating_sub(copied),
            Err(_) => {
                io::copy(source, target)?;
                break;
            }
        }
    }
    Ok(())
}

/// The time of modification alone: when something was read tells nothing.
pub(crate) fn modified(stat: &Stat) -> Timestamps {
    Timestamps {
        last_access: Timespec {
            tv_sec: 0,
            tv_nsec: UTIME_OMIT,
        },
        last_modification: Timespec {
            tv_sec: stat.st_mtime,
            tv_nsec: stat.st_mtime_nsec as _,
        },
    }
}

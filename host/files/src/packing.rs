//! Records of what lies in directories, as they are written; [`archive`](crate::archive) says what
//! they look like.

use std::ffi::CStr;
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::BorrowedFd;

use rustix::fs::{Mode, OFlags, Stat, fstat, openat, readlinkat};

use crate::walk::is_gone;

/// Bytes of a piece of a file.
pub(crate) const PIECE: usize = 64 << 10;

/// Writes records.
pub(crate) struct Packing<W> {
    pub out: W,
    /// Bytes of the files so far.
    pub bytes: u64,
    piece: Vec<u8>,
}

impl<W: Write> Packing<W> {
    pub fn new(out: W) -> Self {
        Self {
            out,
            bytes: 0,
            piece: Vec::new(),
        }
    }

    /// A file, unless it went away.
    pub fn file(&mut self, directory: BorrowedFd<'_>, name: &CStr) -> io::Result<()> {
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let file = match openat(directory, name, flags, Mode::empty()) {
            Err(error) if is_gone(&error.into()) => return Ok(()),
            file => file?,
        };
        self.out.write_all(b"F")?;
        self.text(name)?;
        self.attributes(&fstat(&file)?)?;
        let mut file = File::from(file);
        self.piece.resize(PIECE, 0);
        loop {
            let count = file.read(&mut self.piece)?;
            self.number(u32::try_from(count).unwrap_or(u32::MAX))?;
            self.out.write_all(&self.piece[..count])?;
            self.bytes += count as u64;
            if count == 0 {
                return Ok(());
            }
        }
    }

    /// A symbolic link, unless it went away.
    pub fn link(&mut self, directory: BorrowedFd<'_>, name: &CStr) -> io::Result<()> {
        let target = match readlinkat(directory, name, Vec::new()) {
            Err(error) if is_gone(&error.into()) => return Ok(()),
            target => target?,
        };
        self.out.write_all(b"S")?;
        self.text(name)?;
        self.text(&target)
    }

    /// Into a directory.
    pub fn down(&mut self, name: &CStr) -> io::Result<()> {
        self.out.write_all(b"D")?;
        self.text(name)
    }

    /// Back out of a directory that is as `stat` says.
    pub fn up(&mut self, stat: &Stat) -> io::Result<()> {
        self.out.write_all(b"U")?;
        self.attributes(stat)
    }

    /// Something is not there any more, or as something else.
    pub fn gone(&mut self, name: &CStr) -> io::Result<()> {
        self.out.write_all(b"X")?;
        self.text(name)
    }

    fn number(&mut self, number: u32) -> io::Result<()> {
        self.out.write_all(&number.to_le_bytes())
    }

    fn text(&mut self, text: &CStr) -> io::Result<()> {
        let bytes = text.to_bytes();
        self.number(u32::try_from(bytes.len()).unwrap_or(u32::MAX))?;
        self.out.write_all(bytes)
    }

    fn attributes(&mut self, stat: &Stat) -> io::Result<()> {
        self.number(stat.st_mode & 0o777)?;
        self.out.write_all(&stat.st_mtime.to_le_bytes())?;
        self.number(u32::try_from(stat.st_mtime_nsec).unwrap_or(0))
    }
}

/// Bytes up to a bound. Of more nothing is kept.
pub(crate) struct Bounded {
    bytes: Vec<u8>,
    most: usize,
    pub is_over: bool,
}

impl Bounded {
    pub fn new(most: usize) -> Self {
        Self {
            bytes: Vec::new(),
            most,
            is_over: false,
        }
    }

    /// Whether there is room for a file of this length, so that it need not be read if not.
    pub fn takes(&mut self, bytes: u64) -> bool {
        let room = self.most.saturating_sub(self.bytes.len());
        self.is_over |= bytes > room as u64;
        !self.is_over
    }

    pub fn whole(self) -> Option<Vec<u8>> {
        (!self.is_over).then_some(self.bytes)
    }
}

impl Write for Bounded {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.takes(bytes.len() as u64) {
            self.bytes.extend_from_slice(bytes);
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

//! A tree, or what became different in one, as one stream of bytes, and back: names relative to
//! their directory, so that neither end needs a path, however deep the tree is.
//!
//! A record begins with its kind. Numbers are little-endian, names and link targets carry their
//! length. A file's content comes in pieces, each with its length, up to an empty one: a file that
//! changes while it is read is as long as it was read.
//!
//! | record | holds |
//! |---|---|
//! | `F` | name, mode, modification time, content |
//! | `S` | name, target of a symbolic link |
//! | `D` | name of a directory; what follows lies in it |
//! | `U` | mode and modification time of the directory that ends here |
//! | `X` | name of what is not there any more, in a difference alone |

use std::ffi::{CStr, CString};
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::path::Path;

use rustix::fs::{
    AtFlags, FileType, Mode, OFlags, Timespec, Timestamps, UTIME_OMIT, fchmod, fstat, futimens,
    mkdirat, openat, symlinkat,
};
use rustix::io::Errno;

use crate::cursor::{Cursor, Entry};
use crate::packing::{PIECE, Packing};
use crate::remove::{remove_in, unlink};
use crate::walk::{Visitor, walk};

#[cfg(test)]
mod tests;

/// Bytes of a name, and of a link's target, at most: what the kernel takes.
const NAME: usize = 255;
const TARGET: usize = 4096;
/// Levels at most, so that what was not written by [`pack`] cannot ask for everything.
const DEPTH: usize = 1 << 20;

/// Writes what lies in `root` to `out`; the bytes of the files in it. What is neither a file, a
/// directory nor a link is left out: no guest can make it.
///
/// # Errors
/// Those of the file system and of `out`.
pub fn pack(root: &Path, out: &mut impl Write) -> io::Result<u64> {
    let mut packing = Packing::new(out);
    walk(Cursor::open(root)?, &mut packing)?;
    Ok(packing.bytes)
}

impl<W: Write> Visitor for Packing<W> {
    type Error = io::Error;

    fn entry(&mut self, directory: BorrowedFd<'_>, entry: &Entry, _: usize) -> io::Result<()> {
        match entry.kind() {
            FileType::Symlink => self.link(directory, &entry.name),
            FileType::RegularFile => self.file(directory, &entry.name),
            _ => Ok(()),
        }
    }

    fn enter(&mut self, name: &CStr) -> io::Result<()> {
        self.down(name)
    }

    fn leave(&mut self, directory: BorrowedFd<'_>, _: usize) -> io::Result<()> {
        self.up(&fstat(directory)?)
    }
}

/// Makes the directory `to` of what [`pack`] wrote.
///
/// # Errors
/// `InvalidData` for what `pack` never writes, and those of the file system; what was made until
/// then stays.
pub fn unpack(input: &mut impl Read, to: &Path) -> io::Result<()> {
    std::fs::create_dir(to)?;
    fill(input, to, false)
}

/// Makes of `tree` what [`difference`](crate::difference()) found to have become of one like it.
/// Files take the place of those before, which may be shared with other trees.
///
/// # Errors
/// `InvalidData` for what is no difference, and those of the file system; what was changed until
/// then stays changed.
pub fn apply(mut difference: &[u8], tree: &Path) -> io::Result<()> {
    fill(&mut difference, tree, true)
}

/// Fills a directory that is empty, or has what records may replace.
fn fill(input: &mut impl Read, tree: &Path, replaces: bool) -> io::Result<()> {
    let mut cursor = Cursor::open(tree)?;
    let mut unpacking = Unpacking { input, replaces };
    loop {
        let here = cursor.here();
        match unpacking.kind()? {
            b'F' => unpacking.file(here)?,
            b'S' => {
                let name = unpacking.place(here)?;
                let target = unpacking.text(TARGET)?;
                symlinkat(target, here, name)?;
            }
            b'X' if replaces => remove_in(here, &unpacking.name()?)?,
            b'D' => {
                let name = unpacking.name()?;
                if cursor.depth() >= DEPTH {
                    return Err(invalid("it is too deep"));
                }
                match mkdirat(here, &name, Mode::RWXU) {
                    Err(Errno::EXIST) if replaces => {}
                    made => made?,
                }
                cursor.down(&name)?;
            }
            b'U' => {
                // Filling a directory changes its time, so it comes last.
                let (mode, times) = unpacking.attributes()?;
                fchmod(here, mode)?;
                futimens(here, &times)?;
                match cursor.depth() {
                    0 => return Ok(()),
                    _ => cursor.up()?,
                }
            }
            _ => return Err(invalid("a record of an unknown kind")),
        }
    }
}

struct Unpacking<'a, R> {
    input: &'a mut R,
    replaces: bool,
}

impl<R: Read> Unpacking<'_, R> {
    fn kind(&mut self) -> io::Result<u8> {
        let mut kind = [0];
        self.input.read_exact(&mut kind)?;
        Ok(kind[0])
    }

    fn number(&mut self) -> io::Result<u32> {
        let mut bytes = [0; 4];
        self.input.read_exact(&mut bytes)?;
        Ok(u32::from_le_bytes(bytes))
    }

    fn text(&mut self, most: usize) -> io::Result<CString> {
        let length = self.number()? as usize;
        if length == 0 || length > most {
            return Err(invalid("a name or target of a wrong length"));
        }
        let mut bytes = vec![0; length];
        self.input.read_exact(&mut bytes)?;
        CString::new(bytes).map_err(|_| invalid("a name or target with a zero byte"))
    }

    /// A name that leads nowhere but into the directory at hand.
    fn name(&mut self) -> io::Result<CString> {
        let name = self.text(NAME)?;
        match name.to_bytes() {
            b"." | b".." => Err(invalid("a name that leads elsewhere")),
            bytes if bytes.contains(&b'/') => Err(invalid("a name that leads elsewhere")),
            _ => Ok(name),
        }
    }

    /// A name of which there is nothing in `directory` from now on.
    fn place(&mut self, directory: BorrowedFd<'_>) -> io::Result<CString> {
        let name = self.name()?;
        if self.replaces {
            unlink(directory, &name, AtFlags::empty())?;
        }
        Ok(name)
    }

    fn attributes(&mut self) -> io::Result<(Mode, Timestamps)> {
        let mode = Mode::from_raw_mode(self.number()? & 0o777);
        let mut seconds = [0; 8];
        self.input.read_exact(&mut seconds)?;
        let times = Timestamps {
            last_access: Timespec {
                tv_sec: 0,
                tv_nsec: UTIME_OMIT,
            },
            last_modification: Timespec {
                tv_sec: i64::from_le_bytes(seconds),
                tv_nsec: i64::from(self.number()?.min(999_999_999)),
            },
        };
        Ok((mode, times))
    }

    fn file(&mut self, directory: BorrowedFd<'_>) -> io::Result<()> {
        let name = self.place(directory)?;
        let (mode, times) = self.attributes()?;
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW;
        let file = openat(
            directory,
            &name,
            flags | OFlags::CLOEXEC,
            Mode::RUSR | Mode::WUSR,
        )?;
        let mut file = File::from(file);
        loop {
            let length = self.number()? as usize;
            if length == 0 {
                break;
            }
            if length > PIECE {
                return Err(invalid("a piece of a file that is too long"));
            }
            let copied = io::copy(&mut self.input.by_ref().take(length as u64), &mut file)?;
            if copied != length as u64 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
        }
        fchmod(file.as_fd(), mode)?;
        Ok(futimens(&file, &times)?)
    }
}

fn invalid(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what.to_owned())
}

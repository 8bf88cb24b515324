//! Removing trees, and what of a tree is too deep.
//!
//! Under Landlock each operation costs as much as its directory is deep, and a tree of ten thousand
//! levels would take minutes. So what lies deeper than [`LIFT`] levels is moved up to the root of
//! the tree, as it is to be removed anyway, and removed from there.

use std::ffi::{CStr, CString};
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::Path;

use rustix::fs::{AtFlags, CWD, FileType, renameat, unlinkat};
use rustix::io::Errno;

use crate::cursor::{self, Cursor};
use crate::walk::is_gone;

#[cfg(test)]
mod tests;

/// Directories in one another that are removed where they are.
const LIFT: usize = 32;
/// How often the removal begins again when somebody makes files in the tree meanwhile.
const TRIES: u32 = 16;

/// Removes `path` with everything below it; what is not there is removed already. A symbolic link
/// is removed, not followed.
pub fn remove(path: &Path) -> io::Result<()> {
    let name = c_string(path)?;
    remove_in(CWD, &name)
}

/// Removes every directory below `root` that is deeper than `levels`; whether there was one.
/// Directories in the root itself are the first level.
pub fn cut(root: &Path, levels: u64) -> io::Result<bool> {
    let levels = usize::try_from(levels).unwrap_or(usize::MAX);
    let mut cursor = Cursor::open(root)?;
    let mut pending = vec![directories(&mut cursor)?];
    let mut found = false;
    while let Some(names) = pending.last_mut() {
        let Some(name) = names.pop() else {
            pending.pop();
            if !pending.is_empty() {
                cursor.up()?;
            }
            continue;
        };
        if cursor.depth() >= levels {
            remove_in(cursor.here(), &name)?;
            found = true;
            continue;
        }
        match cursor.down(&name) {
            Ok(()) => pending.push(directories(&mut cursor)?),
            Err(error) if is_gone(&error) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(found)
}

fn directories(cursor: &mut Cursor) -> io::Result<Vec<CString>> {
    let mut names = Vec::new();
    cursor.entries(|_, entry| {
        if entry.kind() == FileType::Directory {
            names.push(entry.name);
        }
        io::Result::Ok(())
    })?;
    Ok(names)
}

pub(crate) fn remove_in(directory: BorrowedFd<'_>, name: &CStr) -> io::Result<()> {
    let mut tries = TRIES;
    loop {
        let root = match cursor::open_in(directory, name) {
            Ok(root) => root,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            // What is no directory has nothing below it.
            Err(error) if is_gone(&error) => return unlink(directory, name, AtFlags::empty()),
            Err(error) => return Err(error),
        };
        let emptied = empty(root).and_then(|()| unlink(directory, name, AtFlags::REMOVEDIR));
        match emptied {
            Err(error) if tries > 1 && is_disturbed(&error) => tries -= 1,
            emptied => return emptied,
        }
    }
}

/// Whether somebody else is at work in the tree.
fn is_disturbed(error: &io::Error) -> bool {
    let disturbed = [
        io::ErrorKind::DirectoryNotEmpty,
        io::ErrorKind::ResourceBusy,
        io::ErrorKind::NotADirectory,
        io::ErrorKind::IsADirectory,
    ];
    disturbed.contains(&error.kind()) || error.kind() == io::ErrorKind::AlreadyExists
}

fn empty(root: OwnedFd) -> io::Result<()> {
    let top = root.try_clone()?;
    let mut cursor = Cursor::new(root);
    let mut lifted = Lifted::default();
    // The names of the directories that the cursor is in, and what is left to do in each.
    let mut inside: Vec<CString> = Vec::new();
    let mut pending = vec![clear(&mut cursor)?];
    while let Some(names) = pending.last_mut() {
        let Some(name) = names.pop() else {
            pending.pop();
            if let Some(name) = inside.pop() {
                cursor.up()?;
                unlink(cursor.here(), &name, AtFlags::REMOVEDIR)?;
            }
            continue;
        };
        if cursor.depth() >= LIFT
            && let Some(name) = lifted.lift(cursor.here(), &name, top.as_fd())?
        {
            pending[0].push(name);
            continue;
        }
        match cursor.down(&name) {
            Ok(()) => {
                pending.push(clear(&mut cursor)?);
                inside.push(name);
            }
            Err(error) if is_gone(&error) => unlink(cursor.here(), &name, AtFlags::empty())?,
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// Removes the files at the cursor; the names of the directories there.
fn clear(cursor: &mut Cursor) -> io::Result<Vec<CString>> {
    let mut directories = Vec::new();
    cursor.entries(|here, entry| {
        match entry.kind() {
            FileType::Directory => directories.push(entry.name),
            _ => unlink(here, &entry.name, AtFlags::empty())?,
        }
        io::Result::Ok(())
    })?;
    Ok(directories)
}

pub(crate) fn unlink(directory: BorrowedFd<'_>, name: &CStr, flags: AtFlags) -> io::Result<()> {
    match unlinkat(directory, name, flags) {
        Err(Errno::NOENT) | Ok(()) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

/// Names for directories that were moved up.
#[derive(Default)]
struct Lifted {
    next: u64,
}

impl Lifted {
    /// Moves a directory up to `top` under a name of its own; none when the file system does not
    /// allow it, and then it is removed where it is.
    fn lift(
        &mut self,
        from: BorrowedFd<'_>,
        name: &CStr,
        top: BorrowedFd<'_>,
    ) -> io::Result<Option<CString>> {
        loop {
            let new = CString::new(format!(".lifted-{}", self.next))?;
            self.next += 1;
            match renameat(from, name, top, &new) {
                Ok(()) => return Ok(Some(new)),
                // The guest has the name too.
                Err(Errno::EXIST | Errno::NOTEMPTY | Errno::NOTDIR) => {}
                Err(_) => return Ok(None),
            }
        }
    }
}

fn c_string(path: &Path) -> io::Result<CString> {
    use std::os::unix::ffi::OsStrExt;

    Ok(CString::new(path.as_os_str().as_bytes())?)
}

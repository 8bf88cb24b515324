//! One walk over a whole tree, for whoever only reads it.

use std::ffi::{CStr, CString};
use std::io;
use std::os::fd::BorrowedFd;

use rustix::fs::FileType;
use rustix::io::Errno;

use crate::cursor::{Cursor, Entry};

/// What is done on the way. `depth` counts from 1 for what lies in the root itself.
pub(crate) trait Visitor {
    type Error: From<io::Error>;

    /// An entry of `directory`; a directory is entered later, after all entries beside it.
    fn entry(
        &mut self,
        directory: BorrowedFd<'_>,
        entry: &Entry,
        depth: usize,
    ) -> Result<(), Self::Error>;

    /// Inside a directory, before its entries.
    fn enter(&mut self, _name: &CStr) -> Result<(), Self::Error> {
        Ok(())
    }

    /// Inside a directory, after everything in it; the root is left last, at depth 0.
    fn leave(&mut self, _directory: BorrowedFd<'_>, _depth: usize) -> Result<(), Self::Error> {
        Ok(())
    }
}

/// Shows everything below the cursor to the visitor. A directory that vanishes or becomes something
/// else between being seen and being entered is passed over: what it is now, the next walk sees.
pub(crate) fn walk<V: Visitor>(mut cursor: Cursor, visitor: &mut V) -> Result<(), V::Error> {
    let mut pending = vec![children(&mut cursor, visitor)?];
    while let Some(names) = pending.last_mut() {
        if let Some(name) = names.pop() {
            match cursor.down(&name) {
                Ok(()) => {
                    visitor.enter(&name)?;
                    pending.push(children(&mut cursor, visitor)?);
                }
                Err(error) if is_gone(&error) => {}
                Err(error) => return Err(error.into()),
            }
            continue;
        }
        visitor.leave(cursor.here(), cursor.depth())?;
        pending.pop();
        if !pending.is_empty() {
            cursor.up()?;
        }
    }
    Ok(())
}

/// Whether what was seen as a directory is not there any more or is not one.
pub(crate) fn is_gone(error: &io::Error) -> bool {
    let gone = [Errno::NOENT, Errno::NOTDIR, Errno::LOOP].map(Errno::raw_os_error);
    error
        .raw_os_error()
        .is_some_and(|code| gone.contains(&code))
}

/// Shows the entries at the cursor; the names of the directories among them.
fn children<V: Visitor>(cursor: &mut Cursor, visitor: &mut V) -> Result<Vec<CString>, V::Error> {
    let depth = cursor.depth() + 1;
    let mut directories = Vec::new();
    cursor.entries(|directory, entry| {
        visitor.entry(directory, &entry, depth)?;
        if entry.kind() == FileType::Directory {
            directories.push(entry.name);
        }
        Ok::<(), V::Error>(())
    })?;
    Ok(directories)
}

//! Closes a directory that an earlier version, or a wide umask, left open to other users.

use std::fs::Permissions;
use std::io::ErrorKind;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use crate::ProviderError;
use crate::error::file;

/// What other users lose: reading and writing. Going through a directory is left alone: whoever
/// runs under an account of its own below it needs that, and without the names it leads nowhere.
const OTHERS: u32 = 0o066;

/// Takes reading and writing from other users in a directory and its direct entries. Links are
/// left alone, and so is what is gone.
///
/// # Errors
/// An entry that belongs to somebody else.
pub fn close(directory: &Path) -> Result<(), ProviderError> {
    close_one(directory)?;
    let entries = match std::fs::read_dir(directory) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        entries => entries.map_err(file("read", directory))?,
    };
    for entry in entries {
        close_one(&entry.map_err(file("read", directory))?.path())?;
    }
    Ok(())
}

fn close_one(path: &Path) -> Result<(), ProviderError> {
    let found = match std::fs::symlink_metadata(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        found => found.map_err(file("read", path))?,
    };
    let mode = found.permissions().mode() & 0o7777;
    if !(found.is_dir() || found.is_file()) || mode & OTHERS == 0 {
        return Ok(());
    }
    match std::fs::set_permissions(path, Permissions::from_mode(mode & !OTHERS)) {
        // The log was set aside, or a file replaced, a moment ago.
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        closed => closed.map_err(file("close", path)),
    }
}

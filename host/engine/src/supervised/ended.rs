//! The mark of a process that ended for good: it is not started again until a person says so.
//!
//! The process makes it before it ends. It is the content of a file, which is there from the first
//! start on, empty: a process that has locked itself down can make none beside its supervisor's own.

use std::io::{ErrorKind, Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use super::{SupervisedError, file};

/// Name of the file within the process's directory; its content says what ended the process.
pub const ENDED: &str = "ended";
/// As much of it is read: the process wrote it.
const CAUSE_BYTES: u64 = 256;

/// Marks the process of `directory` as ended for good by `cause`. Durable on return.
///
/// # Errors
/// A file that cannot be written.
pub fn mark_ended(directory: &Path, cause: &str) -> Result<(), SupervisedError> {
    let path = directory.join(ENDED);
    let write = || {
        let mut mark = std::fs::OpenOptions::new()
            .create(true)
            .write(true)
            .truncate(true)
            .mode(0o600)
            .open(&path)?;
        mark.write_all(cause.as_bytes())?;
        mark.sync_all()
    };
    write().map_err(file("write", &path))
}

/// What ended the process of `directory` for good; none if nothing did.
///
/// # Errors
/// A file that cannot be read.
pub fn ended(directory: &Path) -> Result<Option<String>, SupervisedError> {
    let path = directory.join(ENDED);
    let read = || {
        let mut cause = Vec::new();
        let mark = std::fs::File::open(&path)?;
        mark.take(CAUSE_BYTES).read_to_end(&mut cause)?;
        std::io::Result::Ok(String::from_utf8_lossy(&cause).into_owned())
    };
    match read() {
        Ok(cause) => Ok(Some(cause).filter(|cause| !cause.is_empty())),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(file("read", &path)(error)),
    }
}

/// The process may be started again.
///
/// # Errors
/// A file that cannot be emptied.
pub fn unmark(directory: &Path) -> Result<(), SupervisedError> {
    let path = directory.join(ENDED);
    match std::fs::OpenOptions::new()
        .write(true)
        .truncate(true)
        .open(&path)
    {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(file("empty", &path)(error)),
        _ => Ok(()),
    }
}

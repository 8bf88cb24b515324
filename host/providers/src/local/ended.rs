//! The mark of an agent that ended for good: it is not started again until a person says so.
//!
//! The agent makes it before it ends, since nobody may be there at that moment to see how. It is
//! the content of a file in the agent's directory, so it outlives the controller. The file is there
//! from the first start on, empty: an agent can make none beside the controller's own.

use std::io::{ErrorKind, Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use crate::ProviderError;
use crate::error::file;

/// Name of the file within the agent's directory; its content says what ended the agent.
pub const ENDED: &str = "ended";
/// As much of it is read: the agent wrote it.
const CAUSE_BYTES: u64 = 256;

/// Marks the agent of `directory` as ended for good by `cause`. Durable on return.
pub fn mark_ended(directory: &Path, cause: &str) -> Result<(), ProviderError> {
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

/// What ended the agent of `directory` for good; none if nothing did.
pub(super) fn ended(directory: &Path) -> Result<Option<String>, ProviderError> {
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

/// The agent may be started again.
pub(super) fn unmark(directory: &Path) -> Result<(), ProviderError> {
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

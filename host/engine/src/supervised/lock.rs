//! The lock file that tells whether a process runs in a directory, and which one it is.
//!
//! The process holds an `flock` on it for as long as it lives; the kernel lets go of it at the
//! process's death, however it dies. The file's content, the process id, means something only
//! while the lock is held.

use std::fs::{File, OpenOptions};
use std::io::{Read, Seek, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::time::Duration;

use rustix::fs::{FlockOperation, flock};
use rustix::io::Errno;
use rustix::process::Pid;

use super::{SupervisedError, file};

/// Name of the file within the process's directory.
pub const LOCK_FILE: &str = "lock";

/// The lock, held until this value is dropped.
#[derive(Debug)]
pub struct Lock {
    _file: File,
}

impl Lock {
    /// Takes the lock of `directory` for this process and writes the process id into it; none
    /// when another process holds it.
    ///
    /// # Errors
    /// A directory in which the file cannot be made, locked or written.
    pub fn take(directory: &Path) -> Result<Option<Self>, SupervisedError> {
        let path = directory.join(LOCK_FILE);
        let mut lock = open(&path)?;
        if !exclusive(&lock).map_err(file("lock", &path))? {
            return Ok(None);
        }
        let pid = rustix::process::getpid().as_raw_nonzero();
        lock.set_len(0)
            .and_then(|()| lock.rewind())
            .and_then(|()| write!(lock, "{pid}"))
            .and_then(|()| lock.flush())
            .map_err(file("write", &path))?;
        Ok(Some(Self { _file: lock }))
    }
}

/// What the lock says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Holder {
    /// No process runs.
    Nobody,
    /// This one does.
    Process(Pid),
    /// One has just begun and has not written its id yet.
    Nameless,
}

/// Who holds the lock of `directory`.
///
/// # Errors
/// A directory in which the file cannot be made, locked or read.
pub fn holder(directory: &Path) -> Result<Holder, SupervisedError> {
    let path = directory.join(LOCK_FILE);
    let mut lock = open(&path)?;
    match flock(&lock, FlockOperation::NonBlockingLockShared) {
        Ok(()) => return Ok(Holder::Nobody),
        Err(Errno::WOULDBLOCK) => {}
        Err(errno) => return Err(file("lock", &path)(errno.into())),
    }
    let mut text = String::new();
    lock.read_to_string(&mut text)
        .map_err(file("read", &path))?;
    Ok(text
        .trim()
        .parse()
        .ok()
        .and_then(Pid::from_raw)
        .map_or(Holder::Nameless, Holder::Process))
}

/// Tries for a moment, because whoever asks for the holder takes the lock for an instant.
fn exclusive(lock: &File) -> std::io::Result<bool> {
    for attempt in 0..25 {
        match flock(lock, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => return Ok(true),
            Err(Errno::WOULDBLOCK) if attempt < 24 => std::thread::sleep(Duration::from_millis(10)),
            Err(Errno::WOULDBLOCK) => {}
            Err(errno) => return Err(errno.into()),
        }
    }
    Ok(false)
}

fn open(path: &Path) -> Result<File, SupervisedError> {
    OpenOptions::new()
        .read(true)
        .write(true)
        .create(true)
        .truncate(false)
        .mode(0o600)
        .open(path)
        .map_err(file("open", path))
}

//! What a process says in its directory to whoever supervises it: that it runs and which process
//! it is ([`Lock`]), and that it ended for good ([`mark_ended`]).
//!
//! It is said in files, since nobody may be there at the moment when it matters: a supervisor that
//! comes later, or comes back, reads there what it would have seen. The process and its supervisor
//! need to share nothing but the directory. This module never starts, signals or watches a process.

mod ended;
mod lock;
#[cfg(test)]
mod tests;

use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

/// What the name of an agent's cgroup begins with, which its supervisor makes.
pub const CGROUP: &str = "agent-";

pub use ended::{ENDED, ended, mark_ended, unmark};
pub use lock::{Holder, LOCK_FILE, Lock, holder};

/// A file in a process's directory that cannot be used.
#[derive(Debug, Error)]
#[error("cannot {doing} {}: {source}", path.display())]
pub struct SupervisedError {
    pub doing: &'static str,
    pub path: PathBuf,
    pub source: io::Error,
}

/// Names the file in an I/O error.
fn file(doing: &'static str, path: &Path) -> impl FnOnce(io::Error) -> SupervisedError {
    let path = path.to_owned();
    move |source| SupervisedError {
        doing,
        path,
        source,
    }
}

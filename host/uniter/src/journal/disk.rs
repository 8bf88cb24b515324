//! The two ways of making durable what was written.

use std::fs::File;
use std::io;

/// A disk, so that tests can count and lose.
pub(crate) trait Disk: Send + Sync + 'static {
    /// Makes the content of a file durable.
    fn sync(&self, file: &File) -> io::Result<()>;

    /// Makes everything durable that was written to the file system that a file is on.
    fn sync_all(&self, file: &File) -> io::Result<()>;
}

/// The disk of this machine.
pub(crate) struct Machine;

impl Disk for Machine {
    fn sync(&self, file: &File) -> io::Result<()> {
        file.sync_data()
    }

    fn sync_all(&self, file: &File) -> io::Result<()> {
        Ok(rustix::fs::syncfs(file)?)
    }
}

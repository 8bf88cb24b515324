//! Trees of files that a guest wrote: measured, copied, compared, written down, made durable, cut, held while
//! they are read, and removed.
//!
//! A guest chooses names and depth, so nothing here may depend on either. Every step is taken
//! relative to an open directory and one name, never by a path that could be too long or that a
//! link could lead elsewhere. Nothing recurses. A walk holds two descriptors however deep the tree
//! is, and goes back up by `..`, after which it checks that it stands where it came from.
//!
//! What this crate never does: follow a symbolic link, leave the tree it was given, decide how
//! much a tree may hold (callers pass limits), or run on its own threads. All functions block.

mod archive;
mod copy;
mod counterparts;
mod cursor;
mod difference;
mod hold;
pub mod look;
mod measure;
mod packing;
mod remove;
mod sync;
mod walk;

#[cfg(test)]
mod testing;

pub use archive::{apply, pack, unpack};
pub use copy::{copy, share};
pub use counterparts::counterparts;
pub use difference::{Difference, difference};
pub use hold::{Hold, remove_unheld, withdraw};
pub use measure::{Limits, Over, measure};
pub use remove::{cut, remove};
pub use sync::{sync, sync_directory};

use std::io;

use rustix::io::Errno;

/// Whether the operation failed because this process, or the machine, has no file descriptor left.
/// It succeeds once others have closed theirs.
pub fn out_of_descriptors(error: &io::Error) -> bool {
    error.raw_os_error().is_some_and(|code| {
        [Errno::MFILE, Errno::NFILE]
            .map(Errno::raw_os_error)
            .contains(&code)
    })
}

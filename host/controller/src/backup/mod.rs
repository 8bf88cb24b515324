//! Backups of the whole controller: made while everything runs, kept in `backups/` of its
//! directory, restored into another.
//!
//! A backup is one zip file. Each of its parts is named in `manifest.json`, the last one, with its
//! size and SHA-256, and is checked before a restore writes anything.
//!
//! | part | holds |
//! |---|---|
//! | `identity/…` | `controller.json` without the database's URL, the certificate authority with its key |
//! | `database/TABLE` | the columns, then a row a line, in JSON; bytes in base64 |
//! | `files/N` | a tree of files of units, as `periapt_files::pack` writes it |
//!
//! Everything in it is of one moment. The database is read in one snapshot; the files of a unit
//! are the generation which that snapshot names, and a generation that was committed never
//! changes. What a principal and its subordinates share is live and copied as it is found. Agents' own
//! configuration is left out on purpose: a restored controller gives its agents new passwords, so
//! an agent that an earlier life of the controller left running cannot come back to it.

mod create;
mod kept;
mod manifest;
mod parts;
mod restore;
#[cfg(test)]
mod tests;

pub use kept::KeptBackups;
pub use manifest::Manifest;
pub use restore::{RestoreOptions, RestoreResult, restore};

/// Version of the layout; a program reads those up to its own.
const FORMAT: u32 = 1;

//! Storage: what there is of it, which units have it, and what is to become of its directories.
//!
//! A storage and its directory are one row, an attachment another. Rules are those of
//! `periapt_model::storage`; here they are given what is stored, and what they allow is written. No path of a
//! machine is known here: a directory has a name, and whoever makes it knows where that is.
//!
//! Nothing is lost that was to be kept: a row goes in the transaction in which its provider says that the directory
//! is destroyed or given up, or when there never was one.

use crate::tables::{Table, tables};

mod add;
mod agents;
mod attach;
mod block_devices;
mod create;
mod detach;
mod going;
mod import;
mod options;
mod pools;
mod reading;
mod refresh;
mod removal;
mod rows;
#[cfg(test)]
mod tests;
mod work;

pub(crate) use add::add_at_commit;
pub(crate) use agents::{host_known, unit_placed};
pub(crate) use create::{declare, give};
pub(crate) use detach::{let_go, require_let_go};
pub(crate) use going::{
    Departing, application_gone, departing, is_to_be_kept, model_goes, unit_gone, unit_leaves,
};
pub(crate) use options::{require_default_pool, require_pool_of_all};
pub(crate) use reading::{by_ids, of_unit};
pub(crate) use refresh::refreshed;
pub(crate) use removal::force;

pub(crate) const TABLES: &[Table] = tables! {
    "storage";
    "storage_attachment", Unit "unit = $2";
    "storage_pool";
    "application_storage", Application "application = $2";
    "block_device", Machine "agent = 'machine-' || REPLACE($2, '/', '-')";
};

/// The sequence of which storages have their numbers.
const NUMBERS: &str = "storage";

//! Secrets: who owns them, who reads which of their revisions, and which of their hooks are due.
//!
//! What is in a secret never comes here but sealed, and no key is here that opens it: whoever calls the store
//! seals before and opens afterwards. Contents that another back end keeps are here by their ids alone; what is
//! to be removed there is written down in the transaction after which nothing names it any more (`leftover`), so
//! that neither a crash nor a back end that is away leaves anything behind.
//!
//! A hook is due by what the rows say at the moment of reading (`due`): nothing has to be done when a time comes.

use periapt_model::secret::{Reader, SecretId};

use crate::tables::{Table, tables};

mod backend;
mod change;
mod due;
mod going;
mod keys;
mod leftover;
mod moving;
mod options;
mod reading;
mod rows;
#[cfg(test)]
mod tests;
mod user;

pub use backend::{BackendChange, SecretBackend};
pub(crate) use change::{
    Described, NewRow, add_revision, describe, grant, insert, remove, remove_revisions, revoke,
    settle,
};
pub(crate) use due::due;
pub(crate) use going::{application_gone, model_gone, relation_gone, unit_gone};
pub(crate) use keys::require_current;
pub use keys::{Resealed, SealedKey, Succession};
pub use leftover::Leftover;
pub(crate) use options::{require_backend, with_secrets};
pub(crate) use reading::by_ids;
pub(crate) use rows::{SecretRow, by_id, may_read};

pub(crate) const TABLES: &[Table] = tables! {
    "secret_revision";
    "secret_reader", Unit "unit = $2";
    "secret_grant",
        Unit "grantee = $2",
        Application "grantee = $2",
        Relation "relation = $2";
    "secret";
    "secret_key";
};

/// What a person granted holds without a relation.
const NO_RELATION: i64 = -1;

/// The content of a revision as it is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sealed {
    pub backend: String,
    /// By which the back end knows it.
    pub content_id: String,
    /// Of the internal back end alone; empty for what another keeps.
    pub sealed: String,
    /// Equal for equal contents of a model.
    pub checksum: String,
}

/// A revision that may be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredSecret {
    pub id: SecretId,
    pub revision: u32,
    pub content: Sealed,
    /// Whether it is the reading unit's or its application's.
    pub owned: bool,
    /// What is kept of the unit as a reader.
    pub reader: Option<Reader>,
}

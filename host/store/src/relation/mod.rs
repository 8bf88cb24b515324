//! Relations: who is in scope, with which settings, and what begins and ends with them.
//!
//! A relation has one row, one more for each endpoint with the settings of that application,
//! and one for each unit that ever entered its scope, with the unit's settings. Units enter and
//! leave in the transactions of their hooks ([`scope`]), so that the record of a hook and its
//! consequences are never apart. Which endpoints fit, which hook is due and which subordinate
//! is still held up are rules of `periapt_model::relation`; here is only what they need and
//! what follows.

use crate::tables::{Table, tables};

mod goal_state;
mod integrate;
mod reading;
mod remote;
mod removal;
pub(crate) mod rows;
mod scope;
pub(crate) mod settings;
mod subordinates;
#[cfg(test)]
pub(crate) mod tests;

pub(crate) use integrate::{make_peers, require_endpoints};
pub(crate) use remote::of_unit;
pub(crate) use removal::{destroy_all_of, force, remove_peers};
pub(crate) use scope::{begin, broken, created, leave_all};

pub(crate) const TABLES: &[Table] = tables! {
    "relation", Relation "id = $2";
    "relation_endpoint", Relation "relation_id = $2";
    "relation_unit", Relation "relation_id = $2";
    "leader_settings", Application "application = $2";
};

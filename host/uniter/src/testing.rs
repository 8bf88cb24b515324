//! A controller and a sandbox in memory, for the tests of this crate and of the agents.
//!
//! The controller keeps the rules that matter to a uniter: a hook is committed only over its
//! own pending record, leadership goes to one unit, a unit with nothing left becomes dead. Every
//! call is remembered, any call can be made to fail, and the connection can be cut.

mod controller;
mod scripted;

pub use controller::{Controller, MODEL, Relation, TaskRecord, UnitRecord, retry_strategy};
pub use scripted::{ScriptedSandbox, Seen, archive, charm_info, failure};

//! The uniter: runs the charm of one unit.
//!
//! What is here, in the order of use. [`remote`] keeps one consistent picture of what the
//! controller says of the unit and tells when it changes. `periapt_model::uniter::resolve`
//! names the next operation, a decision this crate only carries out. [`executor`] takes the
//! operation through prepare, execute and commit, writing to the controller between the steps.
//! [`turns`] says when a hook may run, since a machine runs one at a time and a process some.
//! [`hook`] is the middle step of a hook: the unit's [`state_directory`], of which it gets a copy
//! once it changes something, a [`context`] that answers the charm, a [`sandbox`] to run in; the
//! [`journal`] makes durable what it wrote. [`charms`] keeps unpacked charms, shared by all units of
//! the process. [`worker`] is the loop around all that.
//!
//! What this crate never does: it decides nothing about order, retries or life (`model` does),
//! opens no socket (an `ApiConnection` is handed in), and knows no WebAssembly engine but
//! through [`sandbox`]. A unit at rest costs one task that waits for a watcher and one timer.

#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

mod behind;
pub mod charms;
pub mod context;
mod courses;
pub mod directories;
mod discard;
mod dispatch;
pub mod environment;
mod error;
mod executor;
mod files;
mod hook;
mod hook_files;
mod intents;
mod journal;
pub mod leadership;
mod leftovers;
mod lines;
mod look;
pub mod meter;
pub mod metrics;
pub mod process;
pub mod remote;
mod resources;
pub mod restricted;
mod retries;
pub mod sandbox;
mod secrets;
mod settings;
mod snapshot;
mod standing;
mod state_directory;
mod storage;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
pub mod turns;
mod waiting;
mod withheld;
mod worker;
mod workloads;

#[cfg(test)]
mod tests;

pub use charms::{Charm, Charms};
pub use courses::Courses;
pub use error::UniterError;
pub use leadership::Leadership;
pub use process::{HookLog, ModelIdentity, Process, ProcessOptions};
pub use restricted::Restricted;
pub use sandbox::{Sandbox, WasmSandbox};
pub use standing::{Follower, Standing, StandingUnit, Standings};
pub use turns::Turns;
pub use worker::{Uniter, UniterConfig};

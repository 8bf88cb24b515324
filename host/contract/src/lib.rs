//! What a hook may ask for, as values: the rules of the contract with charms (`guest-sdk/wit`).
//!
//! One folder for each tool that changes something when its hook is committed ([`state`],
//! [`ports`], [`relation`], [`leadership`], [`workload`], [`payloads`], [`action`], [`secret`], [`storage`], [`reboot`]). In it are what an agent answers for the tool (a trait
//! whose methods refuse unless they are written), the tool's share of the [`HookTxn`] with its
//! refusals, and its [`Effect`]. [`metrics`] has the same for the hook that commits nothing. What is common to them is beside the folders.
//!
//! Nothing here knows WebAssembly, a controller or a store, and nothing needs more than `serde`, `serde_json` and
//! the rules of plans (`host/plan`):
//! the sandbox runs these rules for a guest, the store and the tests' controller apply their
//! effects, and the harness of `guest-sdk/rust` runs them in a charm's own tests. So there is one
//! hook transaction, and no copy of it that could differ.

pub mod action;
pub mod at_once;
pub mod bounds;
pub mod credential;
mod effects;
mod error;
pub mod leadership;
pub mod metrics;
pub mod payloads;
pub mod ports;
pub mod reboot;
pub mod relation;
pub mod secret;
pub mod settings;
pub mod state;
pub mod storage;
pub mod text;
mod txn;
pub mod unit;
pub mod workload;

#[cfg(test)]
mod testing;

pub use action::ActionAnswers;
pub use effects::Effect;
pub use error::{CallError, CallErrorCode};
pub use leadership::LeadershipAnswers;
pub use metrics::MetricsAnswers;
pub use payloads::PayloadsAnswers;
pub use ports::PortsAnswers;
pub use reboot::RebootAnswers;
pub use relation::{Member, OwnBag, RelationAnswers, RelationInfo};
pub use secret::SecretAnswers;
pub use state::StateAnswers;
pub use storage::StorageAnswers;
pub use txn::{Effects, HookTxn};
pub use unit::UnitAnswers;
pub use workload::WorkloadAnswers;

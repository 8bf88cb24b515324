//! The rules of the model as values: names, life cycles, status, config schemas, charm
//! metadata, the uniter's decisions.
//!
//! Everything here is a function of its arguments. Nothing waits, reads a file, looks at a
//! clock or draws a random number, which is why every decision of the controller and its
//! agents can be property-tested and simulated. Rooms above this one fetch values, ask here
//! what to do, and do it. What a charm may ask for is in `contract`, below; the parts of it that are
//! not about hooks alone are reached through here.

#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

pub mod address;
pub mod alert;
pub mod annotation;
pub mod block;
pub mod bounds;
pub mod bundle;
pub mod cause;
pub mod charm;
pub mod config;
pub mod constraints;
pub mod difference;
pub mod digest;
pub mod duration;
pub mod hook;
pub mod incident;
pub mod life;
pub mod name;
pub mod options;
pub mod password;
pub mod program;
pub mod provisioning;
pub mod proxy;
pub mod query;
pub mod quota;
pub mod reach;
pub mod refusal;
pub mod relation;
pub mod removal;
mod schema;
pub mod secret;
pub mod status;
pub mod storage;
pub mod task;
pub mod time;
pub mod turns;
pub mod uniter;
pub mod workload;

pub use digest::Digest;
pub use life::Life;
pub use name::{
    AgentName, ApplicationName, MachineId, ModelName, ModelUuid, NameError, Tag, UnitName, UserName,
};
pub use periapt_contract::{payloads, ports, text};
pub use periapt_plan::nearest;
pub use refusal::Refusal;

/// The Juju release whose behaviour is followed, wherever clients, charms and scripts ask for
/// Juju's version. Juju's Python client refuses another major version than 3.
pub const JUJU_VERSION: &str = "3.6.14";

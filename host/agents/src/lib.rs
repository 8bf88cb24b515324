//! The agents: one dependency engine per kind, one file per worker, under the worker's Juju name.
//!
//! `controller` is the process with the store and the keys, `model` the engine of one model
//! within it; `host` is the agent process, in which `machine` and `unit` engines are nested. Each
//! folder's `mod.rs` is the agent's table of nodes. `catalogue` knows all of Juju's workers and
//! says what has become of each.
//!
//! Agents know only the API, never the store: the exception is the controller, whose workers lend
//! the store to the API. No agent opens a socket of its own to anything but its controller.

pub mod agent_config;
pub mod catalogue;
pub mod controller;
pub mod descriptors;
pub mod host;
pub mod machine;
pub mod model;
mod one_line;
pub mod unit;

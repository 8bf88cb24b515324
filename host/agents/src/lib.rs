//! The agents: one dependency engine per kind, one file per worker, under the worker's Juju name.
//!
//! `model` is the engine of one model, which runs within the controller's process; `host` is the
//! agent process, in which `machine` and `unit` engines are nested. Each folder's `mod.rs` is the
//! agent's table of nodes.
//!
//! Agents know only the API: neither the store nor the server can be named here. No agent opens a
//! socket of its own to anything but its controller.

#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

pub mod agent_config;
pub mod credential;
pub mod host;
pub mod machine;
pub mod model;
pub mod one_line;
mod renewal;
#[cfg(test)]
mod tests;
pub mod unit;
pub mod watching;

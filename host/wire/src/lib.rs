//! What travels between client, controller and agents, as serde types without behaviour, and the
//! connection it travels over, whoever makes it.
//!
//! Two dialects share one TLS port. `rest` is the HTTP API of people and scripts, under `/v1`.
//! `rpc` is the websocket framing that Juju's clients speak; `agent` holds the facades that
//! agents call over it, `juju` those with Juju's names, versions and shapes, and [`facade!`] is how either is
//! declared. Where Juju has a shape, it is kept, key for key.

pub mod access;
pub mod agent;
pub mod connection;
pub mod facade;
pub mod juju;
pub mod problem;
pub mod rest;
pub mod rpc;
pub mod status;

pub use connection::{ApiConnection, CallError, Caller, Watcher};
pub use problem::Problem;
pub use rpc::{Call, Watch};

//! The controller's API: one TLS port, two dialects, no rules of its own.
//!
//! The server proves who somebody is ([`authenticator`]), looks up what they may do
//! ([`access`]), translates ([`facades`] for agents and Juju's framing, [`rest`] for people and
//! scripts) and calls the store. It never decides anything about a model, and it never opens
//! a database, a directory or a guest.
//!
//! The pieces are separate because they live for different spans: the [`mux`] and the
//! [`authenticator`] outlive restarts of the API server, the [`listener`] outlives its routes,
//! the certificate behind it is swapped while it serves ([`authority`]), and a [`ServerState`]
//! is one run of the API server.

pub mod access;
mod alerts;
pub mod audit;
pub mod authenticator;
pub mod authority;
pub mod backups;
mod blobs;
mod charm_revisions;
mod charms;
mod compiler;
mod error;
pub mod facades;
pub mod feed;
pub mod health;
mod identity;
pub mod introspection;
mod json;
pub mod listener;
pub mod metrics;
pub mod mux;
mod names;
mod observation;
pub mod presence;
mod processes;
mod questions;
mod reports;
pub mod rest;
pub mod rpc;
mod secrets;
mod shares;
mod state;
mod turns;
mod ui;
mod upgrade;
mod visits;

pub use audit::{AuditConfig, Recorder};
pub use authenticator::Authenticator;
pub use authority::{Authority, Leaf, LeafResolver};
pub use compiler::{CharmCompiler, CompileProblem, CompiledCharm, Components};
pub use error::ServerError;
pub use feed::{Feed, ModelCache};
pub use identity::{Identity, Role};
pub use introspection::Introspection;
pub use listener::{Budgets, ListenerLimits, Serve};
pub use metrics::Metrics;
pub use mux::{Mux, RouteGuard};
pub use observation::Observation;
pub use periapt_secrets::Keyring;
pub use presence::{AgentPresence, Presence, PresentAgents};
pub use reports::Reports;
pub use secrets::Secrets;
pub use state::{ControllerIdentity, ServerOptions, ServerState, StopSignal};
pub use turns::Turn;
pub use upgrade::{Upgrade, UpgradeProgress};

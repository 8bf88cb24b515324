//! Web workloads: components that export `wasi:http/incoming-handler@0.2`, one instance for each request.
//!
//! What is here, in the order in which a component meets it:
//!
//! * [`SERVERS`] compiles it, in the child process that compiles charms as well, and refuses what imports
//!   more than its kind is given, by the import's name.
//! * [`ServingEngine`] (one for each process that serves) loads the artifact: its pool has the room for the
//!   instances of all services.
//! * A [`Service`] is a component with the files, grants and limits of one unit. [`Service::answer`]
//!   answers a request, [`Service::serve_connection`] all requests of a stream, whoever accepted it.
//!
//! A request that traps, loops, panics, allocates or streams without end is ended and costs its client the
//! answer; the next one has an instance of its own. What a guest sends goes through the [`Connector`] that
//! the caller gives, if the authority of its address was granted, and nowhere else: this crate opens no
//! socket. An answer whose handler fails after it began is cut off, so that half of one is never taken for
//! the whole.
//!
//! It knows no hooks, and it decides nothing about models.

mod body;
mod check;
mod connection;
mod egress;
mod engine;
mod excess;
mod failure;
mod files;
mod instance;
mod limits;
mod output;
mod report;
mod room;
mod service;
pub mod trace;

#[cfg(test)]
mod tests;

pub use body::{Cut, Served};
pub use egress::{Connector, Destination, Link, NoNetwork};
pub use engine::{LoadedServer, SERVERS, ServingEngine};
pub use failure::Failure;
pub use files::{Committed, Mount};
pub use limits::Limits;
pub use output::Stream;
pub use report::{Ended, Listener};
pub use service::{Service, Workload};

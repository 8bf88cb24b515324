//! Calls of facades: over a websocket, or within the process.
//!
//! [`session`] is a logged-in connection: it asks who may call, runs handlers and keeps
//! the connection's watchers. [`websocket`] puts frames around it, [`in_process`] a channel-less
//! caller. Handlers are in [`crate::facades`].

mod error;
mod frame;
mod in_process;
mod login;
mod seen;
pub(crate) mod session;
mod texts;
pub(crate) mod watcher;
pub(crate) mod websocket;

pub use error::RpcError;
pub use in_process::{caller, in_process};
pub use session::Session;

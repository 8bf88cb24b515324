//! What a charm writes about the software in its containers: layers in Pebble's format, the plan
//! they make together, in which order its services start, what is asked to be done with them and what
//! they are seen to be.
//!
//! Everything is a value: nothing here starts a process or waits, and what becomes of a service is
//! `model::workload`'s. It is a crate below the contract with charms, since a hook is refused a
//! layer that is not sound while it runs, in the author's tests as on a controller. What people
//! write in such texts is read here too: how long something takes ([`duration`]), and which known
//! name they meant ([`mod@nearest`]).

#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

pub mod duration;
mod error;
pub mod layer;
pub mod nearest;
pub mod order;
pub mod plan;
pub mod request;
pub mod seen;

pub use error::WorkloadError;

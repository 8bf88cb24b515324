//! What runs in a unit's containers: the plan a charm describes, and what becomes of its services
//! and checks.
//!
//! A charm adds layers in Pebble's format, with keys of ours beside Pebble's ([`layer`]). All layers
//! in one are the [`plan`]. Each service and each check has a state machine, a step of which takes
//! what happened and the time and gives the next state with what is to be done ([`service`],
//! [`check`]); [`order`] says who starts before whom. Nothing here starts a process, waits or looks
//! at a clock: the supervisor does, and tells. [`desired`] is what agents and it hand one another.

pub mod check;
pub mod desired;
mod error;
pub mod layer;
pub mod order;
pub mod plan;
pub mod service;

pub use error::WorkloadError;

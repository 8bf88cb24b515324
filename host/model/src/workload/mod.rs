//! What runs in a unit's containers: what becomes of the services and checks of a plan, and what
//! agents and the supervisor tell each other of it.
//!
//! A charm adds layers in Pebble's format, with keys of ours beside Pebble's ([`layer`]). All layers
//! in one are the [`plan`]; both are in a crate below. Each service and each check has a state
//! machine, a step of which takes what happened and the time and gives the next state with what is to
//! be done ([`service`], [`check`]); [`order`] says who starts before whom. Nothing here starts a
//! process, waits or looks at a clock: the supervisor does, and tells. What it is told and what it
//! tells is in [`desired`], how many requests services answered in [`traffic`], and what single requests went
//! through in [`trace`].

pub mod check;
pub mod desired;
pub mod service;
pub mod trace;
pub mod traffic;
mod unwell;

pub use periapt_contract::workload::Committed;
pub use unwell::{nameless, silent, unwell, with_unwell};

pub use periapt_plan::{WorkloadError, layer, order, plan};

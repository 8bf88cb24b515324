//! Charms of all kinds, run by the real engine.

pub(crate) mod agent;
mod calls;
mod files;
mod guest;
mod hostile;
mod relations;
mod speed;
mod upload;

//! Charms of all kinds, run by the real engine.

pub(crate) mod agent;
mod calls;
mod files;
mod guest;
mod hostile;
mod speed;
mod upload;

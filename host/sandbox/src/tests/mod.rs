//! Charms of all kinds, run by the real engine.

mod actions;
pub(crate) mod agent;
mod calls;
mod deep;
mod files;
pub(crate) mod guest;
mod hostile;
mod nest;
mod reboot;
mod relations;
mod resources;
mod speed;
mod stage;
mod storage;
mod unit_files;
mod upload;

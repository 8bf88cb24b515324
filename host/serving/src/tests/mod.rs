//! Workloads of all kinds, in the real engine.

mod answers;
mod egress;
mod files;
mod guest;
mod hostile;
mod room;
mod site;
mod speed;
mod stage;
mod trace;
mod upload;

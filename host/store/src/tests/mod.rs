//! Behaviour of the whole store, on every database there is.

mod applications;
mod durability;
mod lifecycle;
mod reading;
mod removal;
mod throughput;
mod users;

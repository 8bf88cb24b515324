//! Behaviour of the whole store, on every database there is.

mod applications;
mod durability;
mod lifecycle;
mod reading;
mod throughput;
mod users;

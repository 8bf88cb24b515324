//! Behaviour of the whole store, on every database there is.

mod applications;
mod compiled;
mod counting;
mod durability;
mod lifecycle;
mod outages;
mod reading;
mod removal;
mod throughput;
mod users;

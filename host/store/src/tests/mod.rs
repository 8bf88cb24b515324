//! Behaviour of the whole store, on every database there is.

mod applications;
mod compiled;
mod counting;
mod durability;
mod guard;
mod idempotency;
mod lifecycle;
mod measure;
mod outages;
mod reading;
mod removal;
mod schema;
mod staging;
mod tables;
mod throughput;
mod turns;
mod users;
mod versions;

//! Whole models on virtual time, one file per subject; one program, as linking takes longer than most
//! of them.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "tests"
)]

mod causes;
mod common;
mod counter;
mod gateway;
mod leaders;
mod lessons;
mod order;
mod removal;
mod scopes;
mod secrets;
mod storage;

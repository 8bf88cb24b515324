//! The server as its clients know it, one file per subject. One program, since each of its own would
//! have all of the server linked into it again.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "tests"
)]

mod access;
mod accounts;
mod alerts;
mod audit;
mod blocks;
mod bundles;
mod charm_revisions;
mod charms;
mod common;
mod connections;
mod events;
mod grants;
mod incidents;
mod machines;
mod observe;
mod origins;
mod payloads;
mod promises;
mod reach;
mod reference;
mod relations;
mod requests;
mod resources;
mod rest;
mod routes;
mod rpc;
mod sandbox;
mod secrets;
mod storage;
mod strict;
mod terms;
mod upgrade;
mod user_secrets;
mod visits;

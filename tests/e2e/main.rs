//! The promises to a person who deploys charms, kept by the real program from end to end.

mod accounts;
mod agents;
mod author;
mod bundles;
mod catalogue;
mod gateway;
mod lifecycle;
mod metrics;
mod observe;
mod quotas;
mod serving;
mod site;
mod status;
mod unruly;
mod workers;

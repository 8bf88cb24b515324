//! The facades that agents call, one module each, named as in Juju where Juju has one.
//!
//! Their shapes are our own, so their names are as well (`periapt.Uniter`): Juju's are for facades with
//! Juju's shapes, which are in [`juju`](crate::juju). A facade is declared here once, with whom it is for and what each call does.
//!
//! An agent may name only entities it is responsible for: the controller's own agents any
//! entity of their model, the agent of a model's machines the machines it hosts and the units
//! on them. Times are microseconds since the epoch (UTC), durations milliseconds.

pub mod action_pruner;
pub mod alerts;
pub mod application_scaler;
pub mod charm_downloader;
pub mod charm_revisions;
pub mod cleaner;
pub mod credential_validator;
pub mod deployer;
pub mod disk_manager;
pub mod firewaller;
pub mod host;
pub mod instance_poller;
pub mod leadership;
pub mod life_flag;
pub mod log_forwarding;
pub mod log_sink;
pub mod machine_actions;
pub mod machine_undertaker;
pub mod machiner;
pub mod metric_pruning;
pub mod metrics;
pub mod model_config;
pub mod model_upgrader;
pub mod models;
pub mod provisioner;
pub mod proxy_updater;
pub mod reboot;
pub mod retry_strategy;
pub mod secret_backends;
pub mod secrets;
pub mod secrets_drain;
pub mod singular;
pub mod status_history;
pub mod storage_provisioner;
pub mod undertaker;
pub mod unit_assigner;
pub mod uniter;
pub mod workloads;

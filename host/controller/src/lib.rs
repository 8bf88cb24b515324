//! The controller: the process that owns the store and the keys, serves the API and hosts one
//! engine per model. It never runs a guest, and what a model's workers decide is theirs.
//!
//! `workers` is its own engine. Beside it is what happens before and around an engine: making a
//! controller, joining, restoring and starting one, its files and its log.

#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

mod backup;
mod bootstrap;
mod compiler;
mod config;
mod door;
mod error;
mod join;
mod keeper;
mod location;
mod log;
mod nodes;
mod pki;
mod private;
mod reports;
mod run;
#[cfg(test)]
mod tests;
mod verdict;
mod workers;

use std::path::PathBuf;
use std::sync::Arc;

use periapt_engine::{Gate, SharedClock};
use periapt_providers::Providers;
use periapt_server::{Observation, StopSignal, Upgrade};
use periapt_store::StoreOptions;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

pub use backup::{Manifest, RestoreOptions, RestoreResult, restore};
pub use bootstrap::{ADMIN, BootstrapOptions, BootstrapResult, CONTROLLER_MODEL, bootstrap};
pub use compiler::COMMAND as COMPILE_COMMAND;
pub use config::ControllerConfig;
pub use error::ControllerError;
pub use join::{JoinOptions, JoinResult, join};
pub use keeper::{Keeper, keeper_pid};
pub use run::{Ready, RunOptions, run, run_process, running_pid};
pub use workers::introspection::SOCKET as INTROSPECTION_SOCKET;
pub use workers::upgradesteps::{STEPS, UpgradeStep};

use reports::EngineRegistry;
use run::lock;
use verdict::Verdict;
use workers::logger::SetLevels;

/// What the nodes of the controller engine share.
#[derive(Clone)]
pub struct ControllerContext {
    pub config: ControllerConfig,
    /// Microseconds UTC.
    pub started_at: i64,
    pub data_dir: PathBuf,
    /// The program that agents and compiling children are started from.
    pub program: PathBuf,
    pub clock: SharedClock,
    pub providers: Providers,
    /// `host:port` of this process, known once the port is bound.
    api_addresses: Arc<watch::Sender<Vec<String>>>,
    /// The port for agents alone that is wanted, if any.
    controller_api_port: Arc<watch::Sender<Option<u16>>>,
    /// `host:port` of every process of the controller, as agents are told of them.
    agent_addresses: Arc<watch::Sender<Vec<String>>>,
    engines: EngineRegistry,
    /// How the API asks the process to end.
    stop_signal: StopSignal,
    /// How everyone else does.
    stop: CancellationToken,
    /// Unlocked when this version has set itself up; outlives every node.
    upgraded: Gate,
    /// What the API knows of that.
    upgrade: Upgrade,
    upgrade_steps: &'static [UpgradeStep],
    /// Unlocked when the controller serves.
    ready: Gate,
    /// Who serves requests from the store: it closes after them.
    store_users: TaskTracker,
    /// Why the process ends, where a worker has found out what a person must do about it.
    verdict: Verdict,
    signals: bool,
    set_levels: SetLevels,
    /// Counters, traces and looks into agents.
    observation: Observation,
}

impl ControllerContext {
    fn store_options(&self) -> StoreOptions {
        let options = bootstrap::store_options(&self.data_dir, self.config.database.as_deref());
        StoreOptions {
            clock: Arc::clone(&self.clock),
            existing: true,
            ..options
        }
    }

    fn agents_directory(&self) -> PathBuf {
        self.config.agents_directory(&self.data_dir)
    }
}

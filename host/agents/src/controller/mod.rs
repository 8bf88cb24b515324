//! The controller agent: the process that owns the store and the keys, serves the API and hosts
//! one model engine per model. It never runs a guest.
//!
//! Its engine has two roots: the store, on which leases, the change stream and the API stand, and
//! the API's own connection back into itself, on which everything stands that merely uses the
//! API. This page is the table; each row is one file.

mod agent;
mod agentconfigupdater;
mod apicaller;
mod apiconfigwatcher;
mod apiserver;
mod apiservercertwatcher;
mod auditconfigupdater;
mod backup;
mod bootstrap;
mod certupdater;
mod changestream;
mod compiler;
mod config;
mod controllerport;
mod dbaccessor;
mod door;
mod error;
mod httpserver;
mod httpserverargs;
mod introspection;
mod join;
mod keeper;
mod lease;
mod leaseexpiry;
mod location;
mod log;
mod logger;
mod modelcache;
mod modelworkermanager;
mod multiwatcher;
pub mod muxhttpserver;
mod nodes;
mod pki;
mod presence;
mod private;
mod querylogger;
mod reports;
mod run;
mod simplesignalhandler;
mod syslogger;
#[cfg(test)]
pub(crate) mod tests;
mod upgradesteps;
mod verdict;

use std::path::PathBuf;
use std::sync::Arc;

use periapt_engine::{Gate, Housing, Manifolds, SharedClock, gate};
use periapt_model::Tag;
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
pub use introspection::SOCKET as INTROSPECTION_SOCKET;
pub use join::{JoinOptions, JoinResult, join};
pub use keeper::{Keeper, keeper_pid};
pub use run::{Ready, RunOptions, run, run_process, running_pid};
pub use upgradesteps::{STEPS, UpgradeStep};

use crate::model::singular;
use logger::SetLevels;
use reports::EngineRegistry;
use run::lock;
use verdict::Verdict;

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
    pub providers: Arc<dyn Providers>,
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

/// The table. Rows are in the order in which the gates open.
pub fn manifolds(controller: &ControllerContext) -> Manifolds {
    let own_tag = Tag::Controller(controller.config.uuid.clone());
    let claimant = controller.config.claimant();

    Manifolds::new()
        .add(agent::NAME, agent::manifold(controller))
        .add(simplesignalhandler::NAME, simplesignalhandler::manifold())
        .add(controllerport::NAME, controllerport::manifold())
        .add(querylogger::NAME, querylogger::manifold())
        .add(dbaccessor::NAME, dbaccessor::manifold())
        .add(upgradesteps::GATE, gate::lent(controller.upgraded.clone()))
        .add(upgradesteps::NAME, upgradesteps::manifold())
        .add(upgradesteps::FLAG, gate::flag(upgradesteps::GATE))
        .add(changestream::NAME, changestream::manifold())
        .add(agentconfigupdater::NAME, agentconfigupdater::manifold())
        .add(lease::NAME, lease::manifold())
        .add(leaseexpiry::NAME, leaseexpiry::manifold())
        .add(introspection::NAME, introspection::manifold())
        .add(presence::NAME, presence::manifold())
        .add(auditconfigupdater::NAME, auditconfigupdater::manifold())
        .add(syslogger::NAME, syslogger::manifold())
        .add(multiwatcher::NAME, multiwatcher::manifold())
        .add(modelcache::NAME, modelcache::manifold())
        .add(httpserverargs::NAME, httpserverargs::manifold())
        .add(apiserver::NAME, apiserver::manifold())
        .add(apiservercertwatcher::NAME, apiservercertwatcher::manifold())
        .add(certupdater::NAME, certupdater::manifold())
        .add(httpserver::NAME, httpserver::manifold())
        .add(apiconfigwatcher::NAME, apiconfigwatcher::manifold())
        .add(apicaller::NAME, apicaller::manifold())
        .add(singular::PRIMARY, singular::manifold(own_tag, claimant))
        .add(logger::NAME, logger::manifold())
        .group(Housing::new().flag(upgradesteps::FLAG), |rows| {
            rows.add(modelworkermanager::NAME, modelworkermanager::manifold())
        })
}

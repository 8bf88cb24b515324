//! The model agent: one engine per model, inside the controller's process.
//!
//! It reaches the model only through the API, over a connection of its own, as if it lived
//! elsewhere. Its one fatal error is the removal of its model: then the engine ends for good and
//! the model worker manager drops it.

pub mod actionpruner;
pub mod agent;
pub mod apicaller;
pub mod apiconfigwatcher;
pub mod applicationscaler;
pub mod charmdownloader;
pub mod charmrevision;
pub mod cleaner;
pub mod credentialvalidator;
pub mod environ;
pub mod environupgrader;
pub mod firewaller;
pub mod instancepoller;
pub mod lifeflag;
pub mod logforwarder;
pub mod machineundertaker;
pub mod metricworker;
pub mod provisioner;
pub mod pruner;
pub mod secretdrainworker;
pub mod singular;
pub mod statushistorypruner;
pub mod storageprovisioner;
#[cfg(test)]
pub(crate) mod tests;
pub mod undertaker;
pub mod unitassigner;

use std::path::PathBuf;
use std::sync::Arc;

use periapt_engine::{
    DependencyEngine, EngineConfig, Housing, InstallError, Kind, Manifolds, ResultExt, SharedClock,
    WorkerError, gate,
};
use periapt_model::{ModelUuid, Tag};
use periapt_providers::{Provider, Providers};
use tokio::sync::watch;

use apicaller::Connect;

/// What the engine of one model is given.
#[derive(Clone)]
pub struct ModelContext {
    pub uuid: ModelUuid,
    pub controller: ModelUuid,
    /// The model in which the controller itself would live: never torn down from here.
    pub is_controller_model: bool,
    pub connect: Arc<dyn Connect>,
    pub providers: Providers,
    /// The kind of the model's cloud, which says whose provider is the model's.
    pub cloud_type: String,
    /// The tag under which this process of the controller claims leases.
    pub claimant: String,
    /// `host:port` of this process of the controller.
    pub api_addresses: watch::Receiver<Vec<String>>,
    /// `host:port` of all of them, as agents reach them.
    pub agent_addresses: watch::Receiver<Vec<String>>,
    /// The authority that signs the controllers' certificates, PEM.
    pub ca_cert: Arc<str>,
    /// Where agents keep their directories, one per model.
    pub agents_directory: PathBuf,
}

impl ModelContext {
    /// The provider of this model.
    ///
    /// # Errors
    /// None of that kind in this program.
    pub fn open_provider(&self) -> Result<Arc<dyn Provider>, WorkerError> {
        self.providers
            .open(&self.cloud_type, self.uuid.as_str())
            .while_doing("opening the provider")
    }
}

/// The table. Rows are in the order in which the gates open.
pub fn manifolds(model: &ModelContext) -> Manifolds {
    let entity = Tag::Model(model.uuid.clone());
    let responsible = Housing::new().flag(singular::NAME);
    let not_dead = Housing::new().flag(singular::NAME).flag(lifeflag::NOT_DEAD);
    let credential = Housing::new().flag(credentialvalidator::NAME);
    let upgraded = not_dead.clone().flag(environupgrader::FLAG);

    Manifolds::new()
        .add(agent::NAME, agent::manifold(model))
        .add(apiconfigwatcher::NAME, apiconfigwatcher::manifold())
        .add(apicaller::NAME, apicaller::manifold())
        .add(
            singular::NAME,
            singular::manifold(entity.clone(), model.claimant.clone()),
        )
        .add(
            lifeflag::NOT_DEAD,
            lifeflag::manifold(entity.clone(), lifeflag::not_dead),
        )
        .add(
            lifeflag::NOT_ALIVE,
            lifeflag::manifold(entity, lifeflag::not_alive),
        )
        .add(credentialvalidator::NAME, credentialvalidator::manifold())
        .add(environupgrader::GATE, gate::manifold())
        .add(environupgrader::FLAG, gate::flag(environupgrader::GATE))
        .group(responsible.flag(lifeflag::NOT_ALIVE), |rows| {
            rows.add(undertaker::NAME, undertaker::manifold())
        })
        .group(not_dead, |rows| {
            let rows = rows
                .add(logforwarder::NAME, logforwarder::manifold())
                .add(environupgrader::NAME, environupgrader::manifold());
            rows.group(credential, |rows| {
                rows.add(environ::NAME, environ::manifold())
            })
        })
        .group(upgraded, |rows| {
            rows.add(charmdownloader::NAME, charmdownloader::manifold())
                .add(unitassigner::NAME, unitassigner::manifold())
                .add(applicationscaler::NAME, applicationscaler::manifold())
                .add(provisioner::NAME, provisioner::manifold())
                .add(firewaller::NAME, firewaller::manifold())
                .add(instancepoller::NAME, instancepoller::manifold())
                .add(machineundertaker::NAME, machineundertaker::manifold())
                .add(cleaner::NAME, cleaner::manifold())
                .add(charmrevision::NAME, charmrevision::manifold())
                .add(actionpruner::NAME, actionpruner::manifold())
                .add(statushistorypruner::NAME, statushistorypruner::manifold())
                .add(metricworker::NAME, metricworker::manifold())
                .add(secretdrainworker::NAME, secretdrainworker::manifold())
                .add(storageprovisioner::NAME, storageprovisioner::manifold())
        })
}

/// Starts the engine of one model. Must be called within a tokio runtime.
///
/// # Errors
/// When the table is wrong: a name twice, or inputs in a circle.
pub fn engine(model: &ModelContext, clock: SharedClock) -> Result<DependencyEngine, InstallError> {
    let config = EngineConfig::new(format!("model-{}", model.uuid), clock)
        .fatal_when(|error| error.kind() == Kind::EntityRemoved)
        // The model is gone, which is how a model's engine ends well.
        .filter(|error| {
            if error.kind() == Kind::EntityRemoved {
                Ok(())
            } else {
                Err(error)
            }
        });
    let engine = DependencyEngine::new(config);
    manifolds(model).install(&engine)?;
    Ok(engine)
}

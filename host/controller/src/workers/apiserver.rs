//! **apiserver**: the API's routes on the shared mux.
//!
//! Trigger: start. Action: it gathers what the facades need and adds their routes. Effect:
//! clients and agents can log in. At its end connections close, blocked calls are told to come
//! back, and running requests have a few seconds to finish. Each call checks who is calling; this
//! worker decides nothing.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use periapt_agents::model::apicaller::Connect;
use periapt_engine::{Manifold, Outputs, ResultExt, TaskWorker, WorkerError};
use periapt_model::ModelUuid;
use periapt_server::{
    Authenticator, ControllerIdentity, Identity, Keyring, ModelCache, Mux, Presence, Recorder,
    ServerOptions, ServerState, rpc,
};
use periapt_store::{Store, lease::Manager};
use periapt_wire::ApiConnection;
use serde_json::json;

use super::{
    agent, auditconfigupdater, changestream, controllerport, dbaccessor, httpserverargs, lease,
    modelcache, presence,
};
use crate::backup::KeptBackups;
use crate::{ControllerContext, compiler, nodes::Nodes, pki, reports};

pub const NAME: &str = "api-server";

/// How long connections may take to close.
const DRAIN: Duration = Duration::from_secs(5);

/// Connections in this process, to one run of the API server.
pub struct InProcess(pub ServerState);

#[async_trait]
impl Connect for InProcess {
    async fn connect(&self, model: Option<&ModelUuid>) -> Result<ApiConnection, WorkerError> {
        Ok(rpc::in_process(
            &self.0,
            Identity::Controller {
                model: model.cloned(),
            },
        ))
    }
}

/// Lends the [`ServerState`].
pub fn manifold() -> Manifold {
    Manifold::new(|context| async move {
        let controller: ControllerContext = context.get(agent::NAME)?;
        let store: Store = context.get(dbaccessor::NAME)?;
        let leases: Manager = context.get(lease::NAME)?;
        let mux: Mux = context.get(httpserverargs::NAME)?;
        let authenticator: Arc<Authenticator> = context.get(httpserverargs::NAME)?;
        let presence: Presence = context.get(presence::NAME)?;
        let audit: Recorder = context.get(auditconfigupdater::NAME)?;
        let cache: ModelCache = context.get(modelcache::NAME)?;
        // Nobody is let in before there is a picture of what there is.
        context.or_abort(cache.initialised().unlocked()).await?;
        context.require(changestream::NAME)?;
        let own: controllerport::Reached = context.get(controllerport::NAME)?;
        let nodes = Nodes::new(&controller, own, &store, &presence);
        let addresses = nodes
            .announce()
            .await
            .map_err(|error| nodes.refused(error))?;
        let authority =
            pki::load(&controller.data_dir).while_doing("reading the certificate authority")?;
        let now = context.clock().now().as_microsecond();
        let keyring = Keyring::open(&controller.data_dir, authority.key_pem(), now)
            .while_doing("reading the keys of secrets")?;
        let identity = ControllerIdentity {
            uuid: controller.config.uuid.clone(),
            name: controller.config.name.clone(),
            addresses,
            node: controller.config.node,
            ca_cert: authority.ca_pem().to_owned(),
            database: store.database_kind().to_owned(),
            started_at: controller.started_at,
        };
        let backups = Arc::new(KeptBackups::new(&controller, &store));
        let state = ServerState::new(ServerOptions {
            store,
            leases,
            clock: context.clock(),
            authenticator,
            presence,
            audit,
            cache,
            compiler: Arc::new(
                compiler::ChildCompiler::new(&controller)
                    .while_doing("preparing to compile charms")?,
            ),
            keyring: Arc::new(keyring),
            reports: Arc::new(reports::Engines::new(&controller)),
            backups,
            limits: controller.config.limits.clone(),
            controller: identity,
            stop: controller.stop_signal.clone(),
            observation: controller.observation.clone(),
            upgrade: controller.upgrade.clone(),
        });
        let routes = mux
            .add("/", state.router())
            .while_doing("adding the API's routes")?;
        let store_user = controller.store_users.token();
        Ok(TaskWorker::lending(
            Outputs::of(state.clone()),
            |worker| async move {
                worker.set_report(json!({ "addresses": state.addresses() }));
                let introspection = state.introspection();
                let figures = introspection.observation.metrics.clone();
                let ended = tokio::select! {
                    () = worker.dying().cancelled() => Ok(()),
                    () = figures.keep_figures(&introspection) => Ok(()),
                    () = state.secrets().follow() => Ok(()),
                    error = nodes.keep(|addresses| state.set_addresses(addresses)) => Err(error),
                };
                state.shut_down();
                if !state.drained(DRAIN).await {
                    tracing::warn!("API connections did not close in time");
                }
                drop((routes, store_user));
                ended
            },
        ))
    })
    .needs([
        agent::NAME,
        controllerport::NAME,
        dbaccessor::NAME,
        changestream::NAME,
        lease::NAME,
        httpserverargs::NAME,
        presence::NAME,
        auditconfigupdater::NAME,
        modelcache::NAME,
    ])
}

//! Everything the API needs, gathered once by the worker that starts it.
//!
//! A state lives as long as one run of the API server. What must outlive a run (the store, the
//! authenticator, the presence registry, the mux) is handed in and shared.

use std::sync::Arc;
use std::time::Duration;

use arc_swap::ArcSwap;
use axum::Router;
use axum::middleware::{from_fn, map_response};
use periapt_engine::SharedClock;
use periapt_model::hook::Limits;
use periapt_model::{ModelUuid, bounds};
use periapt_secrets::Keyring;
use periapt_store::{Store, lease};
use periapt_wire::rest::StopRequest;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::audit::Recorder;
use crate::authenticator::Authenticator;
use crate::backups::Backups;
use crate::compiler::CharmCompiler;
use crate::feed::ModelCache;
use crate::identity::Identity;
use crate::introspection::Introspection;
use crate::observation::Observation;
use crate::presence::Presence;
use crate::processes::Processes;
use crate::questions::Questions;
use crate::reports::Reports;
use crate::secrets::Secrets;
use crate::shares::Shares;
use crate::turns::Turns;
use crate::upgrade::Upgrade;
use crate::visits::Visits;

/// Which controller this is.
#[derive(Clone, Debug)]
pub struct ControllerIdentity {
    pub uuid: ModelUuid,
    pub name: String,
    /// `host:port`, as clients dial them.
    pub addresses: Vec<String>,
    /// The certificate authority that clients are to trust, PEM.
    pub ca_cert: String,
    /// `sqlite` or `postgresql`.
    pub database: String,
    /// Microseconds UTC.
    pub started_at: i64,
    /// Which of the controller's processes this is.
    pub node: u32,
}

impl ControllerIdentity {
    /// The tag under which this process holds leases: like Juju's controllers, that of a machine.
    pub fn claimant(&self) -> String {
        format!("machine-{}", self.node)
    }
}

/// What a state is made of.
pub struct ServerOptions {
    pub store: Store,
    pub leases: lease::Manager,
    pub clock: SharedClock,
    pub authenticator: Arc<Authenticator>,
    pub presence: Presence,
    /// Takes what changes.
    pub audit: Recorder,
    /// What models hold, kept by the worker modelcache.
    pub cache: ModelCache,
    pub compiler: Arc<dyn CharmCompiler>,
    /// The keys under which secrets are sealed.
    pub keyring: Arc<Keyring>,
    pub reports: Arc<dyn Reports>,
    pub backups: Arc<dyn Backups>,
    /// Limits of hooks, as agents learn them.
    pub limits: Limits,
    pub controller: ControllerIdentity,
    pub stop: StopSignal,
    pub observation: Observation,
    /// Whether upgrade steps still run.
    pub upgrade: Upgrade,
}

/// The state of one run of the API server. Clones share it.
#[derive(Clone)]
pub struct ServerState {
    inner: Arc<Inner>,
}

struct Inner {
    options: ServerOptions,
    addresses: ArcSwap<Vec<String>>,
    secrets: Secrets,
    processes: Processes,
    closing: CancellationToken,
    tracker: TaskTracker,
    uploads: Turns,
    staged: Shares,
    bodies: Shares,
    running: crate::rest::Running,
    visits: Visits,
    applies: crate::rest::Applies,
}

/// Uploaded archives read and compiled at once, of as many users; each may stand twice in memory.
/// Those still coming in are not counted, they are kept in the store.
const UPLOADS_AT_ONCE: usize = 2;

impl ServerState {
    pub fn new(options: ServerOptions) -> Self {
        let addresses = ArcSwap::from_pointee(options.controller.addresses.clone());
        let secrets = Secrets::new(
            options.store.clone(),
            Arc::clone(&options.keyring),
            options.clock.clone(),
            options.controller.node,
        );
        Self {
            inner: Arc::new(Inner {
                options,
                addresses,
                secrets,
                processes: Processes::default(),
                closing: CancellationToken::new(),
                tracker: TaskTracker::new(),
                uploads: Turns::new(UPLOADS_AT_ONCE),
                staged: Shares::new(bounds::STAGED_BYTES, bounds::STAGED_OF_ONE_BYTES),
                bodies: Shares::new(bounds::BODIES_BYTES, bounds::BODIES_OF_ONE_BYTES),
                running: crate::rest::Running::default(),
                visits: Visits::default(),
                applies: crate::rest::Applies::default(),
            }),
        }
    }

    /// All routes: websockets, `/v1`, probes, and what other processes of the controller ask.
    pub fn router(&self) -> Router {
        crate::rest::router(self)
            .merge(crate::rpc::websocket::router(self))
            .merge(crate::processes::router(self))
            .layer(from_fn(crate::names::ours))
            .layer(map_response(crate::rest::guarded))
    }

    pub fn store(&self) -> &Store {
        &self.inner.options.store
    }

    pub fn leases(&self) -> &lease::Manager {
        &self.inner.options.leases
    }

    pub fn clock(&self) -> &SharedClock {
        &self.inner.options.clock
    }

    pub fn authenticator(&self) -> &Arc<Authenticator> {
        &self.inner.options.authenticator
    }

    pub fn audit(&self) -> &Recorder {
        &self.inner.options.audit
    }

    pub fn presence(&self) -> &Presence {
        &self.inner.options.presence
    }

    /// The picture of all models, and the feed behind it.
    pub fn cache(&self) -> &ModelCache {
        &self.inner.options.cache
    }

    pub fn compiler(&self) -> &Arc<dyn CharmCompiler> {
        &self.inner.options.compiler
    }

    /// Values of secrets, sealed and opened.
    pub fn secrets(&self) -> &Secrets {
        &self.inner.secrets
    }

    pub fn reports(&self) -> &Arc<dyn Reports> {
        &self.inner.options.reports
    }

    pub fn backups(&self) -> &Arc<dyn Backups> {
        &self.inner.options.backups
    }

    /// Questions to agents that are connected here.
    pub(crate) fn questions(&self) -> &Questions {
        &self.inner.options.observation.questions
    }

    /// Questions to other processes of the controller.
    pub(crate) fn processes(&self) -> &Processes {
        &self.inner.processes
    }

    /// Counters, traces and what agents tell of themselves.
    pub fn observation(&self) -> &Observation {
        &self.inner.options.observation
    }

    /// A look into this process and the agents.
    pub fn introspection(&self) -> Introspection {
        let options = &self.inner.options;
        Introspection {
            observation: options.observation.clone(),
            store: options.store.clone(),
            leases: options.leases.clone(),
            presence: options.presence.clone(),
            reports: Arc::clone(&options.reports),
        }
    }

    pub fn limits(&self) -> &Limits {
        &self.inner.options.limits
    }

    pub fn controller(&self) -> &ControllerIdentity {
        &self.inner.options.controller
    }

    pub fn stop_signal(&self) -> &StopSignal {
        &self.inner.options.stop
    }

    /// Whether this version still sets itself up.
    pub fn upgrade(&self) -> &Upgrade {
        &self.inner.options.upgrade
    }

    /// Where clients reach the controller now, `host:port`.
    pub fn addresses(&self) -> Vec<String> {
        self.inner.addresses.load().to_vec()
    }

    pub fn set_addresses(&self, addresses: Vec<String>) {
        self.inner.addresses.store(Arc::new(addresses));
    }

    /// Ends this run: websockets close, blocked calls answer `stopped`, connections within the
    /// process break, open-ended streams end. Requests already running finish.
    pub fn shut_down(&self) {
        self.inner.closing.cancel();
        self.inner.tracker.close();
    }

    /// Waits until the connections of this run are gone; false when `bound` came first.
    pub async fn drained(&self, bound: Duration) -> bool {
        periapt_engine::clock::timeout(&**self.clock(), bound, self.inner.tracker.wait())
            .await
            .is_some()
    }

    /// Cancelled by [`ServerState::shut_down`].
    pub(crate) fn closing(&self) -> &CancellationToken {
        &self.inner.closing
    }

    pub(crate) fn tracker(&self) -> &TaskTracker {
        &self.inner.tracker
    }

    pub(crate) fn uploads(&self) -> &Turns {
        &self.inner.uploads
    }

    /// Bytes of uploads that are coming in.
    pub(crate) fn staged(&self) -> &Shares {
        &self.inner.staged
    }

    /// Bytes of other bodies that are being read.
    pub(crate) fn bodies(&self) -> &Shares {
        &self.inner.bodies
    }

    /// Requests with an `Idempotency-Key` that are being carried out.
    pub(crate) fn running(&self) -> &crate::rest::Running {
        &self.inner.running
    }

    /// Takes note that somebody uses a model.
    pub(crate) fn note_visit(&self, identity: &Identity, model: &ModelUuid) {
        self.inner
            .visits
            .note(self.store(), self.clock(), identity, model);
    }

    /// Models to which this process applies bundles.
    pub(crate) fn applies(&self) -> &crate::rest::Applies {
        &self.inner.applies
    }
}

/// How a request over the API asks the process to end. Clones share it.
#[derive(Clone, Default)]
pub struct StopSignal {
    request: Arc<watch::Sender<Option<StopRequest>>>,
}

impl StopSignal {
    pub fn new() -> Self {
        Self::default()
    }

    /// The first request wins.
    pub fn request(&self, request: StopRequest) {
        self.request.send_if_modified(|current| {
            let first = current.is_none();
            if first {
                *current = Some(request);
            }
            first
        });
    }

    /// Waits for a request. Each waiter gets it.
    pub async fn requested(&self) -> StopRequest {
        let mut requests = self.request.subscribe();
        let request = requests.wait_for(Option::is_some).await;
        let request = request.ok().and_then(|request| request.clone());
        match request {
            Some(request) => request,
            // The sender is held by `self`.
            None => std::future::pending().await,
        }
    }
}

//! What single workers of the controller promise, each on a whole controller or on its own.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use periapt_engine::{DependencyEngine, EngineConfig, FakeClock, Manifold, NodeState, ValueWorker};
use periapt_model::ModelUuid;
use periapt_providers::{
    Environments, Instance, InstanceId, Provider, ProviderError, Providers, StartInstance, local,
};
use periapt_store::lease::{Manager, Namespace};
use periapt_store::{Store, StoreOptions};
use periapt_wire::rest::{ChangeCredential, ModelSummary};

use super::*;
use crate::bootstrap::store_options;
use crate::workers::{lease, leaseexpiry, querylogger};

/// What `probe` finds within a minute.
async fn until<T, F: Future<Output = Option<T>>>(what: &str, mut probe: impl FnMut() -> F) -> T {
    for _ in 0..600 {
        if let Some(found) = probe().await {
            return found;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    panic!("not within a minute: {what}");
}

pub(crate) async fn engines(directory: &Path) -> EngineMap {
    serde_json::from_str(&introspect(directory, "/depengine").await).unwrap()
}

/// A provider without machines that panics in one model when it is told to.
#[derive(Clone, Default)]
struct Cursed {
    model: Arc<Mutex<String>>,
    panics: Arc<AtomicBool>,
}

struct Environment {
    name: String,
    cursed: Cursed,
}

impl Environments for Cursed {
    fn open(&self, environment: &str) -> Result<Arc<dyn Provider>, ProviderError> {
        Ok(Arc::new(Environment {
            name: environment.to_owned(),
            cursed: self.clone(),
        }))
    }
}

#[async_trait]
impl Provider for Environment {
    async fn check_credential(&self) -> Result<(), ProviderError> {
        let cursed = *self.cursed.model.lock().unwrap() == self.name;
        assert!(
            !(cursed && self.cursed.panics.load(Ordering::SeqCst)),
            "the model is cursed"
        );
        Ok(())
    }
    fn describe(&self) -> serde_json::Value {
        serde_json::Value::Null
    }
    async fn start_instance(&self, _: StartInstance) -> Result<Instance, ProviderError> {
        Err(ProviderError::Closed)
    }
    async fn stop_instance(&self, _: &InstanceId) -> Result<(), ProviderError> {
        Ok(())
    }
    async fn instances(&self) -> Result<Vec<Instance>, ProviderError> {
        Ok(Vec::new())
    }
    async fn destroy(&self) -> Result<(), ProviderError> {
        Ok(())
    }
}

/// modelworkermanager: "when a model is added, then engine report has a new child within one
/// event; panic in that child shows as error and restarts it alone".
#[tokio::test]
async fn a_new_model_has_an_engine_and_a_panic_in_one_disturbs_no_other() {
    const TRACKER: &str = "environ-tracker";
    let home = TempDir::new().unwrap();
    let made = bootstrap(options(home.path())).await.unwrap();
    let cursed = Cursed::default();
    let providers = Providers::default().with(local::KIND, cursed.clone());
    let controller = start_with(home.path(), made, |options| {
        options.providers = Some(providers);
    })
    .await;
    let (client, token) = (controller.client(), controller.log_in().await);
    let mut models: Vec<ModelUuid> = Vec::new();
    for name in ["blessed", "cursed"] {
        let added = client
            .post(controller.url("/v1/models"))
            .bearer_auth(&token)
            .json(&serde_json::json!({ "name": name }))
            .send();
        let added: ModelSummary = added.await.unwrap().json().await.unwrap();
        models.push(added.uuid);
    }
    let view = |model: &ModelUuid| {
        let (directory, id) = (home.path().to_owned(), format!("model/{model}"));
        async move {
            let map = engines(&directory).await;
            map.engines.into_iter().find(|engine| engine.id == id)
        }
    };
    let runs = |model: ModelUuid| async move {
        let engine = view(&model).await?;
        let provisioner = engine
            .nodes
            .iter()
            .find(|node| node.name == "compute-provisioner")?;
        (provisioner.state == "started").then_some(engine)
    };
    for model in &models {
        until("its engine runs", || runs(model.clone())).await;
    }
    let counts = |engine: &periapt_wire::rest::EngineView| -> Vec<(String, u64)> {
        let nodes = engine.nodes.iter();
        nodes
            .map(|node| (node.name.clone(), node.start_count))
            .collect()
    };
    let blessed = counts(&view(&models[0]).await.unwrap());

    *cursed.model.lock().unwrap() = models[1].to_string();
    cursed.panics.store(true, Ordering::SeqCst);
    let path = format!("/v1/models/{}/credential", models[1]);
    let again = ChangeCredential {
        valid: true,
        reason: String::new(),
    };
    let answer = client
        .put(controller.url(&path))
        .bearer_auth(&token)
        .json(&again)
        .send();
    assert_eq!(answer.await.unwrap().status(), 200);
    until("the panic shows", || async {
        let engine = view(&models[1]).await?;
        let tracker = engine.nodes.iter().find(|node| node.name == TRACKER)?;
        let error = tracker.error.clone()?;
        error.contains("the model is cursed").then_some(())
    })
    .await;
    assert_eq!(counts(&view(&models[0]).await.unwrap()), blessed);
    cursed.panics.store(false, Ordering::SeqCst);
    until("it comes back by itself", || runs(models[1].clone())).await;
    assert_eq!(counts(&view(&models[0]).await.unwrap()), blessed);
    controller.stop().await;
}

/// querylogger: "when a 2 s query runs with threshold 1 s, then one line with SQL text and duration
/// is in the slow-query log".
#[tokio::test]
async fn a_slow_statement_is_one_line_of_the_log() {
    use std::os::unix::fs::PermissionsExt;
    let home = TempDir::new().unwrap();
    let made = bootstrap(options(home.path())).await.unwrap();
    let log = home.path().join(querylogger::FILE);
    let threshold = |milliseconds: u64| {
        let mut config = ControllerConfig::read(home.path()).unwrap();
        config.slow_query_ms = milliseconds;
        config.write(home.path()).unwrap();
    };
    // Nothing takes an hour, and everything takes longer than no time.
    threshold(3_600_000);
    let controller = start(home.path(), made.clone()).await;
    controller.log_in().await;
    controller.stop().await;
    assert!(!log.exists());

    threshold(0);
    let controller = start(home.path(), made).await;
    controller.log_in().await;
    let text = until("there are lines", || async {
        let text = std::fs::read_to_string(&log).ok()?;
        // The last line may be half written.
        let whole = text.get(..=text.rfind('\n')?)?;
        whole.contains("FROM account").then(|| whole.to_owned())
    })
    .await;
    controller.stop().await;
    for line in text.lines().take(100) {
        let line: serde_json::Value = serde_json::from_str(line).unwrap();
        assert!(line["duration-ms"].is_u64(), "{line}");
        assert!(line["time"].is_i64() || line["time"].is_string(), "{line}");
        assert!(!line["sql"].as_str().unwrap().is_empty(), "{line}");
    }
    let mode = std::fs::metadata(&log).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
}

/// leaseexpiry: "when a lease of 2 s is not renewed, then its row is gone at <=3.1 s; a pinned one
/// stays until unpinned".
#[tokio::test]
async fn a_lease_that_is_not_renewed_is_gone_within_a_second_and_a_pinned_one_stays() {
    const TWO_SECONDS: Duration = Duration::from_secs(2);
    let home = TempDir::new().unwrap();
    let model = bootstrap(options(home.path()))
        .await
        .unwrap()
        .controller_model;
    let clock = FakeClock::new();
    let store = Store::open(StoreOptions {
        clock: clock.shared(),
        ..store_options(home.path(), None)
    });
    let store = store.await.unwrap();
    let leases = Manager::new(&store);
    let engine = DependencyEngine::new(EngineConfig::new("leases", clock.shared()));
    let manager = leases.clone();
    Manifolds::new()
        .add(
            lease::NAME,
            Manifold::new(move |_| {
                let manager: Manager = manager.clone();
                async move { Ok(ValueWorker::lend(manager)) }
            }),
        )
        .add(leaseexpiry::NAME, leaseexpiry::manifold())
        .install(&engine)
        .unwrap();
    until("the worker runs", || async {
        // It begins after a pause.
        clock.advance(Duration::from_millis(20));
        let node = engine.report().manifolds.get(leaseexpiry::NAME)?.state;
        (node == NodeState::Started).then_some(())
    })
    .await;
    deploy_site(&store, &model).await;
    let (leadership, singular) = (
        Namespace::ApplicationLeadership,
        Namespace::SingularController,
    );
    let name = model.as_str();
    for (namespace, name, holder) in [
        (leadership, "site", "site/0"),
        (singular, name, "machine-0"),
    ] {
        leases
            .claim(namespace, &model, name, holder, TWO_SECONDS)
            .await
            .unwrap();
    }
    let entity = "machine-0".parse().unwrap();
    leases.pin_leaders(&entity).await.unwrap();
    let rows = || async {
        let leases = leases.leases().await.unwrap();
        let mut rows: Vec<Namespace> = leases.into_iter().map(|lease| lease.namespace).collect();
        rows.sort();
        rows
    };
    /// Lets virtual time pass, and the worker do what is due.
    async fn pass(clock: &FakeClock, tenths: u32) {
        for _ in 0..tenths {
            clock.advance(Duration::from_millis(100));
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }
    pass(&clock, 19).await;
    assert_eq!(rows().await, [leadership, singular], "not before its time");
    pass(&clock, 12).await;
    assert_eq!(rows().await, [leadership], "3.1 s after the claim");
    pass(&clock, 60).await;
    assert_eq!(rows().await, [leadership], "pinned");
    leases.unpin_leaders(&entity).await.unwrap();
    pass(&clock, 31).await;
    assert_eq!(rows().await, [], "unpinned, and nobody renewed it");
    engine.kill();
    engine.wait().await.unwrap();
    leases.stop();
    store.close().await;
}

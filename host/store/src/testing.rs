//! Stores for tests: on SQLite always, on PostgreSQL when `PERIAPT_TEST_POSTGRES` names a
//! server where schemas may be made.

use std::sync::Arc;

use bytes::Bytes;
use periapt_engine::FakeClock;
use periapt_model::charm::{CharmInfo, CharmMetadata, CharmUrl};
use periapt_model::config::{ConfigOption, Kind, Schema, Value};
use periapt_model::hook::Effects;
use periapt_model::uniter::{OperationState, RemoteState};
use periapt_model::{AgentName, ApplicationName, MachineId, ModelUuid, Tag, UnitName};
use periapt_wire::rest::{AddModel, Deploy, HistoryEntry, PageQuery};
use sqlx::{Connection, Executor};

use crate::{Database, HookCommit, LeaseTime, Result, Store, StoreError, StoreOptions};

pub(crate) mod proxy;

/// A database of its own, and a store on it.
pub(crate) struct Fixture {
    pub store: Store,
    pub clock: FakeClock,
    options: StoreOptions,
    empty: Empty,
}

/// A database in which nothing is.
pub(crate) struct Empty {
    pub database: Database,
    schema: Option<(String, String)>,
    /// Removes the SQLite file at the end.
    _directory: tempfile::TempDir,
}

/// One of each kind there is.
pub(crate) async fn empty_databases() -> Vec<Empty> {
    let directory = tempfile::tempdir().expect("directory");
    let database = Database::Sqlite {
        path: directory.path().join("controller.db"),
    };
    let mut found = vec![Empty {
        database,
        schema: None,
        _directory: directory,
    }];
    if let Ok(url) = std::env::var("PERIAPT_TEST_POSTGRES") {
        let schema = format!("test_{}", uuid::Uuid::new_v4().simple());
        let mut connection = sqlx::PgConnection::connect(&url).await.expect("PostgreSQL");
        let sql = format!("CREATE SCHEMA {schema}");
        connection
            .execute(sqlx::raw_sql(sqlx::AssertSqlSafe(sql)))
            .await
            .expect("schema");
        let mark = if url.contains('?') { '&' } else { '?' };
        found.push(Empty {
            database: Database::Postgres {
                url: format!("{url}{mark}options=-csearch_path%3D{schema}"),
            },
            schema: Some((url, schema)),
            _directory: tempfile::tempdir().expect("directory"),
        });
    }
    found
}

impl Empty {
    pub async fn end(self) {
        self.change_schema("DROP SCHEMA {} CASCADE").await;
    }

    async fn change_schema(&self, sql: &str) {
        if let Some((url, schema)) = &self.schema {
            let mut connection = sqlx::PgConnection::connect(url).await.expect("PostgreSQL");
            let sql = sql.replace("{}", schema);
            connection
                .execute(sqlx::raw_sql(sqlx::AssertSqlSafe(sql)))
                .await
                .expect("changed");
        }
    }
}

/// One fixture per database there is.
pub(crate) async fn fixtures() -> Vec<Fixture> {
    fixtures_with(|_| {}).await
}

pub(crate) async fn fixtures_with(adjust: impl Fn(&mut StoreOptions)) -> Vec<Fixture> {
    let mut fixtures = Vec::new();
    for empty in empty_databases().await {
        fixtures.push(Fixture::open(empty, &adjust).await);
    }
    fixtures
}

impl Fixture {
    async fn open(empty: Empty, adjust: &impl Fn(&mut StoreOptions)) -> Self {
        let clock = FakeClock::new();
        let mut options = StoreOptions::new(empty.database.clone(), clock.shared());
        options.lease_time = LeaseTime::Injected;
        adjust(&mut options);
        let store = Store::open(options.clone()).await.expect("store");
        let fixture = Self {
            store,
            clock,
            options,
            empty,
        };
        fixture.schema_changed();
        fixture
    }

    pub fn options(&self) -> StoreOptions {
        self.options.clone()
    }

    /// The same database opened anew, the first store abandoned without a farewell.
    pub async fn reopen(&mut self) {
        self.store = Store::open(self.options.clone()).await.expect("store");
    }

    /// The same database opened anew after the only store on it was closed.
    pub async fn restart(&mut self) {
        self.store.close().await;
        self.reopen().await;
    }

    /// Another store on the same database, as a second controller has it.
    pub async fn second(&self) -> Store {
        Store::open(self.options.clone()).await.expect("store")
    }

    pub fn is_postgres(&self) -> bool {
        self.empty.schema.is_some()
    }

    pub async fn end(self) {
        self.store.close().await;
        assert_eq!(self.replanned(), [""; 0], "statements are planned once");
        self.empty.end().await;
    }

    /// Forgets what was planned again up to now, since the schema is another.
    pub fn schema_changed(&self) {
        self.store.database.take_replanned();
    }

    /// Statements that the store's connections planned more than once.
    pub fn replanned(&self) -> Vec<String> {
        self.store.database.take_replanned()
    }

    /// Takes everything out of the database; its store must be closed.
    pub async fn make_empty(&self) {
        self.empty
            .change_schema("DROP SCHEMA {} CASCADE; CREATE SCHEMA {}")
            .await;
    }

    pub async fn model(&self, name: &str) -> ModelUuid {
        let request = AddModel::new(name.parse().expect("name"));
        self.store
            .add_model(request, &"admin".parse().expect("user"))
            .await
            .expect("model")
            .uuid
    }

    /// A model with the application `site`, its units assigned.
    pub async fn site(&self, units: u32) -> ModelUuid {
        let model = self.model("default").await;
        self.charm(&model, "site", b"archive").await;
        self.deploy(&model, "site", units).await;
        let staged = self.store.unit_assignments(&model).await.expect("staged");
        self.store
            .assign_units(&model, &staged)
            .await
            .expect("assigned");
        model
    }

    pub async fn charm(&self, model: &ModelUuid, name: &str, archive: &'static [u8]) -> CharmInfo {
        self.store
            .add_charm(model, charm(name), Bytes::from_static(archive))
            .await
            .expect("charm")
    }

    pub async fn deploy(&self, model: &ModelUuid, name: &str, units: u32) {
        self.store
            .deploy(model, request(name, units))
            .await
            .expect("deployed");
    }

    /// Gives every machine of the model that is not dead an instance and a running agent.
    pub async fn provision(&self, model: &ModelUuid) {
        use periapt_model::status::{Machine, Status};
        for machine in self.store.machine_ids(model).await.expect("machines") {
            let instance = format!("local-{machine}");
            let addresses = vec!["127.0.0.1".to_owned()];
            let info = self
                .store
                .set_instance_info(model, &machine, &AgentName::Host, &instance, &addresses, "")
                .await;
            match info {
                Err(StoreError::NotAlive { .. }) => continue,
                info => info.expect("info"),
            };
            let running = Status::new(Machine::Running, "running");
            self.store
                .set_instance_statuses(model, [(machine.clone(), running)].into())
                .await
                .expect("status");
            let started = Status::new(Machine::Started, "");
            self.store
                .set_machine_status(model, &machine, started, None)
                .await
                .expect("status");
        }
    }

    /// Runs the dispatcher until everything committed has been handed out.
    pub async fn settle(&self) {
        while self.store.changes().dispatch_page().await.expect("page") > 0 {}
    }
}

pub(crate) fn request(name: &str, units: u32) -> Deploy {
    Deploy {
        channel: None,
        resources: Default::default(),
        trust: false,
        constraints: String::new(),
        placement: Vec::new(),
        application: name.parse().expect("name"),
        charm: format!("local:{name}-0"),
        units,
        config: Default::default(),
        storage: Default::default(),
        attach_storage: Vec::new(),
        capabilities: Default::default(),
    }
}

pub(crate) fn charm(name: &str) -> CharmInfo {
    let option = |kind, default| ConfigOption {
        kind,
        description: String::new(),
        default,
    };
    let options = [
        (
            "port".to_owned(),
            option(Kind::Int, Some(Value::Integer(8080))),
        ),
        ("title".to_owned(), option(Kind::String, None)),
    ];
    CharmInfo {
        shared: Default::default(),
        workload: Default::default(),
        components: Vec::new(),
        metrics: Default::default(),
        url: CharmUrl::new(name, 0).expect("url"),
        name: name.to_owned(),
        revision: 0,
        sha256: String::new(),
        size: 0,
        metadata: CharmMetadata {
            name: name.to_owned(),
            ..CharmMetadata::default()
        },
        config: Schema {
            options: options.into(),
        },
        actions: Default::default(),
        capabilities: Vec::new(),
        declared: Default::default(),
        unused: Vec::new(),
        hooks: vec!["install".to_owned()],
        subordinate: false,
    }
}

impl Store {
    /// The sequence of the state that a unit has recorded; 0 of one that is gone.
    pub(crate) async fn sequence(&self, model: &ModelUuid, unit: &UnitName) -> u64 {
        let state = self.get_state(model, unit).await;
        state.map_or(0, |state| state.sequence)
    }

    /// What decisions are made on.
    pub(crate) async fn get_remote_state(
        &self,
        model: &ModelUuid,
        unit: &UnitName,
    ) -> Result<Option<RemoteState>> {
        let told = self.unit_told(model, unit, "").await?;
        Ok(told.map(|told| told.remote))
    }
}

pub(crate) fn unit(text: &str) -> UnitName {
    text.parse().expect("unit")
}

pub(crate) fn application(text: &str) -> ApplicationName {
    text.parse().expect("application")
}

pub(crate) fn machine(text: &str) -> MachineId {
    text.parse().expect("machine")
}

/// All agents are there.
pub(crate) fn present(_: &AgentName) -> bool {
    true
}

/// A collector of slow statements.
/// What a charm was compiled to.
pub(crate) fn form(engine_hash: &str, digest: &str) -> crate::CompiledForm {
    crate::CompiledForm {
        engine_hash: engine_hash.to_owned(),
        digest: digest.to_owned(),
    }
}

pub(crate) fn collector() -> (crate::SlowQuery, Arc<std::sync::Mutex<Vec<String>>>) {
    let lines: Arc<std::sync::Mutex<Vec<String>>> = Arc::default();
    let sink = Arc::clone(&lines);
    let report =
        Arc::new(move |slow: crate::SlowStatement| sink.lock().expect("lock").push(slow.sql));
    (
        crate::SlowQuery {
            threshold: std::time::Duration::ZERO,
            report,
        },
        lines,
    )
}

impl Store {
    /// The commit of effects alone, after whatever is recorded.
    pub(crate) async fn commit_effects(
        &self,
        model: &ModelUuid,
        unit: &UnitName,
        effects: Effects,
        operation: &OperationState,
    ) -> Result<()> {
        let commit = HookCommit {
            from: self.get_state(model, unit).await?.sequence,
            effects,
            operation: operation.clone(),
            ..HookCommit::default()
        };
        self.commit_hook_run(model, unit, commit).await?;
        Ok(())
    }
}

impl Store {
    /// The last statuses that an entity had, up to so many, oldest first.
    pub(crate) async fn last_statuses(
        &self,
        model: &ModelUuid,
        entity: &Tag,
        limit: usize,
    ) -> Result<Vec<HistoryEntry>> {
        let mut lines = Vec::new();
        let mut query = PageQuery::default();
        loop {
            let page = self.history(model, entity, &query).await?;
            lines.extend(page.items);
            query.after = page.next;
            if query.after.is_none() || lines.len() >= limit {
                break;
            }
        }
        lines.truncate(limit);
        lines.reverse();
        Ok(lines)
    }
}

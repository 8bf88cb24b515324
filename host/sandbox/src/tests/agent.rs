//! An agent for tests: answers from memory and writes down what it was asked to do.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock};

use periapt_contract::action::Task;
use periapt_contract::payloads::Payload;
use periapt_contract::reboot;
use periapt_contract::secret::{OwnedSecret, SecretId};
use periapt_contract::storage::{Attached, Declared, Kind, StorageId};
use periapt_model::charm::Access;
use periapt_model::config::{Value, Values};
use periapt_model::hook::Limits;
use periapt_model::ports::{Openings, PortRange};
use periapt_model::status::{Status, Workload};

use super::unit_files::{Files, content};
use crate::{
    ActionAnswers, Bag, CallError, ConfigAnswers, CredentialAnswers, Directories, Goal,
    GoalStateAnswers, Goals, HookContext, HookEvent, HookOutcome, HookRun, LeadershipAnswers,
    LoadedCharm, LogAnswers, LogLevel, Member, MetricsAnswers, Network, NetworkAnswers,
    PayloadsAnswers, PortsAnswers, RebootAnswers, RelationAnswers, RelationInfo, ResourcesAnswers,
    SandboxEngine, SecretAnswers, Settings, SharedDirectory, StateAnswers, StatusAnswers,
    StorageAnswers, StorageDirectory, UnitAnswers, WorkloadAnswers,
};

/// What hooks did at once.
#[derive(Debug, Default)]
pub struct Record {
    pub lines: Vec<(LogLevel, String)>,
    pub statuses: Vec<(Workload, String)>,
    pub versions: Vec<String>,
    /// Names and values, in their order.
    pub metrics: Vec<(String, f64)>,
    pub task_lines: Vec<String>,
    /// How often others were let on, and a place was given up and asked for again.
    pub let_on: u32,
    pub rested: u32,
    pub went_on: u32,
}

/// A unit with its directories.
pub struct Unit {
    pub record: Arc<Mutex<Record>>,
    pub state: BTreeMap<String, String>,
    pub ports: Vec<PortRange>,
    pub config: Values,
    pub leader: bool,
    pub relations: Vec<RelationInfo>,
    pub settings: BTreeMap<(u64, Member), Bag>,
    pub told: Bag,
    pub shared: Vec<SharedDirectory>,
    /// Names that the charm declares; those with a directory below `resources` are attached.
    pub resources: Vec<String>,
    /// Storage that it has, below `storage`.
    pub storage: Vec<StorageDirectory>,
    /// What the charm declares of it.
    pub declared_storage: BTreeMap<String, Declared>,
    /// What the hook is about.
    pub hook_storage: Option<StorageId>,
    pub limits: Limits,
    pub environment: Vec<(String, String)>,
    pub restricted: bool,
    /// Interfaces that its application was not granted.
    pub withheld: Vec<&'static str>,
    /// What is being run; none in a hook.
    pub task: Option<Task>,
    pub cancelled: Arc<AtomicBool>,
    pub home: tempfile::TempDir,
}

pub fn engine() -> &'static SandboxEngine {
    static ENGINE: OnceLock<SandboxEngine> = OnceLock::new();
    ENGINE.get_or_init(|| {
        SandboxEngine::new(Settings {
            slots: 16,
            ..Settings::default()
        })
        .unwrap()
    })
}

pub fn load(component: &[u8]) -> Arc<LoadedCharm> {
    engine()
        .load(&engine().compile(component).unwrap())
        .unwrap()
}

impl Unit {
    pub fn new() -> Self {
        let home = tempfile::tempdir().unwrap();
        for name in ["charm", "state", "temporary"] {
            std::fs::create_dir(home.path().join(name)).unwrap();
        }
        Self {
            record: Arc::default(),
            state: BTreeMap::new(),
            ports: Vec::new(),
            config: Values::from([("greeting".to_owned(), Value::Text("hello".to_owned()))]),
            leader: false,
            relations: Vec::new(),
            settings: BTreeMap::new(),
            told: Bag::new(),
            shared: Vec::new(),
            resources: Vec::new(),
            storage: Vec::new(),
            declared_storage: BTreeMap::new(),
            hook_storage: None,
            limits: Limits {
                wall_clock_ms: 120_000,
                ..Limits::default()
            },
            environment: Vec::new(),
            restricted: false,
            withheld: Vec::new(),
            task: None,
            cancelled: Arc::default(),
            home,
        }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.home.path().join(name)
    }

    pub fn run(&self, component: &[u8]) -> HookOutcome {
        self.run_loaded(&load(component))
    }

    /// Runs a hook. What it wrote to its state takes the place of the state when it went well.
    pub fn run_loaded(&self, charm: &LoadedCharm) -> HookOutcome {
        let files = Arc::new(Files::new(self.home.path()));
        let committed = content(&self.path("state"));
        let run = HookRun {
            charm,
            event: HookEvent::new("start"),
            environment: self.environment.clone(),
            directories: Directories {
                charm: self.path("charm"),
                unit: files.clone(),
                temporary: self.path("temporary"),
                shared: self.shared.clone(),
                resources: self.resources.clone(),
                storage: self.storage.clone(),
            },
            limits: self.limits.clone(),
        };
        let outcome = engine().run(run, Box::new(self.context_with(files.clone())));
        assert_eq!(content(&self.path("state")), committed, "never written to");
        files.end(outcome.result.is_ok());
        outcome
    }

    pub fn lines(&self) -> Vec<(LogLevel, String)> {
        self.record.lock().unwrap().lines.clone()
    }

    pub fn context(&self) -> Context {
        self.context_with(Arc::new(Files::new(self.home.path())))
    }

    fn context_with(&self, files: Arc<Files>) -> Context {
        Context {
            record: self.record.clone(),
            state: self.state.clone(),
            ports: self.ports.clone(),
            config: self.config.clone(),
            leader: self.leader,
            relations: self.relations.clone(),
            settings: self.settings.clone(),
            told: self.told.clone(),
            restricted: self.restricted,
            withheld: self.withheld.clone(),
            task: self.task.clone(),
            cancelled: self.cancelled.clone(),
            resources: self.resources.clone(),
            storage: self.storage.clone(),
            declared_storage: self.declared_storage.clone(),
            hook_storage: self.hook_storage.clone(),
            files,
        }
    }
}

pub struct Context {
    record: Arc<Mutex<Record>>,
    state: BTreeMap<String, String>,
    ports: Vec<PortRange>,
    config: Values,
    leader: bool,
    relations: Vec<RelationInfo>,
    settings: BTreeMap<(u64, Member), Bag>,
    told: Bag,
    restricted: bool,
    withheld: Vec<&'static str>,
    task: Option<Task>,
    cancelled: Arc<AtomicBool>,
    resources: Vec<String>,
    storage: Vec<StorageDirectory>,
    declared_storage: BTreeMap<String, Declared>,
    hook_storage: Option<StorageId>,
    files: Arc<Files>,
}

impl HookContext for Context {
    fn restricted_to(&self) -> Option<&'static str> {
        self.restricted.then_some("collect-metrics")
    }

    fn withheld(&self, interface: &str) -> Option<String> {
        let found = self.withheld.contains(&interface);
        found.then(|| format!("tools/{interface} is not granted"))
    }

    fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed)
    }

    fn lets_others_on(&mut self) {
        self.record.lock().unwrap().let_on += 1;
    }

    fn rests(&mut self) {
        self.record.lock().unwrap().rested += 1;
    }

    fn goes_on(&mut self) {
        self.record.lock().unwrap().went_on += 1;
    }
}

impl WorkloadAnswers for Context {}

impl SecretAnswers for Context {
    fn new_secret_id(&mut self) -> Result<SecretId, CallError> {
        Ok(SecretId::of_random([1; 12]))
    }

    fn owned_secrets(&mut self) -> Result<Vec<OwnedSecret>, CallError> {
        Ok(Vec::new())
    }
}

/// Trusted with nothing.
impl CredentialAnswers for Context {}

impl PayloadsAnswers for Context {
    fn payloads(&mut self) -> Result<Vec<Payload>, CallError> {
        Ok(Vec::new())
    }

    fn payload_classes(&mut self) -> Result<BTreeMap<String, String>, CallError> {
        Ok([("monitor".to_owned(), "process".to_owned())].into())
    }
}

impl ResourcesAnswers for Context {
    fn resource(&mut self, name: &str) -> Result<Option<String>, CallError> {
        if !self.resources.iter().any(|declared| declared == name) {
            return Err(CallError::not_found("no such resource"));
        }
        let there = self.files.fetch(name);
        Ok(there.then(|| format!("/resources/{name}/file")))
    }
}

impl StorageAnswers for Context {
    fn attached_storage(&mut self) -> Result<Vec<Attached>, CallError> {
        let attached = self.storage.iter().map(|one| Attached {
            id: one.id.parse().unwrap(),
            kind: Kind::Filesystem,
            location: one.location.clone(),
            read_only: one.access == Access::ReadOnly,
        });
        Ok(attached.collect())
    }

    fn declared_storage(&mut self) -> Result<BTreeMap<String, Declared>, CallError> {
        Ok(self.declared_storage.clone())
    }

    fn hook_storage(&self) -> Option<StorageId> {
        self.hook_storage.clone()
    }
}

impl ActionAnswers for Context {
    fn task(&mut self) -> Result<Task, CallError> {
        let task = self.task.clone();
        task.ok_or_else(|| CallError::denied("no action runs"))
    }

    fn log_task(&mut self, message: &str) -> Result<(), CallError> {
        let mut record = self.record.lock().unwrap();
        record.task_lines.push(message.to_owned());
        Ok(())
    }
}

impl MetricsAnswers for Context {
    fn add_metric(
        &mut self,
        name: String,
        value: f64,
        _labels: Vec<(String, String)>,
    ) -> Result<(), CallError> {
        self.record.lock().unwrap().metrics.push((name, value));
        Ok(())
    }
}

impl UnitAnswers for Context {
    fn unit_name(&self) -> String {
        "web/0".to_owned()
    }

    fn model_name(&self) -> String {
        "test".to_owned()
    }

    fn model_uuid(&self) -> String {
        "0190d3f6-0000-7000-8000-000000000001".to_owned()
    }

    fn private_address(&mut self) -> Result<String, CallError> {
        Ok("10.0.0.1".to_owned())
    }

    fn public_address(&mut self) -> Result<String, CallError> {
        Err(CallError::not_found("there is no public address"))
    }

    fn set_workload_version(&mut self, version: &str) -> Result<(), CallError> {
        self.record
            .lock()
            .unwrap()
            .versions
            .push(version.to_owned());
        Ok(())
    }
}

impl ConfigAnswers for Context {
    fn config(&self) -> &Values {
        &self.config
    }

    fn knows_option(&self, name: &str) -> bool {
        name == "unset" || self.config.contains_key(name)
    }
}

impl StateAnswers for Context {
    fn state(&mut self) -> Result<BTreeMap<String, String>, CallError> {
        Ok(self.state.clone())
    }
}

impl PortsAnswers for Context {
    fn opened_ports(&mut self) -> Result<Openings, CallError> {
        Ok(self.ports.iter().copied().collect())
    }

    fn port_endpoints(&mut self) -> Result<Vec<String>, CallError> {
        Ok(["website", "cluster"].map(str::to_owned).to_vec())
    }
}

impl RebootAnswers for Context {
    fn may_reboot(&mut self) -> Result<(), CallError> {
        match self.task {
            Some(_) => Err(reboot::in_a_task()),
            None => Ok(()),
        }
    }
}

impl RelationAnswers for Context {
    fn knows_endpoint(&self, name: &str) -> bool {
        ["website", "cluster"].contains(&name)
    }

    fn relations(&self) -> Vec<RelationInfo> {
        self.relations.clone()
    }

    fn relation_settings(&mut self, relation: u64, of: &Member) -> Result<Bag, CallError> {
        let known = self.settings.get(&(relation, of.clone())).cloned();
        known.ok_or_else(|| CallError::not_found("never was in scope"))
    }
}

impl LeadershipAnswers for Context {
    fn is_leader(&mut self) -> Result<bool, CallError> {
        // As an agent asks the controller: over the runtime, when there is one.
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            runtime.block_on(tokio::task::yield_now());
        }
        Ok(self.leader)
    }

    fn leader_settings(&mut self) -> Result<Bag, CallError> {
        Ok(self.told.clone())
    }
}

impl GoalStateAnswers for Context {
    fn goal_state(&mut self) -> Result<Goals, CallError> {
        let goal = |name: &str| Goal {
            name: name.to_owned(),
            status: "active".to_owned(),
            since: 1_700_000_000,
        };
        Ok(Goals {
            units: vec![goal("web/0")],
            relations: vec![("website".to_owned(), vec![goal("proxy"), goal("proxy/0")])],
        })
    }
}

impl NetworkAnswers for Context {
    fn network(&mut self, binding: &str) -> Result<Network, CallError> {
        match self.knows_endpoint(binding) {
            true => Ok(Network {
                bind_addresses: vec!["10.0.0.1".to_owned()],
                ingress_addresses: vec!["10.0.0.1".to_owned()],
                egress_subnets: vec!["10.0.0.1/32".to_owned()],
            }),
            false => Err(CallError::not_found("no such binding")),
        }
    }
}

impl StatusAnswers for Context {
    fn unit_status(&mut self) -> Result<Status<Workload>, CallError> {
        Ok(Status::new(Workload::Waiting, ""))
    }

    fn set_unit_status(&mut self, status: Workload, message: &str) -> Result<(), CallError> {
        self.record
            .lock()
            .unwrap()
            .statuses
            .push((status, message.to_owned()));
        Ok(())
    }

    fn application_status(&mut self) -> Result<Status<Workload>, CallError> {
        Ok(Status::new(Workload::Active, ""))
    }

    fn set_application_status(&mut self, status: Workload, message: &str) -> Result<(), CallError> {
        self.record
            .lock()
            .unwrap()
            .statuses
            .push((status, format!("application: {message}")));
        Ok(())
    }
}

impl LogAnswers for Context {
    fn log(&mut self, level: LogLevel, message: &str) {
        self.record
            .lock()
            .unwrap()
            .lines
            .push((level, message.to_owned()));
    }
}

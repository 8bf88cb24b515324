//! The controller in memory.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use periapt_engine::SharedClock;
use periapt_model::charm::{Capability, CharmInfo};
use periapt_model::config::{self, Value as Setting, Values};
use periapt_model::hook::{Effects, Limits};
use periapt_model::proxy::ProxySettings;
use periapt_model::quota::Meter;
use periapt_model::secret::{DueSecrets, SecretId};
use periapt_model::status::{Agent, Machine, Status, Workload};
use periapt_model::task::TaskId;
use periapt_model::uniter::{OperationState, RemoteState, Resolved};
use periapt_model::{Life, MachineId, ModelUuid, UnitName, options};
use periapt_wire::agent::deployer::DeployedUnit;
use periapt_wire::agent::host::{AgentAnswer, AgentQuestion, Asked, HostedModel};
use periapt_wire::agent::log_sink::LogRecord;
use periapt_wire::agent::metrics::MetricBatch;
use periapt_wire::agent::reboot::Reboots;
use periapt_wire::agent::retry_strategy::RetryStrategy;
use periapt_wire::agent::uniter::{HookReport, ResourceContent, UnitState};
use periapt_wire::rest::{BlockDevice, WorkerRow};
use periapt_wire::rpc::{Changes, Empty, Watch, code};
use periapt_wire::{ApiConnection, CallError};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

mod commit;
mod effects;
mod link;
mod machines;
mod passwords;
mod relations;
mod secrets;
mod storage;
mod tasks;
#[cfg(test)]
mod tests;
mod units;

use self::link::Link;
use self::passwords::Passwords;
pub use relations::Relation;
pub use secrets::SecretRecord;
pub use tasks::TaskRecord;

/// The model's identity in all tests.
pub const MODEL: &str = "0190d3f6-0000-7000-8000-000000000001";

/// A unit with everything recorded about it.
#[derive(Clone, Debug)]
pub struct UnitRecord {
    pub machine: MachineId,
    pub remote: RemoteState,
    pub config: Values,
    pub state: UnitState,
    pub agent: Status<Agent>,
    pub workload: Status<Workload>,
    pub application: Status<Workload>,
    pub version: String,
    pub charm_in_place: Option<String>,
    /// Effects in the order of their commits.
    pub commits: Vec<Effects>,
    /// All states written, in order.
    pub writes: Vec<OperationState>,
    /// Reports of hooks that ran, in order.
    pub runs: Vec<HookReport>,
    pub subordinates: u32,
    /// A person wants its agent stopped.
    pub stopped: bool,
    /// What its charm measured, as it came.
    pub metrics: Vec<MetricBatch>,
    /// What it is told of its quotas.
    pub meter: Option<Meter>,
    /// What people asked it to run, by number.
    pub tasks: BTreeMap<TaskId, TaskRecord>,
    /// What is attached to its application, by name: the revision with its digest and size.
    pub resources: BTreeMap<String, ResourceContent>,
    /// What its charm declares and its application does not have.
    pub withheld: Vec<Capability>,
}

#[derive(Default)]
struct Inner {
    units: BTreeMap<UnitName, UnitRecord>,
    machines: BTreeMap<MachineId, (Life, Option<Status<Machine>>)>,
    reboots: BTreeMap<MachineId, Reboots>,
    machine_tasks: BTreeMap<MachineId, machines::MachineTasks>,
    charms: HashMap<String, CharmInfo>,
    blobs: HashMap<String, Bytes>,
    settings: Values,
    addresses: Vec<String>,
    leaders: HashMap<String, UnitName>,
    relations: BTreeMap<u64, Relation>,
    leader_settings: HashMap<String, relations::Bag>,
    secrets: BTreeMap<SecretId, SecretRecord>,
    /// So many storages were made.
    storages: u64,
    clock: Option<SharedClock>,
    /// Units that cannot enter a scope yet.
    not_yet: HashSet<UnitName>,
    logs: Vec<LogRecord>,
    rows: Vec<WorkerRow>,
    /// What the agent has not answered yet.
    questions: Vec<AgentQuestion>,
    block_devices: Vec<BlockDevice>,
    calls: Vec<String>,
    refusals: HashMap<String, CallError>,
    passwords: Passwords,
    /// Methods whose calls get no answer, with how many wait for it.
    held: HashMap<String, usize>,
    /// Methods whose next answer gets lost on its way.
    lost: HashSet<String>,
    versions: HashMap<String, u64>,
    watchers: HashMap<String, (String, u64)>,
    next_watcher: u64,
}

/// Clones are the same controller.
#[derive(Clone)]
pub struct Controller {
    inner: Arc<Mutex<Inner>>,
    changed: Arc<watch::Sender<u64>>,
    limits: Limits,
}

impl Default for Controller {
    fn default() -> Self {
        Self::new()
    }
}

impl Controller {
    pub fn new() -> Self {
        Self {
            inner: Arc::default(),
            changed: Arc::new(watch::channel(0).0),
            limits: Limits::default(),
        }
    }

    /// A new connection, and the token that cuts it.
    pub fn connect(&self) -> (ApiConnection, CancellationToken) {
        let broken = CancellationToken::new();
        (
            ApiConnection::new(Arc::new(Link {
                controller: self.clone(),
                broken: broken.clone(),
            })),
            broken,
        )
    }

    pub fn add_charm(&self, info: CharmInfo, archive: Vec<u8>) {
        let mut inner = self.lock();
        inner.blobs.insert(info.sha256.clone(), archive.into());
        inner.charms.insert(info.url.to_string(), info);
    }

    pub fn add_blob(&self, digest: &str, bytes: Vec<u8>) {
        self.lock().blobs.insert(digest.to_owned(), bytes.into());
    }

    pub fn add_machine(&self, machine: &MachineId) {
        self.lock()
            .machines
            .insert(machine.clone(), (Life::Alive, None));
        self.touch(&["machines".to_owned(), format!("machine:{machine}")]);
    }

    pub fn add_unit(&self, unit: &UnitName, machine: &MachineId, charm: &str) {
        let config = Values::from([("title".to_owned(), Setting::Text("none".to_owned()))]);
        let record = UnitRecord {
            machine: machine.clone(),
            remote: RemoteState {
                relations: BTreeMap::new(),
                leader_settings_version: 0,
                life: Life::Alive,
                resolved: Resolved::None,
                charm_url: charm.to_owned(),
                charm_modified_version: 0,
                force_charm_upgrade: false,
                config_hash: config::hash(&config),
                leader: false,
                retry_hook_version: 0,
                update_status_version: 0,
                task: None,
                secrets: DueSecrets::default(),
                reboots: 0,
                reboot_wanted: false,
                storage: Default::default(),
                causes: Default::default(),
            },
            config,
            state: UnitState::default(),
            agent: Status::new(Agent::Allocating, ""),
            workload: Status::new(Workload::Waiting, ""),
            application: Status::new(Workload::Unset, ""),
            version: String::new(),
            withheld: Vec::new(),
            charm_in_place: None,
            commits: Vec::new(),
            writes: Vec::new(),
            runs: Vec::new(),
            subordinates: 0,
            stopped: false,
            metrics: Vec::new(),
            meter: None,
            tasks: BTreeMap::new(),
            resources: BTreeMap::new(),
        };
        self.lock().units.insert(unit.clone(), record);
        self.touch(&[format!("unit:{unit}"), format!("units:{machine}")]);
    }

    /// The record of a unit; none when it is gone.
    pub fn unit(&self, unit: &UnitName) -> Option<UnitRecord> {
        self.lock().units.get(unit).cloned()
    }

    /// Changes a unit as a person or another agent would, and wakes its watchers.
    pub fn change(&self, unit: &UnitName, change: impl FnOnce(&mut UnitRecord)) {
        let machine = {
            let mut inner = self.lock();
            let Some(record) = inner.units.get_mut(unit) else {
                return;
            };
            change(record);
            record.remote.config_hash = config::hash(&record.config);
            record.machine.clone()
        };
        self.touch(&[format!("unit:{unit}"), format!("units:{machine}")]);
    }

    pub fn set_title(&self, unit: &UnitName, title: &str) {
        self.change(unit, |record| {
            record
                .config
                .insert("title".to_owned(), Setting::Text(title.to_owned()));
        });
    }

    pub fn set_machine_life(&self, machine: &MachineId, life: Life) {
        if let Some((current, _)) = self.lock().machines.get_mut(machine) {
            *current = life;
        }
        self.touch(&["machines".to_owned(), format!("machine:{machine}")]);
    }

    pub fn machine(&self, machine: &MachineId) -> Option<(Life, Option<Status<Machine>>)> {
        self.lock().machines.get(machine).cloned()
    }

    pub fn set_model_config(&self, key: &str, value: Setting) {
        self.lock().settings.insert(key.to_owned(), value);
        self.touch(&["config".to_owned()]);
    }

    /// Gives the leadership away, or frees it, and wakes whoever waits for it.
    pub fn set_addresses(&self, addresses: &[&str]) {
        self.lock().addresses = addresses.iter().map(|one| (*one).to_owned()).collect();
        self.touch(&["addresses".to_owned()]);
    }

    pub fn set_leader(&self, application: &str, leader: Option<UnitName>) {
        {
            let mut inner = self.lock();
            match leader {
                Some(leader) => inner.leaders.insert(application.to_owned(), leader),
                None => inner.leaders.remove(application),
            };
        }
        self.touch(&[format!("leader:{application}")]);
    }

    pub fn leader(&self, application: &str) -> Option<UnitName> {
        self.lock().leaders.get(application).cloned()
    }

    /// The next call of this method fails with `error`.
    pub fn refuse_next(&self, method: &str, error: CallError) {
        self.lock().refusals.insert(method.to_owned(), error);
    }

    /// The next call of this method is carried out and its answer lost with the connection.
    pub fn lose_next(&self, method: &str) {
        self.lock().lost.insert(method.to_owned());
    }

    /// Calls of this method get no answer until they are let go.
    pub fn hold(&self, method: &str, held: bool) {
        let mut inner = self.lock();
        if held {
            inner.held.insert(method.to_owned(), 0);
        } else {
            inner.held.remove(method);
        }
        drop(inner);
        self.touch(&[]);
    }

    /// Calls of this method that wait for being let go.
    pub fn held_up(&self, method: &str) -> usize {
        self.lock().held.get(method).copied().unwrap_or(0)
    }

    /// Methods called, in order.
    pub fn calls(&self) -> Vec<String> {
        self.lock().calls.clone()
    }

    pub fn count(&self, method: &str) -> usize {
        self.lock()
            .calls
            .iter()
            .filter(|call| *call == method)
            .count()
    }

    pub fn logs(&self) -> Vec<LogRecord> {
        self.lock().logs.clone()
    }

    pub fn rows(&self) -> Vec<WorkerRow> {
        self.lock().rows.clone()
    }

    /// What the agent told last.
    pub fn block_devices(&self) -> Vec<BlockDevice> {
        self.lock().block_devices.clone()
    }

    pub fn ask_for_workers(&self) {
        self.lock().questions.push(AgentQuestion {
            number: 1,
            asked: Asked::Workers,
        });
        self.touch(&["questions".to_owned()]);
    }

    /// Waits until `condition` holds of a unit.
    pub async fn until_unit(&self, unit: &UnitName, condition: impl Fn(&UnitRecord) -> bool) {
        self.until(|controller| {
            controller
                .unit(unit)
                .is_some_and(|record| condition(&record))
        })
        .await;
    }

    /// Waits until `condition` holds. Every call and every change is a reason to look.
    pub async fn until(&self, condition: impl Fn(&Controller) -> bool) {
        let mut changed = self.changed.subscribe();
        while !condition(self) {
            if changed.changed().await.is_err() {
                return;
            }
        }
    }

    fn touch(&self, keys: &[String]) {
        let mut inner = self.lock();
        for key in keys {
            *inner.versions.entry(key.clone()).or_default() += 1;
        }
        drop(inner);
        self.changed.send_modify(|version| *version += 1);
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn watch(&self, key: &str) -> Watch {
        let mut inner = self.lock();
        inner.next_watcher += 1;
        let id = inner.next_watcher.to_string();
        let version = inner.versions.get(key).copied().unwrap_or_default();
        inner.watchers.insert(id.clone(), (key.to_owned(), version));
        Watch {
            watcher_id: id,
            changes: Vec::new(),
        }
    }

    async fn next(&self, id: &str) -> Result<Changes, CallError> {
        let mut changed = self.changed.subscribe();
        loop {
            {
                let mut inner = self.lock();
                let Some((key, seen)) = inner.watchers.get(id).cloned() else {
                    return Err(refused(code::NOT_FOUND, "watcher"));
                };
                let version = inner.versions.get(&key).copied().unwrap_or_default();
                if version > seen {
                    inner.watchers.insert(id.to_owned(), (key, version));
                    return Ok(Changes::default());
                }
            }
            if changed.changed().await.is_err() {
                return Err(refused(code::STOPPED, "stopped"));
            }
        }
    }

    async fn answer(&self, method: &str, params: Value) -> Result<Value, CallError> {
        let unit = || argument::<UnitName>(&params, "unit");
        let machine = || argument::<MachineId>(&params, "machine");
        Ok(match method {
            "WatchModelConfig" => value(self.watch("config")),
            "WatchMachines" => value(self.watch("machines")),
            "WatchApiAddresses" => value(self.watch("addresses")),
            "WatchQuestions" => value(self.watch("questions")),
            "Questions" => value(&self.lock().questions),
            "WatchUnits" => value(self.watch(&format!("units:{}", machine()?))),
            "WatchMachine" => value(self.watch(&format!("machine:{}", machine()?))),
            "WatchTasks" => value(self.watch(&format!("tasks:{}", unit()?))),
            "WatchUnit" => value(self.watch(&format!("unit:{}", unit()?))),
            "ModelConfig" => value(&self.lock().settings),
            "ProxyConfig" => {
                let inner = self.lock();
                let settings = ProxySettings::of(&options::MODEL.effective(&inner.settings));
                value(settings.without(&inner.addresses))
            }
            "RetryStrategy" => {
                let retry = self
                    .lock()
                    .settings
                    .get("automatically-retry-hooks")
                    .cloned();
                value(RetryStrategy {
                    should_retry: retry != Some(Setting::Boolean(false)),
                    ..retry_strategy()
                })
            }
            "Write" => {
                self.lock()
                    .logs
                    .extend(argument::<Vec<LogRecord>>(&params, "records")?);
                value(Empty {})
            }
            "Machines" => {
                let inner = self.lock();
                let alive = inner
                    .machines
                    .iter()
                    .filter(|(_, (life, _))| *life != Life::Dead);
                value(alive.map(|(machine, _)| machine).collect::<Vec<_>>())
            }
            "Model" => value(HostedModel {
                uuid: model(),
                name: "default".parse().map_err(unusable)?,
                controller_uuid: model(),
                api_addresses: self.lock().addresses.clone(),
                limits: self.limits.clone(),
            }),
            "AddBatches" => {
                let batches: Vec<MetricBatch> = argument(&params, "batches")?;
                if let Some(record) = self.lock().units.get_mut(&unit()?) {
                    record.metrics.extend(batches);
                }
                value(Empty {})
            }
            "ChangePassword" => self.change_password(&params)?,
            "PutAnswer" => {
                let mut inner = self.lock();
                inner.questions.clear();
                if let AgentAnswer::Workers(rows) = argument(&params, "answer")? {
                    inner.rows = rows;
                }
                value(Empty {})
            }
            "WatchReboot" | "GetReboot" | "ClearReboot" | "WatchMachineTasks" | "MachineTasks"
            | "BeginMachineTask" | "EndMachineTask" => {
                self.of_machine(&machine()?, method, &params)?
            }
            "SetBlockDevices" => {
                self.lock().block_devices = argument(&params, "devices")?;
                value(Empty {})
            }
            "MachineLife" => value(self.lock().machines.get(&machine()?).map(|(life, _)| *life)),
            "MachineStatus" => {
                if let Some((_, status)) = self.lock().machines.get_mut(&machine()?) {
                    *status = Some(argument(&params, "status")?);
                }
                value(Empty {})
            }
            "EnsureMachineDead" => {
                let machine = machine()?;
                if self
                    .lock()
                    .units
                    .values()
                    .any(|unit| unit.machine == machine)
                {
                    return Err(refused(code::HAS_ASSIGNED_UNITS, "machine has units"));
                }
                self.set_machine_life(&machine, Life::Dead);
                value(Empty {})
            }
            "Units" => {
                let machine = machine()?;
                let inner = self.lock();
                let here = inner
                    .units
                    .iter()
                    .filter(|(_, record)| record.machine == machine);
                let deployed = |(unit, record): (&UnitName, &UnitRecord)| DeployedUnit {
                    unit: unit.clone(),
                    life: record.remote.life,
                    stopped: record.stopped,
                };
                value(here.map(deployed).collect::<Vec<_>>())
            }
            "GoneUnits" => {
                let mut asked: Vec<UnitName> = argument(&params, "units")?;
                let inner = self.lock();
                asked.retain(|unit| !inner.units.contains_key(unit));
                value(asked)
            }
            "Remove" => {
                let unit = unit()?;
                let removed = self.lock().units.remove(&unit);
                if let Some(record) = removed {
                    self.touch(&[format!("unit:{unit}"), format!("units:{}", record.machine)]);
                }
                value(Empty {})
            }
            "ClaimLeadership" => {
                let unit = unit()?;
                let mut inner = self.lock();
                let leader = inner
                    .leaders
                    .entry(unit.application().to_string())
                    .or_insert_with(|| unit.clone());
                if *leader != unit {
                    return Err(refused(code::LEASE_DENIED, "another unit leads"));
                }
                value(Empty {})
            }
            "BlockUntilLeadershipReleased" => {
                let application: String = argument(&params, "application")?;
                self.until(|controller| controller.leader(&application).is_none())
                    .await;
                value(Empty {})
            }
            "Charm" => {
                let url: String = argument(&params, "url")?;
                let charm = self.lock().charms.get(&url).cloned();
                value(charm.ok_or_else(|| refused(code::NOT_FOUND, "charm"))?)
            }
            _ => self.of_unit(&unit()?, method, &params)?,
        })
    }
}

/// Juju's defaults.
pub fn retry_strategy() -> RetryStrategy {
    RetryStrategy {
        should_retry: true,
        min_retry_ms: 5_000,
        max_retry_ms: 300_000,
        jitter: true,
        factor: 2,
    }
}

fn model() -> ModelUuid {
    match MODEL.parse() {
        Ok(uuid) => uuid,
        Err(_) => unreachable!("the constant is a UUID"),
    }
}

fn argument<T: DeserializeOwned>(params: &Value, name: &str) -> Result<T, CallError> {
    let argument = params.get(name).cloned().unwrap_or(Value::Null);
    serde_json::from_value(argument)
        .map_err(|error| refused(code::BAD_REQUEST, &format!("{name}: {error}")))
}

fn optional<T: DeserializeOwned>(params: &Value, name: &str) -> Result<Option<T>, CallError> {
    argument::<Option<T>>(params, name)
}

fn value(answer: impl Serialize) -> Value {
    serde_json::to_value(answer)
        .unwrap_or_else(|error| json!({ "unserializable": error.to_string() }))
}

fn refused(code: &str, message: &str) -> CallError {
    CallError::Refused {
        code: code.to_owned(),
        message: message.to_owned(),
    }
}

fn unusable(error: periapt_model::NameError) -> CallError {
    CallError::Unexpected(error.to_string())
}

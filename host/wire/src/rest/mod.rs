//! Bodies of the HTTP API under `/v1`.
//!
//! Which route takes and answers which is in `docs/reference/openapi.json`, made of the server's handlers.
//! `{model}` is a UUID or a name. Errors are `Problem`.

mod accounts;
mod alerts;
mod annotations;
mod audit;
mod backups;
mod blocks;
mod bundles;
mod clouds;
mod constraints;
mod credentials;
mod defaults;
mod events;
mod files;
mod grants;
mod hook_report;
mod hooks;
mod incidents;
mod machines;
mod metrics;
mod nodes;
mod observe;
mod operations;
mod page;
pub mod paths;
mod payloads;
mod reach;
mod repository;
mod resources;
mod secrets;
mod storage;
mod terms;
mod timeline;
mod top;
pub mod waiting;
mod why;
mod workloads;

use std::collections::BTreeMap;

use periapt_model::block::BlockKind;
use periapt_model::charm::capability::grant::Choices;
use periapt_model::config::{ConfigValue, Schema, Value, Values};
use periapt_model::status::{Agent, Model, Status, Workload};
use periapt_model::storage::{Asked, StorageId};
use periapt_model::{ApplicationName, Life, MachineId, ModelName, ModelUuid, UnitName};
use serde::{Deserialize, Serialize};

use crate::status::MeterStatus;

pub use accounts::*;
pub use alerts::*;
pub use annotations::*;

pub use audit::*;
pub use backups::Backup;
pub use blocks::*;
pub use bundles::*;
pub use clouds::*;
pub use constraints::*;
pub use credentials::*;
pub use defaults::*;
pub use events::*;
pub use files::*;
pub use grants::*;
pub use hook_report::*;
pub use hooks::*;
pub use incidents::*;
pub use machines::*;
pub use metrics::*;
pub use nodes::*;
pub use observe::*;
pub use operations::*;
pub use page::*;
pub use payloads::*;
pub use reach::*;
pub use repository::*;
pub use resources::*;
pub use secrets::*;
pub use storage::*;
pub use terms::*;
pub use timeline::*;
pub use top::*;
pub use waiting::WaitKind;
pub use why::*;
pub use workloads::*;

/// `POST /v1/login`.
#[derive(Clone, Debug, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "kebab-case")]
pub struct LoginRequest {
    pub user: String,
    pub password: String,
    /// What to call the token; `cli` when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Seconds until the token ends, at most 400 days; a day when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_in: Option<u64>,
}

impl LoginRequest {
    /// A login as it usually is.
    #[must_use]
    pub fn new(user: impl Into<String>, password: impl Into<String>) -> Self {
        Self {
            user: user.into(),
            password: password.into(),
            name: None,
            expires_in: None,
        }
    }
}

#[derive(Clone, Debug, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "kebab-case")]
pub struct LoginReply {
    pub user: String,
    /// Sent as `Authorization: Bearer`.
    pub token: String,
    /// By which the user's list of tokens names it.
    pub id: String,
    /// When it ends, unless it is ended before: by `DELETE /v1/session` with the token, or from the list.
    #[serde(with = "periapt_model::time::micros")]
    #[schema(value_type = String, format = DateTime)]
    pub expires_at: i64,
}

#[derive(Clone, Debug, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "kebab-case")]
pub struct ControllerInfo {
    pub uuid: ModelUuid,
    pub name: String,
    pub version: String,
    pub addresses: Vec<String>,
    /// Where it is itself, and a model that names no cloud.
    pub cloud: String,
    /// Where charms are taken from by name: the path of a directory or a URL; empty for nowhere.
    #[serde(default)]
    pub charm_repository: String,
    pub models: u64,
    #[serde(with = "periapt_model::time::micros")]
    #[schema(value_type = String, format = DateTime)]
    pub started_at: i64,
    /// `sqlite` or `postgresql`.
    pub database: String,
    pub pid: u32,
    /// How much one hook may use on this controller; left out by controllers of earlier versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hook_limits: Option<HookLimits>,
}

#[derive(Clone, Debug, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "kebab-case")]
pub struct AddModel {
    pub name: ModelName,
    #[serde(default)]
    #[schema(value_type = BTreeMap<String, ConfigValue>)]
    pub config: Values,
    /// The controller's own when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cloud: Option<String>,
    /// The cloud's first when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub region: Option<String>,
    /// One that the caller has in the cloud; one for this model alone when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub credential: Option<String>,
}

impl AddModel {
    /// A model of this name, with nothing that differs from the default.
    #[must_use]
    pub fn new(name: ModelName) -> Self {
        Self {
            name,
            config: Values::default(),
            cloud: None,
            region: None,
            credential: None,
        }
    }
}

#[derive(Clone, Debug, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "kebab-case")]
pub struct ModelSummary {
    pub uuid: ModelUuid,
    pub name: ModelName,
    /// `iaas` or `caas`.
    #[serde(rename = "type")]
    pub kind: String,
    pub cloud: String,
    pub region: String,
    pub owner: String,
    pub life: Life,
    pub status: Status<Model>,
    pub applications: u64,
    pub machines: u64,
    pub units: u64,
    #[serde(with = "periapt_model::time::micros")]
    #[schema(value_type = String, format = DateTime)]
    pub created_at: i64,
    /// What is disabled in it (`destroy-model`, `remove-object`, `all`), with why.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[schema(value_type = BTreeMap<String, String>)]
    pub blocks: BTreeMap<BlockKind, String>,
}

pub use periapt_model::options::{Setting as ConfigSetting, Settings as ConfigSettings};

/// Sets and resets in one step; all or none take effect.
#[derive(Clone, Debug, Default, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(default, rename_all = "kebab-case")]
pub struct ConfigChange {
    /// Text is read as the option's type.
    #[schema(value_type = BTreeMap<String, ConfigValue>)]
    pub set: BTreeMap<String, Value>,
    pub reset: Vec<String>,
}

#[derive(Clone, Debug, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "kebab-case")]
pub struct ApplicationConfig {
    pub application: ApplicationName,
    pub charm: String,
    pub schema: Schema,
    /// What was set, without defaults.
    #[schema(value_type = BTreeMap<String, ConfigValue>)]
    pub settings: Values,
    #[schema(value_type = BTreeMap<String, ConfigValue>)]
    pub effective: Values,
    /// Whether an operator trusts it with the cloud's credential; left out while nobody does.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub trust: bool,
}

#[derive(Clone, Debug, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "kebab-case")]
pub struct Deploy {
    pub application: ApplicationName,
    /// URL of an uploaded charm, `local:site-0`.
    pub charm: String,
    #[serde(default = "one")]
    pub units: u32,
    #[serde(default)]
    #[schema(value_type = BTreeMap<String, ConfigValue>)]
    pub config: BTreeMap<String, Value>,
    /// Machines for the units, in their order; units beyond get new ones.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub placement: Vec<MachineId>,
    /// Files that were uploaded for its resources, by name of the resource: the id of each upload.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub resources: BTreeMap<String, u64>,
    /// The channel of a charm repository that the charm was taken from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub channel: Option<String>,
    /// Trust it with the cloud's credential; an admin's word.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub trust: bool,
    /// What machines have to be like that are made for its units, `arch=amd64 mem=4G`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub constraints: String,
    /// What each unit is given of the charm's storage; what is left out is as the charm and the model say.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub storage: BTreeMap<String, Asked>,
    /// Storage that is there and that the unit, which is one alone then, is given in place of new one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schema(value_type = Vec<String>)]
    pub attach_storage: Vec<StorageId>,
    /// What is decided about what its charm declares. Whatever is not granted by default has to be; a grant is an
    /// admin's word, and `trust` grants all.
    #[serde(default, skip_serializing_if = "Choices::is_empty")]
    pub capabilities: Choices,
}

fn one() -> u32 {
    1
}

fn is_zero(number: &u32) -> bool {
    *number == 0
}

#[derive(Clone, Debug, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "kebab-case")]
pub struct ApplicationInfo {
    pub name: ApplicationName,
    pub charm: String,
    pub charm_name: String,
    pub charm_revision: u64,
    /// The channel of a charm repository that its charm was taken from; empty for none.
    #[serde(default)]
    pub channel: String,
    /// Where its channel is, `repository:site-4`, if that is a newer revision than its charm.
    #[serde(default)]
    pub can_upgrade_to: String,
    pub life: Life,
    pub exposed: bool,
    /// To whom, by endpoint; the empty name stands for all that are not named.
    #[serde(default)]
    #[schema(required = true)]
    pub exposed_endpoints: BTreeMap<String, ExposedEndpoint>,
    /// Where this machine finds it by name while it is exposed.
    #[serde(default)]
    pub url: Option<String>,
    pub status: Status<Workload>,
    pub workload_version: String,
    pub units: Vec<UnitName>,
    /// Its units come to life in the containers of others.
    #[serde(default)]
    pub subordinate: bool,
    /// Where it has fewer units, others are added by themselves; left out while there is no minimum.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub min_units: u32,
    /// Whether an operator trusts it with the cloud's credential; left out while nobody does.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub trust: bool,
    /// What machines have to be like that are made for its units, `arch=amd64 mem=4096M`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub constraints: String,
    /// Another revision of its charm that waits until somebody grants what it needs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub held: Option<HeldRevision>,
    /// What its removal still waits for, in words.
    #[serde(default)]
    pub waiting_for: Vec<String>,
}

#[derive(Clone, Debug, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "kebab-case")]
pub struct Refresh {
    pub charm: String,
    /// Options that are set in the same step, as the new charm reads them; the others stay.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[schema(value_type = BTreeMap<String, ConfigValue>)]
    pub config: BTreeMap<String, Value>,
    /// Units in error are changed too. With the charm that the application has already, those that
    /// wait in error with an earlier one.
    #[serde(default)]
    pub force_units: bool,
    /// Files that were uploaded for its resources, by name of the resource: the id of each upload.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub resources: BTreeMap<String, u64>,
    /// What units are given of the charm's storage from now on, by its name; what is left out stays as it was. Units that are
    /// there are given what the new charm needs and the old one did not.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub storage: BTreeMap<String, Asked>,
    /// The channel of a charm repository that the charm was taken from, empty for none; as it was when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub channel: Option<String>,
    /// What is decided about what the new charm declares; a grant is an admin's word. While something is left to be
    /// decided that the old charm did not need, the application keeps the old one, and says what it waits for.
    #[serde(default, skip_serializing_if = "Choices::is_empty")]
    pub capabilities: Choices,
}

/// An application whose charm has a newer revision.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "kebab-case")]
pub struct CharmUpgrade {
    pub application: ApplicationName,
    /// The charm that it has, `local:site-0`.
    pub charm: String,
    /// The newer one, `repository:site-4`.
    pub can_upgrade_to: String,
}

#[derive(Clone, Debug, Serialize, Deserialize, utoipa::ToSchema)]
pub struct AddUnits {
    pub count: u32,
    /// Machines for the units, in their order; units beyond get new ones.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub placement: Vec<MachineId>,
    /// Storage that is there and that the unit, which is one alone then, is given in place of new one.
    #[serde(
        default,
        rename = "attach-storage",
        skip_serializing_if = "Vec::is_empty"
    )]
    #[schema(value_type = Vec<String>)]
    pub attach_storage: Vec<StorageId>,
}

#[derive(Clone, Debug, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "kebab-case")]
pub struct UnitInfo {
    pub name: UnitName,
    pub application: ApplicationName,
    pub charm: String,
    pub life: Life,
    pub machine: Option<MachineId>,
    pub leader: bool,
    pub workload: Status<Workload>,
    pub agent: Status<Agent>,
    pub opened_ports: Vec<String>,
    /// Its own once its ports are reached from outside, else its machine's.
    pub public_address: Option<String>,
    /// Where those listen that are reached from outside.
    #[serde(default)]
    #[schema(required = true)]
    pub listening: Vec<ListeningPort>,
    pub workload_version: String,
    /// Against its quotas; none while it is green.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub meter_status: Option<MeterStatus>,
    /// Hook runs and removal steps still waited for, in words.
    #[serde(default)]
    pub waiting_for: Vec<String>,
    /// The unit in whose container it lives; only of a subordinate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub principal: Option<UnitName>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub subordinates: Vec<UnitName>,
    /// Its relations with all settings; left out of lists.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub relations: Vec<UnitRelation>,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "kebab-case")]
pub struct Removal {
    pub units: Vec<UnitName>,
    pub machines: Vec<MachineId>,
    /// What goes with them, with what is in it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schema(value_type = Vec<String>)]
    pub destroyed_storage: Vec<StorageId>,
    /// What they let go of and what stays.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schema(value_type = Vec<String>)]
    pub detached_storage: Vec<StorageId>,
}

#[derive(Clone, Debug, Serialize, Deserialize, utoipa::ToSchema)]
pub struct ResolveRequest {
    #[serde(default)]
    pub retry: bool,
}

/// A line of `show-status-log`.
#[derive(Clone, Debug, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "kebab-case")]
pub struct HistoryEntry {
    pub id: i64,
    #[serde(with = "periapt_model::time::micros")]
    #[schema(value_type = String, format = DateTime)]
    pub time: i64,
    /// `workload`, `juju-unit`, `application`, `machine`, `juju-machine`.
    pub kind: String,
    pub status: String,
    pub message: String,
}

/// Query of `debug-log`.
#[derive(Clone, Debug, Default, Serialize, Deserialize, utoipa::ToSchema, utoipa::IntoParams)]
#[serde(default, rename_all = "kebab-case")]
#[into_params(parameter_in = Query)]
pub struct LogQuery {
    /// Entities (tags or names, `*` at the end allowed), comma separated.
    pub include: Option<String>,
    pub exclude: Option<String>,
    /// Modules with those below them (`workload` has `workload.web.site`), comma separated.
    pub include_module: Option<String>,
    pub exclude_module: Option<String>,
    /// Lowest level shown.
    pub level: Option<String>,
    /// RFC 3339: no line that was written before.
    pub from: Option<String>,
    /// RFC 3339: no line that was written after.
    pub to: Option<String>,
    /// From the first line on.
    pub replay: bool,
    /// Lines of the past to begin with (default 10).
    pub tail: Option<u64>,
    /// End after this many lines.
    pub limit: Option<u64>,
    pub follow: bool,
}

/// A worker of the catalogue, here and now.
#[derive(Clone, Debug, Default, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "kebab-case")]
pub struct WorkerRow {
    /// Juju's name.
    pub worker: String,
    /// `controller`, `model`, `machine`, `unit`, `library` or `kubernetes`.
    pub agent: String,
    /// `running`, `resting`, `uninstalled`, `library` or `not built`.
    pub state: String,
    /// What it rests on, or why it is not there.
    pub reason: String,
    pub running: u64,
    pub start_count: u64,
    /// What the worker promises here, where that is not what Juju's promises.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub sentence: String,
    /// Names of the tests that hold it to its promise.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tests: Vec<String>,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(default, rename_all = "kebab-case")]
pub struct StopRequest {
    /// Stop the agents too, for `destroy-controller`.
    pub agents: bool,
}

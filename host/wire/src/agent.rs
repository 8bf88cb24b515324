//! The facades that agents call, one module each, named as in Juju where Juju has one.
//!
//! An agent may name only entities it is responsible for: the controller's own agents any
//! entity of their model, the agent of a model's machines the machines it hosts and the units
//! on them. Times are microseconds since the epoch (UTC), durations milliseconds.

use periapt_model::config::Values;
use periapt_model::hook::Limits;
use periapt_model::status::{Agent, Machine, Model, Status, Workload};
use periapt_model::{
    AgentName, ApplicationName, Life, MachineId, ModelName, ModelUuid, Tag, UnitName,
};
use serde::{Deserialize, Serialize};

use crate::rpc::{Empty, Watch};

pub mod uniter;

/// Login of agents and people on a websocket (`Admin` version 3).
pub mod admin {
    use super::*;

    #[derive(Clone, Debug, Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub struct Login {
        #[serde(default)]
        pub auth_tag: Option<String>,
        /// Password of an agent or person, or a bearer token of a person.
        #[serde(default)]
        pub credentials: Option<String>,
        #[serde(default)]
        pub client_version: Option<String>,
    }

    #[derive(Clone, Debug, Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub struct LoginResult {
        pub controller_tag: Tag,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub model_tag: Option<Tag>,
        pub server_version: String,
    }

    impl crate::Call for Login {
        const FACADE: &'static str = "Admin";
        const VERSION: u32 = 3;
        const METHOD: &'static str = "Login";
        type Reply = LoginResult;
    }
}

pub mod pinger {
    use super::*;
    crate::facade! { "Pinger" {
        Ping as Ping {} -> Empty;
    } }
}

/// Life of one entity, for the life flag.
pub mod life_flag {
    use super::*;
    crate::facade! { "LifeFlag" {
        /// None when the entity is gone.
        Life as GetLife { entity: Tag } -> Option<Life>;
        Watch as WatchLife { entity: Tag } -> Watch;
    } }
}

/// The lease that lets one controller act for a model (`singular-controller` namespace).
pub mod singular {
    use super::*;
    crate::facade! { "Singular" {
        /// Claims or extends; error code `leadership claim denied` when another holds it.
        Claim as Claim { entity: Tag, claimant: String, duration_ms: u64 } -> Empty;
        /// Returns when the lease is free.
        Wait as Wait { entity: Tag } -> Empty;
    } }
}

/// Models of this controller, for the model worker manager.
pub mod models {
    use super::*;

    #[derive(Clone, Debug, Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub struct ModelInfo {
        pub uuid: ModelUuid,
        pub name: ModelName,
        pub life: Life,
        /// Whose provider gives its machines.
        pub cloud_type: String,
    }

    crate::facade! { "ModelManager" {
        /// Changes name models by UUID, the first event all of them.
        WatchModels as WatchModels {} -> Watch;
        ModelInfo as GetModel { model: ModelUuid } -> Option<ModelInfo>;
    } }
}

/// Configuration of the connection's model.
pub mod model_config {
    use super::*;
    crate::facade! { "ModelConfig" {
        /// Effective values, all keys.
        ModelConfig as GetModelConfig {} -> Values;
        WatchForModelConfigChanges as WatchModelConfig {} -> Watch;
    } }
}

pub mod log_sink {
    use super::*;

    /// A line of `debug-log`.
    #[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub struct LogRecord {
        pub time: i64,
        pub entity: Tag,
        /// `TRACE DEBUG INFO WARNING ERROR`.
        pub level: String,
        pub module: String,
        pub message: String,
    }

    crate::facade! { "LogSink" {
        Write as WriteLogs { records: Vec<LogRecord> } -> Empty;
    } }
}

/// Lines of the model's log for a place outside, and how far that place has them.
pub mod log_forwarding {
    use super::log_sink::LogRecord;
    use super::*;

    /// Lines in their order.
    #[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub struct LogLines {
        pub records: Vec<LogRecord>,
        /// Where to go on reading.
        pub position: i64,
        /// Whether this is all there is by now.
        pub complete: bool,
    }

    /// Where the model's log is to go, with all it takes to get there: the one answer that holds
    /// a private key.
    #[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub struct Destination {
        /// `syslog-host` as it was set.
        pub host: String,
        /// Whether the model may name this host: set by a superuser, or one that the controller
        /// lists.
        pub allowed: bool,
        pub authority: String,
        pub certificate: String,
        pub key: String,
    }

    /// Without the key, which is not for logs.
    impl std::fmt::Debug for Destination {
        fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.debug_struct("Destination")
                .field("host", &self.host)
                .field("allowed", &self.allowed)
                .finish_non_exhaustive()
        }
    }

    crate::facade! { "LogForwarding" {
        /// None while forwarding is off.
        Destination as GetDestination {} -> Option<Destination>;
        /// Position of the last line that `sink` was sent.
        GetLastSent as GetLastSent { sink: String } -> Option<i64>;
        SetLastSent as SetLastSent { sink: String, position: i64 } -> Empty;
        /// At most `limit` lines after a position, or else the last `tail` lines of the past.
        Lines as GetLogLines { after: Option<i64>, tail: u64, limit: u64 } -> LogLines;
        WatchLines as WatchLogLines {} -> Watch;
    } }
}

pub mod unit_assigner {
    use super::*;

    /// Why a unit was not assigned; none when it was.
    #[derive(Clone, Debug, Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub struct Assigned {
        pub unit: UnitName,
        pub error: Option<String>,
    }

    crate::facade! { "UnitAssigner" {
        /// Changes name units with a staged assignment.
        WatchUnitAssignments as WatchUnitAssignments {} -> Watch;
        /// Binds each to a machine, made where needed. The staged row goes only on success.
        AssignUnits as AssignUnits { units: Vec<UnitName> } -> Vec<Assigned>;
        SetAgentStatus as SetAgentStatus { unit: UnitName, status: Status<Agent> } -> Empty;
    } }
}

pub mod provisioner {
    use super::*;

    #[derive(Clone, Debug, Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub struct MachineInfo {
        pub machine: MachineId,
        pub life: Life,
        /// None until provisioned.
        pub instance_id: Option<String>,
        pub instance_status: Status<Machine>,
    }

    crate::facade! { "Provisioner" {
        WatchModelMachines as WatchMachines {} -> Watch;
        /// Machines asked for that still exist; all of them for an empty list.
        Machines as GetMachines { machines: Vec<MachineId> } -> Vec<MachineInfo>;
        /// Makes or replaces the password of an agent.
        AgentCredential as MakeAgentCredential { agent: AgentName } -> AgentCredential;
        /// `agent` is the one that hosts the machine.
        SetInstanceInfo as SetInstanceInfo { machine: MachineId, agent: AgentName, instance_id: String, addresses: Vec<String>, hardware: String } -> Empty;
        SetInstanceStatus as SetInstanceStatus { machine: MachineId, status: Status<Machine> } -> Empty;
        /// Of a dying machine that was never provisioned.
        EnsureDead as EnsureMachineDead { machine: MachineId } -> Empty;
        /// Of a dead machine whose instance is stopped.
        MarkMachinesForRemoval as MarkMachineForRemoval { machine: MachineId } -> Empty;
    } }

    #[derive(Clone, Debug, Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub struct AgentCredential {
        pub tag: Tag,
        pub password: String,
    }
}

pub mod machine_undertaker {
    use super::*;
    crate::facade! { "MachineUndertaker" {
        WatchMachineRemovals as WatchMachineRemovals {} -> Watch;
        AllMachineRemovals as AllMachineRemovals {} -> Vec<MachineId>;
        CompleteMachineRemovals as CompleteMachineRemoval { machine: MachineId } -> Empty;
    } }
}

pub mod charm_downloader {
    use super::*;
    crate::facade! { "CharmDownloader" {
        /// Changes name applications whose charm is recorded but not ready to run here.
        WatchApplicationsWithPendingCharms as WatchPendingCharms {} -> Watch;
        /// Checks and compiles the application's charm for this controller's engine.
        DownloadApplicationCharm as DownloadCharm { application: ApplicationName } -> Empty;
        SetApplicationStatus as SetApplicationError { application: ApplicationName, message: String } -> Empty;
    } }
}

pub mod cleaner {
    use super::*;
    crate::facade! { "Cleaner" {
        WatchCleanups as WatchCleanups {} -> Watch;
        /// Runs the due clean-ups in order; a failing one stays and does not stop later ones.
        /// Replies with how many remain and when the next is due.
        Cleanup as Cleanup {} -> CleanupReport;
    } }

    #[derive(Clone, Debug, Default, Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub struct CleanupReport {
        pub remaining: u64,
        pub next_due: Option<i64>,
        pub errors: Vec<String>,
    }
}

pub mod undertaker {
    use super::*;

    #[derive(Clone, Debug, Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub struct UndertakerModel {
        pub uuid: ModelUuid,
        pub name: ModelName,
        pub life: Life,
        pub force: bool,
        /// Milliseconds each phase may take when forced; none means no bound.
        pub timeout_ms: Option<u64>,
        pub applications: u64,
        pub machines: u64,
        pub units: u64,
        /// Milliseconds that the end of the environment may take when no other bound is given.
        pub deadline_ms: Option<u64>,
        /// When the last of what is still there goes by force, microseconds UTC.
        pub forced_from: Option<i64>,
    }

    crate::facade! { "Undertaker" {
        ModelInfo as GetUndertakerModel {} -> Option<UndertakerModel>;
        /// Makes an empty dying model dead; error code `model not empty` otherwise.
        ProcessDyingModel as ProcessDyingModel {} -> Empty;
        RemoveModel as RemoveModel {} -> Empty;
        SetStatus as SetModelStatus { status: Status<Model> } -> Empty;
        WatchModelResources as WatchModelResources {} -> Watch;
    } }
}

/// Whether the model's provider may make instances.
pub mod credential_validator {
    use super::*;
    use crate::rest::ModelCredential;
    crate::facade! { "CredentialValidator" {
        ModelCredential as GetModelCredential {} -> ModelCredential;
        WatchModelCredential as WatchModelCredential {} -> Watch;
        /// Of a worker whose provider was refused.
        InvalidateModelCredential as InvalidateModelCredential { reason: String } -> Empty;
    } }
}

/// What the provider keeps for a model, and how far its upgrade has come.
pub mod model_upgrader {
    use super::*;
    crate::facade! { "ModelUpgrader" {
        ModelEnvironVersion as GetEnvironVersion {} -> u32;
        SetModelEnvironVersion as SetEnvironVersion { version: u32 } -> Empty;
    } }
}

pub mod status_history {
    crate::facade! { "StatusHistory" {
        /// Replies with the number of rows that went. Current statuses stay.
        Prune as PruneStatusHistory { max_age_ms: u64, max_size_mb: u64 } -> u64;
    } }
}

/// The machines an agent process hosts.
pub mod host {
    use super::*;
    crate::facade! { "AgentHost" {
        /// Changes name machines hosted by the caller.
        WatchMachines as WatchHostedMachines {} -> Watch;
        Machines as HostedMachines {} -> Vec<MachineId>;
        /// Identity of the connection's model.
        Model as HostModel {} -> HostedModel;
        /// Which of these units the model does not have, or not any more.
        GoneUnits as GoneUnits { units: Vec<UnitName> } -> Vec<UnitName>;
        /// Fires when the controller's addresses, which `Model` tells, change.
        WatchApiAddresses as WatchApiAddresses {} -> Watch;
        /// Fires when somebody asks which workers run; the host answers with `PutReport`.
        WatchReportRequests as WatchReportRequests {} -> Watch;
        PutReport as PutReport { rows: Vec<crate::rest::WorkerRow> } -> Empty;
        /// Fires when somebody wants to look into the process; the host answers with
        /// `PutIntrospection`.
        WatchIntrospectionRequests as WatchIntrospectionRequests {} -> Watch;
        PutIntrospection as PutIntrospection { introspection: crate::rest::AgentIntrospection } -> Empty;
    } }

    #[derive(Clone, Debug, Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub struct HostedModel {
        pub uuid: ModelUuid,
        pub name: ModelName,
        pub controller_uuid: ModelUuid,
        pub api_addresses: Vec<String>,
        pub limits: Limits,
    }
}

pub mod machiner {
    use super::*;
    crate::facade! { "Machiner" {
        Life as MachineLife { machine: MachineId } -> Option<Life>;
        Watch as WatchMachine { machine: MachineId } -> Watch;
        SetStatus as SetMachineStatus { machine: MachineId, status: Status<Machine> } -> Empty;
        SetMachineAddresses as SetMachineAddresses { machine: MachineId, addresses: Vec<String> } -> Empty;
        /// Error code `machine has assigned units` while units remain.
        EnsureDead as EnsureMachinerDead { machine: MachineId } -> Empty;
    } }
}

pub mod deployer {
    use super::*;

    #[derive(Clone, Debug, Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub struct DeployedUnit {
        pub unit: UnitName,
        pub life: Life,
        /// A person stopped its agent.
        #[serde(default)]
        pub stopped: bool,
    }

    crate::facade! { "Deployer" {
        /// Changes name units of the machine, subordinates included.
        WatchUnits as WatchMachineUnits { machine: MachineId } -> Watch;
        Units as MachineUnits { machine: MachineId } -> Vec<DeployedUnit>;
        SetStatus as SetDeployStatus { unit: UnitName, workload: Status<Workload>, agent: Status<Agent> } -> Empty;
        /// The agent of a unit is stopped, as a person wants it.
        SetStopped as SetUnitStopped { unit: UnitName } -> Empty;
        /// Of a dead unit, or of a dying one that was never deployed.
        Remove as RemoveUnit { unit: UnitName } -> Empty;
    } }
}

pub mod leadership {
    use super::*;
    crate::facade! { "LeadershipService" {
        /// Error code `leadership claim denied` when another unit leads.
        ClaimLeadership as ClaimLeadership { unit: UnitName, duration_ms: u64 } -> Empty;
        /// Returns when the application has no leader.
        BlockUntilLeadershipReleased as BlockUntilLeadershipReleased { application: ApplicationName } -> Empty;
    } }
}

pub mod retry_strategy {
    use super::*;

    #[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub struct RetryStrategy {
        pub should_retry: bool,
        pub min_retry_ms: u64,
        pub max_retry_ms: u64,
        pub jitter: bool,
        pub factor: u32,
    }

    crate::facade! { "RetryStrategy" {
        RetryStrategy as GetRetryStrategy {} -> RetryStrategy;
        WatchRetryStrategy as WatchRetryStrategy {} -> Watch;
    } }
}

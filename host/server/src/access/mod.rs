//! The one place that says who may do what: a row per facade method, a row per HTTP route.
//!
//! A call or route without a row is refused, so a new handler is shut until somebody thinks
//! about it here. Rows name roles and, for calls, the parameter that names the entity; the
//! check that an agent hosts that entity is [`crate::rpc::session`]'s, with the store's help. What
//! people have been given is the store's to know and [`decide`]'s to ask.

use crate::identity::Role;

mod decide;
mod routes;
#[cfg(test)]
mod tests;

pub(crate) use decide::{Named, Refusal, decide};
pub use routes::{ROUTES, Route, Visitor, route};

/// Which entity a call is about, and so what an agent must host to make it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subject {
    /// The connection's model, or nothing.
    Model,
    /// The unit in `unit`.
    Unit,
    /// The machine in `machine`.
    Machine,
    /// The tag in `entity`.
    Entity,
    /// The tags in `records`.
    Records,
}

/// What a call does to the world.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    Read,
    /// Changes the model: audited.
    Write,
    /// Changes only what is shown about agents: not audited, there is a lot of it.
    Tell,
    /// Makes a watcher.
    Watch,
    /// Waits for somebody else; does not count against the running calls of a connection and is
    /// ended with `stopped` when the connection closes.
    Wait,
}

/// A row about a facade method.
#[derive(Clone, Copy, Debug)]
pub struct Rule {
    pub facade: &'static str,
    pub method: &'static str,
    pub roles: &'static [Role],
    pub subject: Subject,
    pub effect: Effect,
}

impl Rule {
    /// Whether others than the controller's own agents may call it while the controller is being
    /// upgraded: what neither reads nor changes what the steps work on.
    #[must_use]
    pub fn during_upgrade(&self) -> bool {
        self.facade == "Pinger"
    }
}

/// The row of a method.
pub fn rule(facade: &str, method: &str) -> Option<&'static Rule> {
    CALLS
        .iter()
        .find(|rule| rule.facade == facade && rule.method == method)
}

const ALL: &[Role] = &[Role::User, Role::Agent, Role::Controller];
/// The agent about what it hosts, the controller's agents about anything in their model.
const AGENTS: &[Role] = &[Role::Agent, Role::Controller];
const HOST: &[Role] = &[Role::Agent];
const CONTROLLER: &[Role] = &[Role::Controller];

const fn row(
    facade: &'static str,
    method: &'static str,
    roles: &'static [Role],
    subject: Subject,
    effect: Effect,
) -> Rule {
    Rule {
        facade,
        method,
        roles,
        subject,
        effect,
    }
}

use Effect::{Read, Tell, Wait, Watch, Write};
use Subject::{Entity, Machine, Model, Records, Unit};

/// Facade methods.
#[rustfmt::skip]
pub static CALLS: &[Rule] = &[
    row("Pinger", "Ping", ALL, Model, Read),

    row("LifeFlag", "Life", AGENTS, Entity, Read),
    row("LifeFlag", "Watch", AGENTS, Entity, Watch),

    row("Singular", "Claim", CONTROLLER, Entity, Tell),
    row("Singular", "Wait", CONTROLLER, Entity, Wait),

    row("ModelManager", "WatchModels", CONTROLLER, Model, Watch),
    row("ModelManager", "ModelInfo", CONTROLLER, Model, Read),

    row("ModelConfig", "ModelConfig", AGENTS, Model, Read),
    row("ModelConfig", "WatchForModelConfigChanges", AGENTS, Model, Watch),

    row("LogSink", "Write", AGENTS, Records, Tell),

    row("LogForwarding", "Destination", CONTROLLER, Model, Read),
    row("LogForwarding", "GetLastSent", CONTROLLER, Model, Read),
    row("LogForwarding", "SetLastSent", CONTROLLER, Model, Tell),
    row("LogForwarding", "Lines", CONTROLLER, Model, Read),
    row("LogForwarding", "WatchLines", CONTROLLER, Model, Watch),

    row("UnitAssigner", "WatchUnitAssignments", CONTROLLER, Model, Watch),
    row("UnitAssigner", "AssignUnits", CONTROLLER, Model, Write),
    row("UnitAssigner", "SetAgentStatus", CONTROLLER, Unit, Write),

    row("Provisioner", "WatchModelMachines", CONTROLLER, Model, Watch),
    row("Provisioner", "Machines", CONTROLLER, Model, Read),
    row("Provisioner", "AgentCredential", CONTROLLER, Model, Write),
    row("Provisioner", "SetInstanceInfo", CONTROLLER, Machine, Write),
    row("Provisioner", "SetInstanceStatus", CONTROLLER, Machine, Write),
    row("Provisioner", "EnsureDead", CONTROLLER, Machine, Write),
    row("Provisioner", "MarkMachinesForRemoval", CONTROLLER, Machine, Write),

    row("MachineUndertaker", "WatchMachineRemovals", CONTROLLER, Model, Watch),
    row("MachineUndertaker", "AllMachineRemovals", CONTROLLER, Model, Read),
    row("MachineUndertaker", "CompleteMachineRemovals", CONTROLLER, Machine, Write),

    row("CharmDownloader", "WatchApplicationsWithPendingCharms", CONTROLLER, Model, Watch),
    row("CharmDownloader", "DownloadApplicationCharm", CONTROLLER, Model, Write),
    row("CharmDownloader", "SetApplicationStatus", CONTROLLER, Model, Write),

    row("Cleaner", "WatchCleanups", CONTROLLER, Model, Watch),
    row("Cleaner", "Cleanup", CONTROLLER, Model, Write),

    row("Undertaker", "ModelInfo", CONTROLLER, Model, Read),
    row("Undertaker", "ProcessDyingModel", CONTROLLER, Model, Write),
    row("Undertaker", "RemoveModel", CONTROLLER, Model, Write),
    row("Undertaker", "SetStatus", CONTROLLER, Model, Write),
    row("Undertaker", "WatchModelResources", CONTROLLER, Model, Watch),

    row("CredentialValidator", "ModelCredential", CONTROLLER, Model, Read),
    row("CredentialValidator", "WatchModelCredential", CONTROLLER, Model, Watch),
    row("CredentialValidator", "InvalidateModelCredential", CONTROLLER, Model, Write),

    row("ModelUpgrader", "ModelEnvironVersion", CONTROLLER, Model, Read),
    row("ModelUpgrader", "SetModelEnvironVersion", CONTROLLER, Model, Write),

    row("StatusHistory", "Prune", CONTROLLER, Model, Write),

    row("AgentHost", "WatchMachines", HOST, Model, Watch),
    row("AgentHost", "Machines", HOST, Model, Read),
    row("AgentHost", "Model", HOST, Model, Read),
    row("AgentHost", "GoneUnits", HOST, Model, Read),
    row("AgentHost", "WatchApiAddresses", HOST, Model, Watch),
    row("AgentHost", "WatchReportRequests", HOST, Model, Watch),
    row("AgentHost", "PutReport", HOST, Model, Tell),
    row("AgentHost", "WatchIntrospectionRequests", HOST, Model, Watch),
    row("AgentHost", "PutIntrospection", HOST, Model, Tell),

    row("Machiner", "Life", AGENTS, Machine, Read),
    row("Machiner", "Watch", AGENTS, Machine, Watch),
    row("Machiner", "SetStatus", AGENTS, Machine, Write),
    row("Machiner", "SetMachineAddresses", AGENTS, Machine, Write),
    row("Machiner", "EnsureDead", AGENTS, Machine, Write),

    row("Deployer", "WatchUnits", AGENTS, Machine, Watch),
    row("Deployer", "Units", AGENTS, Machine, Read),
    row("Deployer", "SetStatus", AGENTS, Unit, Write),
    row("Deployer", "SetStopped", AGENTS, Unit, Write),
    row("Deployer", "Remove", AGENTS, Unit, Write),

    row("LeadershipService", "ClaimLeadership", AGENTS, Unit, Tell),
    row("LeadershipService", "BlockUntilLeadershipReleased", AGENTS, Model, Wait),

    row("RetryStrategy", "RetryStrategy", AGENTS, Model, Read),
    row("RetryStrategy", "WatchRetryStrategy", AGENTS, Model, Watch),

    row("Uniter", "Watch", AGENTS, Unit, Watch),
    row("Uniter", "RemoteState", AGENTS, Unit, Read),
    row("Uniter", "State", AGENTS, Unit, Read),
    row("Uniter", "SetState", AGENTS, Unit, Write),
    row("Uniter", "BeginHook", AGENTS, Unit, Write),
    row("Uniter", "CommitHook", AGENTS, Unit, Write),
    row("Uniter", "FailHook", AGENTS, Unit, Write),
    row("Uniter", "ApplicationStatus", AGENTS, Unit, Read),
    row("Uniter", "SetAgentStatus", AGENTS, Unit, Write),
    row("Uniter", "SetUnitStatus", AGENTS, Unit, Write),
    row("Uniter", "ReadRelationSettings", AGENTS, Unit, Read),
    row("Uniter", "LeaderSettings", AGENTS, Unit, Read),
    row("Uniter", "GoalState", AGENTS, Unit, Read),
    row("Uniter", "SetApplicationStatus", AGENTS, Unit, Write),
    row("Uniter", "SetWorkloadVersion", AGENTS, Unit, Write),
    row("Uniter", "EnsureDead", AGENTS, Unit, Write),
    row("Uniter", "Charm", AGENTS, Model, Read),
];

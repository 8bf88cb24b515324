//! The machines an agent process hosts.

use periapt_model::hook::Limits;
use periapt_model::{MachineId, ModelName, ModelUuid, UnitName};
use serde::{Deserialize, Serialize};

use crate::rpc::{Empty, Watch};

crate::facade! { "periapt.AgentHost" 1 for AgentOfModel {
    /// Changes name machines hosted by the caller.
    [Watch] WatchMachines as WatchHostedMachines {} -> Watch;
    /// Those of these machines that the caller hosts.
    [Read] Machines as HostedMachines { machines: Vec<MachineId> } -> Vec<MachineId>;
    /// Identity of the connection's model.
    [Read] Model as HostModel {} -> HostedModel;
    /// Which of these units the model does not have, or not any more.
    [Read] GoneUnits as GoneUnits { units: Vec<UnitName> } -> Vec<UnitName>;
    /// Fires when the controller's addresses, which `Model` tells, change.
    [Watch] WatchApiAddresses as WatchApiAddresses {} -> Watch;
    /// Fires when somebody asks which workers run; the host answers with `PutReport`.
    [Watch] WatchReportRequests as WatchReportRequests {} -> Watch;
    [Tell] PutReport as PutReport { rows: Vec<crate::rest::WorkerRow> } -> Empty;
    /// Fires when somebody wants to look into the process; the host answers with
    /// `PutIntrospection`.
    [Watch] WatchIntrospectionRequests as WatchIntrospectionRequests {} -> Watch;
    /// A password that the agent made itself. The present one counts until this one has been used.
    [Write] ChangePassword as ChangePassword { present_password: String, password: String } -> Empty;
    [Tell] PutIntrospection as PutIntrospection { introspection: crate::rest::AgentIntrospection } -> Empty;
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

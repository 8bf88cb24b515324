//! Machines and the instances that stand for them.

use std::collections::BTreeMap;

use periapt_model::status::{Machine, Status};
use periapt_model::{AgentName, Life, MachineId, Tag};
use serde::{Deserialize, Serialize};

use crate::rpc::{Empty, Watch};

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct MachineInfo {
    pub machine: MachineId,
    pub life: Life,
    /// None until provisioned.
    pub instance_id: Option<String>,
    pub instance_status: Status<Machine>,
    /// What its agent says of it.
    pub agent_status: Option<Status<Machine>>,
    pub addresses: Vec<String>,
}

crate::facade! { "periapt.Provisioner" 1 for Controller {
    [Watch] WatchModelMachines as WatchMachines {} -> Watch;
    /// Machines asked for that still exist; all of them for an empty list.
    [Read] Machines as GetMachines { machines: Vec<MachineId> } -> Vec<MachineInfo>;
    /// Makes or replaces the password of an agent.
    [Write] AgentCredential as MakeAgentCredential { agent: AgentName } -> AgentCredential;
    /// `agent` is the one that hosts the machine.
    [Write] SetInstanceInfo as SetInstanceInfo { machine: MachineId, agent: AgentName, instance_id: String, addresses: Vec<String>, hardware: String } -> Empty;
    /// All of them in one transaction. Of a machine that is gone nothing is kept.
    [Write] SetInstanceStatus as SetInstanceStatuses { statuses: BTreeMap<MachineId, Status<Machine>> } -> Empty;
    /// Of a dying machine that was never provisioned.
    [Write] EnsureDead as EnsureMachineDead { machine: MachineId } -> Empty;
    /// Of a dead machine whose instance is stopped.
    [Write] MarkMachinesForRemoval as MarkMachineForRemoval { machine: MachineId } -> Empty;
} }

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct AgentCredential {
    pub tag: Tag,
    pub password: String,
}

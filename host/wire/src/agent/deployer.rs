//! The units of one machine.

use periapt_model::status::{Agent, Status, Workload};
use periapt_model::{Life, MachineId, UnitName};
use serde::{Deserialize, Serialize};

use crate::rpc::{Empty, Watch};

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct DeployedUnit {
    pub unit: UnitName,
    pub life: Life,
    /// A person stopped its agent.
    #[serde(default)]
    pub stopped: bool,
}

crate::facade! { "periapt.Deployer" 1 for Agents {
    /// Changes name units of the machine, subordinates included.
    [Watch] WatchUnits as WatchMachineUnits { machine: MachineId } -> Watch;
    [Read] Units as MachineUnits { machine: MachineId } -> Vec<DeployedUnit>;
    [Write] SetStatus as SetDeployStatus { unit: UnitName, workload: Status<Workload>, agent: Status<Agent> } -> Empty;
    /// The agent of a unit is stopped, as a person wants it.
    [Write] SetStopped as SetUnitStopped { unit: UnitName } -> Empty;
    /// Of a dead unit, or of a dying one that was never deployed.
    [Write] Remove as RemoveUnit { unit: UnitName } -> Empty;
} }

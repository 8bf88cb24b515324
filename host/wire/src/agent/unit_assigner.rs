//! Units that wait for a machine.

use periapt_model::UnitName;
use periapt_model::status::{Agent, Status};
use serde::{Deserialize, Serialize};

use crate::rpc::{Empty, Watch};

/// Why a unit was not assigned; none when it was.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Assigned {
    pub unit: UnitName,
    pub error: Option<String>,
}

crate::facade! { "periapt.UnitAssigner" 1 for Controller {
    /// Changes name units with a staged assignment.
    [Watch] WatchUnitAssignments as WatchUnitAssignments {} -> Watch;
    /// Binds each to a machine, made where needed. The staged row goes only on success.
    [Write] AssignUnits as AssignUnits { units: Vec<UnitName> } -> Vec<Assigned>;
    [Write] SetAgentStatus as SetAgentStatus { unit: UnitName, status: Status<Agent> } -> Empty;
} }

//! What providers say of the instances of a model's machines, as it changes.

use periapt_model::MachineId;
use periapt_model::status::{Machine, Status};
use serde::{Deserialize, Serialize};

use crate::rpc::Empty;

/// An instance as its provider sees it now.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct InstanceSeen {
    pub machine: MachineId,
    /// The one that was asked about. A machine that has another by now is left as it is.
    pub instance_id: String,
    /// None for one that stays as it is.
    pub status: Option<Status<Machine>>,
    pub addresses: Vec<String>,
}

crate::facade! { "periapt.InstancePoller" 1 for Controller {
    /// All of it is recorded at once; what is known already changes nothing.
    [Write] SetInstancesSeen as SetInstancesSeen { instances: Vec<InstanceSeen> } -> Empty;
} }

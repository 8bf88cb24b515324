//! What runs in the containers of units, for the agent that hosts them.

use std::collections::BTreeMap;

use periapt_model::UnitName;
use periapt_model::workload::desired::Seen;

use crate::rpc::Empty;

crate::facade! { "periapt.Workloads" 1 for Agents {
    /// Services and checks by container, as the supervisor sees them.
    [Write] SetSeen as SetContainersSeen { unit: UnitName, containers: BTreeMap<String, Seen> } -> Empty;
} }

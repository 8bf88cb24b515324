//! What runs in the containers of units, for the agent that hosts them.

use std::collections::BTreeMap;

use periapt_model::workload::desired::Seen;
use periapt_model::workload::trace::Span;
use periapt_model::workload::traffic::Requests;
use periapt_model::{Tag, UnitName};
use serde::{Deserialize, Serialize};

use crate::rpc::Empty;

/// The requests of a unit, counted from `begun` on, by `CONTAINER/SERVICE`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct UnitRequests {
    /// The unit.
    pub entity: Tag,
    /// Another number than before: the counters began anew.
    pub begun: u64,
    pub services: BTreeMap<String, Requests>,
}

/// A part of a request to a unit that was traced.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct UnitSpan {
    /// The unit.
    pub entity: Tag,
    pub span: Span,
}

crate::facade! { "periapt.Workloads" 1 for Agents {
    /// Services and checks by container, as the supervisor sees them.
    [Write] SetSeen as SetContainersSeen { unit: UnitName, containers: BTreeMap<String, Seen> } -> Empty;
    /// How many requests services have answered. What was told before is not counted again.
    [Tell] CountRequests as CountRequests { records: Vec<UnitRequests> } -> Empty;
    /// What single requests went through, for the controller's collector.
    [Tell] ReportSpans as ReportSpans { records: Vec<UnitSpan> } -> Empty;
} }

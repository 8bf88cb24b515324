//! The processes that together are one controller.

use serde::{Deserialize, Serialize};

/// A process of the controller.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "kebab-case")]
pub struct ControllerNode {
    /// 0 is the one that was bootstrapped.
    pub node: u32,
    /// `host:port`; empty until it first served.
    pub address: String,
    pub state: NodeState,
    /// Its last sign of life; 1970 until it first served.
    #[serde(with = "periapt_model::time::micros")]
    #[schema(value_type = String, format = DateTime)]
    pub seen_at: i64,
    /// It gives this answer.
    pub answers: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum NodeState {
    Running,
    /// No sign of life for half a minute.
    Lost,
    /// It joined and has not served yet.
    New,
}

impl NodeState {
    pub fn as_str(self) -> &'static str {
        match self {
            NodeState::Running => "running",
            NodeState::Lost => "lost",
            NodeState::New => "new",
        }
    }
}

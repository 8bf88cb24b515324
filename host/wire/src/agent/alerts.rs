//! What the controller's worker asks about alerts: what follows at this moment, when something follows next, and to
//! which receivers messages are to be sent.

use crate::rpc::Watch;

/// What an evaluation came to.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(default, rename_all = "kebab-case")]
pub struct Evaluated {
    /// Rules there are.
    pub rules: u64,
    /// Whether one of them is about units, removals or hooks.
    pub facts: bool,
    /// Whether one of them is about the time that hooks take.
    pub hooks: bool,
    /// Whether one of them is about the disk.
    pub disk: bool,
    /// Alerts that fire.
    pub firing: u64,
    /// When something follows although nothing changes, microseconds UTC.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<i64>,
}

/// A receiver for which messages wait.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(default, rename_all = "kebab-case")]
pub struct WaitingReceiver {
    pub receiver: String,
    /// When the first of them is due, microseconds UTC.
    pub next: i64,
}

/// What was sent.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(default, rename_all = "kebab-case")]
pub struct Delivered {
    pub sent: u64,
    pub failed: u64,
}

crate::facade! { "periapt.Alerts" 1 for Controller {
    /// Fires when a rule or a receiver came, went or changed, and when a message is to be sent.
    [Watch] WatchRules as WatchAlertRules {} -> Watch;
    /// Fires when something changed that rules may be about; runs of hooks alone if `hooks` says so.
    [Watch] WatchFacts as WatchAlertFacts { hooks: bool } -> Watch;
    /// Decides what fires and resolves now. `disk` is how full the controller's disk is, in percent.
    [Tell] Evaluate as EvaluateAlerts { disk: Option<u64> } -> Evaluated;
    /// The receivers for which messages wait.
    [Read] Waiting as WaitingReceivers {} -> Vec<WaitingReceiver>;
    /// Sends a receiver the messages that are due, so many at a time, and writes down what became of them.
    [Tell] Deliver as DeliverAlerts { receiver: String } -> Delivered;
} }

//! Lines of the model's log for a place outside, and how far that place has them.

use serde::{Deserialize, Serialize};

use super::log_sink::LogRecord;
use crate::rpc::{Empty, Watch};

/// Lines in their order.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct LogLines {
    pub records: Vec<LogRecord>,
    /// Where to go on reading.
    pub position: i64,
    /// Whether this is all there is by now.
    pub complete: bool,
}

/// Where the model's log is to go, with all it takes to get there: the one answer that holds
/// a private key.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Destination {
    /// `syslog-host` as it was set.
    pub host: String,
    /// Whether the model may name this host: set by a superuser, or one that the controller
    /// lists.
    pub allowed: bool,
    pub authority: String,
    pub certificate: String,
    pub key: String,
}

/// Without the key, which is not for logs.
impl std::fmt::Debug for Destination {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Destination")
            .field("host", &self.host)
            .field("allowed", &self.allowed)
            .finish_non_exhaustive()
    }
}

crate::facade! { "periapt.LogForwarding" 1 for Controller {
    /// None while forwarding is off.
    [Read] Destination as GetDestination {} -> Option<Destination>;
    /// Position of the last line that `sink` was sent.
    [Read] GetLastSent as GetLastSent { sink: String } -> Option<i64>;
    [Tell] SetLastSent as SetLastSent { sink: String, position: i64 } -> Empty;
    /// At most `limit` lines after a position, or else the last `tail` lines of the past.
    [Read] Lines as GetLogLines { after: Option<i64>, tail: u64, limit: u64 } -> LogLines;
    [Watch] WatchLines as WatchLogLines {} -> Watch;
} }

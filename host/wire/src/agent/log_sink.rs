//! Lines for `debug-log`.

use periapt_model::Tag;
use serde::{Deserialize, Serialize};

use crate::rpc::Empty;

/// A line of `debug-log`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "kebab-case")]
pub struct LogRecord {
    #[serde(with = "periapt_model::time::micros")]
    #[schema(value_type = String, format = DateTime)]
    pub time: i64,
    /// Its tag.
    #[schema(value_type = String)]
    pub entity: Tag,
    /// `TRACE`, `DEBUG`, `INFO`, `WARNING` or `ERROR`.
    pub level: String,
    pub module: String,
    pub message: String,
}

crate::facade! { "periapt.LogSink" 1 for Agents {
    [Tell] Write as WriteLogs { records: Vec<LogRecord> } -> Empty;
} }

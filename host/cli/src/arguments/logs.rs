//! Verbs that show lines of the log.

use clap::{Args, ValueEnum};

use super::{ModelChoice, Target};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum LogFormat {
    #[default]
    Text,
    /// One JSON object per line.
    Json,
}

/// Options of all verbs that show log lines.
#[derive(Debug, Args)]
pub struct LogLines {
    /// Start with the oldest line.
    #[arg(long)]
    pub replay: bool,
    /// Show this many of the newest lines and exit (the oldest with --replay); 0 shows all.
    #[arg(long, value_name = "LINES")]
    pub limit: Option<u64>,
    /// Show times in UTC.
    #[arg(long)]
    pub utc: bool,
    /// Show dates.
    #[arg(long)]
    pub date: bool,
    /// Show milliseconds.
    #[arg(long)]
    pub ms: bool,
    #[arg(long, value_enum, default_value_t)]
    pub format: LogFormat,
    #[command(flatten)]
    pub model: ModelChoice,
    #[command(flatten)]
    pub target: Target,
}

#[derive(Debug, Args)]
pub struct DebugLog {
    /// Only show these: units, applications, machines with their units, or tags; `*` matches any
    /// text.
    #[arg(short, long, value_name = "ENTITY", value_delimiter = ',')]
    pub include: Vec<String>,
    /// Do not show these entities.
    #[arg(short = 'x', long, value_name = "ENTITY", value_delimiter = ',')]
    pub exclude: Vec<String>,
    /// Only show lines of these modules and modules below them, such as `workload`.
    #[arg(long, value_name = "MODULE", value_delimiter = ',')]
    pub include_module: Vec<String>,
    /// Do not show lines of these modules.
    #[arg(long, value_name = "MODULE", value_delimiter = ',')]
    pub exclude_module: Vec<String>,
    /// Lowest level to show: TRACE, DEBUG, INFO, WARNING, ERROR.
    #[arg(short, long, default_value = "INFO")]
    pub level: String,
    /// Start with this many past lines (all of them with --replay).
    #[arg(short = 'n', long, default_value_t = 10)]
    pub lines: u64,
    /// Follow new lines [default: if the output is a terminal].
    #[arg(long, conflicts_with = "no_tail")]
    pub tail: bool,
    /// Exit after the existing lines.
    #[arg(long)]
    pub no_tail: bool,
    #[command(flatten)]
    pub shown: LogLines,
}

#[derive(Debug, Args)]
pub struct Logs {
    pub unit: String,
    /// One of its services [default: all].
    pub service: Option<String>,
    /// Follow new lines.
    #[arg(short, long, visible_alias = "tail", conflicts_with = "no_tail")]
    pub follow: bool,
    /// Exit after the existing lines, which is the default.
    #[arg(long)]
    pub no_tail: bool,
    /// Start with this many past lines (all of them with --replay).
    #[arg(short = 'n', long, default_value_t = 30)]
    pub lines: u64,
    #[command(flatten)]
    pub shown: LogLines,
}

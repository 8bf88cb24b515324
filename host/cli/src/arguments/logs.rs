//! Verbs that show lines of the log.

use clap::{Args, ValueEnum};

use super::{ModelChoice, Target};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum LogFormat {
    #[default]
    Text,
    /// One object a line.
    Json,
}

/// What the verbs share that show lines of the log.
#[derive(Debug, Args)]
pub struct LogLines {
    /// Begin with the first line there is.
    #[arg(long)]
    pub replay: bool,
    /// Show so many of the most recent lines and end (the first ones with --replay); 0 shows all.
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
    /// Show these only: units, applications, machines with their units, or tags; `*` is any text.
    #[arg(short, long, value_name = "ENTITY", value_delimiter = ',')]
    pub include: Vec<String>,
    /// Do not show these entities.
    #[arg(short = 'x', long, value_name = "ENTITY", value_delimiter = ',')]
    pub exclude: Vec<String>,
    /// Show lines of these modules and those below them only, such as `workload`.
    #[arg(long, value_name = "MODULE", value_delimiter = ',')]
    pub include_module: Vec<String>,
    /// Do not show lines of these.
    #[arg(long, value_name = "MODULE", value_delimiter = ',')]
    pub exclude_module: Vec<String>,
    /// Lowest level to show: TRACE, DEBUG, INFO, WARNING, ERROR.
    #[arg(short, long, default_value = "INFO")]
    pub level: String,
    /// Begin with so many lines of the past (all of them with --replay).
    #[arg(short = 'n', long, default_value_t = 10)]
    pub lines: u64,
    /// Go on with new lines [default: where the output is a terminal].
    #[arg(long, conflicts_with = "no_tail")]
    pub tail: bool,
    /// End after the lines there are.
    #[arg(long)]
    pub no_tail: bool,
    #[command(flatten)]
    pub shown: LogLines,
}

#[derive(Debug, Args)]
pub struct Logs {
    pub unit: String,
    /// One of its services [default: all of them].
    pub service: Option<String>,
    /// Go on with new lines.
    #[arg(short, long, visible_alias = "tail", conflicts_with = "no_tail")]
    pub follow: bool,
    /// End after the lines there are, which it does unless told to follow.
    #[arg(long)]
    pub no_tail: bool,
    /// Begin with so many lines of the past (all of them with --replay).
    #[arg(short = 'n', long, default_value_t = 30)]
    pub lines: u64,
    #[command(flatten)]
    pub shown: LogLines,
}

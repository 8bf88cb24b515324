//! Verbs about the audit log and the controller's configuration.

use std::path::PathBuf;

use clap::Args;

use super::{ControllerChoice, ListFormat, Target, duration};

#[derive(Debug, Args)]
pub struct Audit {
    /// Only actions of this user or agent.
    #[arg(long, value_name = "USER")]
    pub user: Option<String>,
    /// Only entries with this text in the request or its target.
    #[arg(long, value_name = "TEXT")]
    pub matching: Option<String>,
    /// Only entries of this last period of time.
    #[arg(long, value_name = "DURATION", value_parser = duration)]
    pub since: Option<std::time::Duration>,
    /// Only refused or failed requests.
    #[arg(long)]
    pub refused: bool,
    /// Show sign-ins and sign-outs instead of changes.
    #[arg(long, conflicts_with = "all")]
    pub sign_ins: bool,
    /// Show changes, sign-ins and agents' calls.
    #[arg(long)]
    pub all: bool,
    /// Show this many of the newest entries.
    #[arg(long, short = 'n', value_name = "NUMBER", default_value_t = 50)]
    pub limit: u64,
    /// Show times in UTC.
    #[arg(long)]
    pub utc: bool,
    #[arg(long, value_enum, default_value_t)]
    pub format: ListFormat,
    /// Only entries of this model.
    #[arg(short, long, value_name = "[CONTROLLER:]MODEL")]
    pub model: Option<String>,
    #[command(flatten)]
    pub controller: ControllerChoice,
    #[command(flatten)]
    pub target: Target,
}

#[derive(Debug, Args)]
pub struct ControllerConfig {
    /// KEY=VALUE sets an option, KEY shows one, nothing shows all.
    #[arg(value_name = "KEY[=VALUE]")]
    pub settings: Vec<String>,
    /// Reset these options to their defaults.
    #[arg(long, value_name = "KEY,...", value_delimiter = ',')]
    pub reset: Vec<String>,
    /// Set options from a YAML file.
    #[arg(long, value_name = "FILE")]
    pub file: Option<PathBuf>,
    #[arg(long, value_enum, default_value_t)]
    pub format: ListFormat,
    #[command(flatten)]
    pub controller: ControllerChoice,
    #[command(flatten)]
    pub target: Target,
}

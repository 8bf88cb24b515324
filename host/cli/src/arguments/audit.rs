//! Verbs about the audit log and the controller's configuration.

use std::path::PathBuf;

use clap::Args;

use super::{ControllerChoice, ListFormat, Target, duration};

#[derive(Debug, Args)]
pub struct Audit {
    /// Only what this user or agent did.
    #[arg(long, value_name = "USER")]
    pub user: Option<String>,
    /// Only what has this text in what was asked or in its target.
    #[arg(long, value_name = "TEXT")]
    pub matching: Option<String>,
    /// Only what happened within this time.
    #[arg(long, value_name = "DURATION", value_parser = duration)]
    pub since: Option<std::time::Duration>,
    /// Only what was refused or failed.
    #[arg(long)]
    pub refused: bool,
    /// Show who signed in and out, in place of what was changed.
    #[arg(long, conflicts_with = "all")]
    pub sign_ins: bool,
    /// Show changes, sign-ins and what agents called.
    #[arg(long)]
    pub all: bool,
    /// This many, the newest.
    #[arg(long, short = 'n', value_name = "NUMBER", default_value_t = 50)]
    pub limit: u64,
    /// Show times in UTC.
    #[arg(long)]
    pub utc: bool,
    #[arg(long, value_enum, default_value_t)]
    pub format: ListFormat,
    /// Only what was done in this model.
    #[arg(short, long, value_name = "[CONTROLLER:]MODEL")]
    pub model: Option<String>,
    #[command(flatten)]
    pub controller: ControllerChoice,
    #[command(flatten)]
    pub target: Target,
}

#[derive(Debug, Args)]
pub struct ControllerConfig {
    /// KEY=VALUE sets, KEY alone shows one value, nothing shows all.
    #[arg(value_name = "KEY[=VALUE]")]
    pub settings: Vec<String>,
    /// Go back to the default.
    #[arg(long, value_name = "KEY,...", value_delimiter = ',')]
    pub reset: Vec<String>,
    /// Set what a YAML file says.
    #[arg(long, value_name = "FILE")]
    pub file: Option<PathBuf>,
    #[arg(long, value_enum, default_value_t)]
    pub format: ListFormat,
    #[command(flatten)]
    pub controller: ControllerChoice,
    #[command(flatten)]
    pub target: Target,
}

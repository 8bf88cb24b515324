//! Verbs about where models may be.

use clap::Args;

use super::{ControllerChoice, ListFormat, Target};

#[derive(Debug, Args)]
pub struct Clouds {
    #[arg(long, value_enum, default_value_t)]
    pub format: ListFormat,
    #[command(flatten)]
    pub controller: ControllerChoice,
    #[command(flatten)]
    pub target: Target,
}

#[derive(Debug, Args)]
pub struct Credentials {
    /// The cloud [default: all of them].
    #[arg(value_name = "CLOUD")]
    pub cloud: Option<String>,
    #[arg(long, value_enum, default_value_t)]
    pub format: ListFormat,
    /// Show times in UTC, in ISO format.
    #[arg(long)]
    pub utc: bool,
    #[command(flatten)]
    pub controller: ControllerChoice,
    #[command(flatten)]
    pub target: Target,
}

//! Verbs about who reaches whom.

use clap::Args;

use super::{ListFormat, ModelChoice, Target};

const EXPOSING: &str = "\
Without endpoints the whole application is exposed; endpoints that are named have addresses of
their own instead. Without addresses it is everybody who reaches the ingress-address of the
controller, which is this machine alone by default:
  periapt expose site
  periapt expose site --endpoints website --to-cidrs 10.0.0.0/8,192.168.0.0/16";

#[derive(Debug, Args)]
#[command(after_help = EXPOSING)]
pub struct Expose {
    /// The application.
    pub application: String,
    /// Only the ports that are open for these endpoints.
    #[arg(long, value_name = "ENDPOINT,...", value_delimiter = ',')]
    pub endpoints: Vec<String>,
    /// Only to these ranges of addresses.
    #[arg(long, value_name = "CIDR,...", value_delimiter = ',')]
    pub to_cidrs: Vec<String>,
    /// Only to these spaces; there are none yet.
    #[arg(long, value_name = "SPACE,...", value_delimiter = ',')]
    pub to_spaces: Vec<String>,
    #[command(flatten)]
    pub model: ModelChoice,
}

#[derive(Debug, Args)]
pub struct Unexpose {
    /// The application.
    pub application: String,
    /// Only these endpoints.
    #[arg(long, value_name = "ENDPOINT,...", value_delimiter = ',')]
    pub endpoints: Vec<String>,
    #[command(flatten)]
    pub model: ModelChoice,
}

#[derive(Debug, Args)]
pub struct ShowReachability {
    /// Only this unit.
    pub unit: Option<String>,
    #[arg(long, value_enum, default_value_t)]
    pub format: ListFormat,
    #[command(flatten)]
    pub model: ModelChoice,
    #[command(flatten)]
    pub target: Target,
}

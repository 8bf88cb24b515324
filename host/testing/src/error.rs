//! Why a scenario cannot go on.

use std::path::PathBuf;

use periapt_client::rest::RestError;
use periapt_controller::ControllerError;
use periapt_workloads::{Failure, NotReached};
use thiserror::Error;

/// A scenario that cannot go on.
#[derive(Debug, Error)]
pub enum ScenarioError {
    #[error("{what} {}: {source}", path.display())]
    File {
        what: &'static str,
        path: PathBuf,
        source: std::io::Error,
    },
    #[error("the controller: {0}")]
    Controller(#[from] ControllerError),
    #[error("{doing}: {source}")]
    Refused {
        doing: String,
        source: Box<RestError>,
    },
    #[error("starting agents: {0}")]
    Agents(#[from] periapt_providers::ProviderError),
    #[error("\"{0}\" is not a name")]
    Name(String),
    #[error(
        "there is no periapt program to compile charms with: build it, or name it in PERIAPT_PROGRAM"
    )]
    NoProgram,
    #[error("waited for {what}; the model is\n{model}")]
    Never { what: String, model: String },
    #[error("a request to {to}: {reason}")]
    NotReached { to: String, reason: NotReached },
    #[error("serving requests: {0}")]
    Workloads(#[from] Failure),
    #[error("the controller did not come up")]
    NotReady,
}

impl ScenarioError {
    /// A stable name, for machines.
    pub fn code(&self) -> &'static str {
        match self {
            ScenarioError::File { .. } => "scenario-file",
            ScenarioError::Controller(_) => "scenario-controller",
            ScenarioError::Refused { .. } => "scenario-refused",
            ScenarioError::Agents(_) => "scenario-agents",
            ScenarioError::Name(_) => "scenario-name",
            ScenarioError::NoProgram => "scenario-no-program",
            ScenarioError::Never { .. } => "scenario-never",
            ScenarioError::NotReached { .. } => "scenario-not-reached",
            ScenarioError::Workloads(_) => "scenario-workloads",
            ScenarioError::NotReady => "scenario-not-ready",
        }
    }
}

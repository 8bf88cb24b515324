//! Why an agent process ends that should not.

use std::path::PathBuf;

use periapt_engine::WorkerError;
use periapt_engine::supervised::SupervisedError;
use periapt_sandbox::EngineError;
use periapt_sandbox::lockdown::LockdownError;
use periapt_uniter::UniterError;
use thiserror::Error;

use crate::agent_config::AgentConfigError;

#[derive(Debug, Error)]
pub enum AgentError {
    #[error(transparent)]
    Config(#[from] AgentConfigError),
    #[error("another agent process already runs in {}", .0.display())]
    AlreadyRunning(PathBuf),
    #[error("cannot lock the agent's directory: {0}")]
    Lock(SupervisedError),
    #[error("{what} {}: {source}", path.display())]
    Files {
        what: &'static str,
        path: PathBuf,
        source: std::io::Error,
    },
    #[error("cannot restrict the agent process: {0}")]
    Lockdown(#[from] LockdownError),
    #[error(transparent)]
    Sandbox(#[from] EngineError),
    #[error(transparent)]
    Uniter(#[from] UniterError),
    #[error("the agent process cannot start its runtime: {0}")]
    Runtime(std::io::Error),
    #[error("the agent process failed: {0}")]
    Engine(WorkerError),
}

impl AgentError {
    /// A stable name, for machines.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            AgentError::Config(error) => error.code(),
            AgentError::AlreadyRunning(_) => "agent-already-running",
            AgentError::Lock(_) => "agent-lock",
            AgentError::Files { .. } => "agent-files",
            AgentError::Lockdown(error) => error.code(),
            AgentError::Sandbox(error) => error.code(),
            AgentError::Uniter(error) => error.code(),
            AgentError::Runtime(_) => "agent-runtime",
            AgentError::Engine(_) => "agent-engine",
        }
    }
}

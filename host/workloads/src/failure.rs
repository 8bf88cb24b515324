//! Why a process of workloads ends, and how it is told.

use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use periapt_engine::supervised::SupervisedError;
use periapt_sandbox::EngineError;
use periapt_sandbox::lockdown::LockdownError;
use thiserror::Error;

#[derive(Debug, Error)]
pub enum Failure {
    #[error(transparent)]
    Lock(#[from] SupervisedError),
    #[error("another process already supervises the workloads of {}", .0.display())]
    AlreadyRunning(PathBuf),
    #[error("cannot {doing} {}: {source}", path.display())]
    File {
        doing: &'static str,
        path: PathBuf,
        source: io::Error,
    },
    #[error("the process cannot start: {0}")]
    Runtime(io::Error),
    #[error("cannot read from its supervisor: {0}")]
    Channel(io::Error),
    #[error(transparent)]
    Lockdown(#[from] LockdownError),
    #[error(transparent)]
    Engine(#[from] EngineError),
}

impl Failure {
    pub fn code(&self) -> &'static str {
        match self {
            Failure::Lock(_) => "workloads-lock",
            Failure::AlreadyRunning(_) => "workloads-already-running",
            Failure::File { .. } => "workloads-file",
            Failure::Runtime(_) => "workloads-runtime",
            Failure::Channel(_) => "workloads-channel",
            Failure::Lockdown(error) => error.code(),
            Failure::Engine(error) => error.code(),
        }
    }
}

/// Names the file in an I/O error.
pub(crate) fn file(doing: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Failure {
    let path = path.to_owned();
    move |source| Failure::File {
        doing,
        path,
        source,
    }
}

/// What a process ends with, its failure on stderr.
pub fn end(outcome: Result<(), Failure>) -> ExitCode {
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("error: {failure} ({})", failure.code());
            ExitCode::FAILURE
        }
    }
}

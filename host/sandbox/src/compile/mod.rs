//! Compiling a charm's component: once, at upload, in a child process with limits.
//!
//! wasmtime bounds what running code can do, not what compiling it costs, and a component is
//! whatever somebody uploaded. The child has a limit on address space, processor time and wall
//! clock, no files, and no privileges; its machine code comes back over a pipe. The same child
//! asks the component for the hooks it implements, since that runs code of the guest, which the
//! controller never does itself.

mod child;
mod inspect;
mod process;

pub use child::{CHARMS, Compiler, compile_child_main};
pub use process::{ChildLimits, compile_in_child};

use periapt_model::Refusal;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::artifact::Artifact;
use crate::check::{self, CheckError};
use crate::engine::SandboxEngine;

/// A component that cannot be compiled, or a child that could not do it.
#[derive(Clone, Debug, Error, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CompileError {
    #[error("the component has {bytes} bytes; at most {limit} are accepted")]
    TooLarge { bytes: u64, limit: u64 },
    #[error("this is not a WebAssembly component: {0}")]
    NotAComponent(String),
    #[error(
        "the component imports \"{0}\", which is not available to charms; they may import periapt:charm@0.1 and WASI 0.2"
    )]
    UnknownImport(String),
    #[error("the component does not export \"{0}\"; a charm exports hooks and dispatch")]
    MissingExport(String),
    /// Of another kind than a charm: the import, the kind, and what that may import.
    #[error(
        "the component imports \"{import}\", which is not available to {kind}; it may import {may}"
    )]
    NotGiven {
        import: String,
        kind: String,
        may: String,
    },
    #[error("the component does not export \"{export}\", which {kind} needs")]
    NotOffered { export: String, kind: String },
    #[error("the component does not match the contract: {0}")]
    Mismatch(String),
    /// It needs more memories, tables or memory at start than any hook can be given.
    #[error("the component needs {0}")]
    TooDemanding(String),
    #[error("the component could not be asked for its hooks: {0}")]
    Inspection(String),
    #[error("compiling the component took more than {seconds} s of processor time")]
    ProcessorTime { seconds: u64 },
    #[error("compiling the component took more than {bytes} bytes of address space")]
    AddressSpace { bytes: u64 },
    #[error("compiling the component did not end within {seconds} s")]
    WallClock { seconds: u64 },
    /// The child ended without an answer.
    #[error("the compiler process was ended by signal {signal}")]
    Killed { signal: i32 },
    #[error("the compiler process ended without a result: {0}")]
    Ended(String),
    #[error("the compiler process could not be started: {0}")]
    Start(String),
    #[error("no file descriptors are left to start the compiler process: {0}")]
    Descriptors(String),
    /// The child answered with code for something else than it was given. Nobody may run that.
    #[error("the compiler process answered with the code of another component")]
    OtherComponent,
    #[error("{0}")]
    Engine(String),
}

impl CompileError {
    pub fn refusal(&self) -> Refusal {
        match self {
            CompileError::TooLarge { .. } => Refusal::ComponentTooLarge,
            CompileError::NotAComponent(_) => Refusal::ComponentInvalid,
            CompileError::UnknownImport(_) => Refusal::ComponentUnknownImport,
            CompileError::NotGiven { .. } => Refusal::ComponentUnknownImport,
            CompileError::NotOffered { .. } | CompileError::MissingExport(_) => {
                Refusal::ComponentMissingExport
            }
            CompileError::Mismatch(_) => Refusal::ComponentMismatch,
            CompileError::TooDemanding(_) => Refusal::ComponentTooDemanding,
            CompileError::Inspection(_) => Refusal::ComponentInspection,
            CompileError::ProcessorTime { .. } => Refusal::CompileProcessorTime,
            CompileError::AddressSpace { .. } => Refusal::CompileAddressSpace,
            CompileError::WallClock { .. } => Refusal::CompileWallClock,
            CompileError::Killed { .. } => Refusal::CompileKilled,
            CompileError::Ended(_) => Refusal::CompileEnded,
            CompileError::Start(_) => Refusal::CompileStart,
            CompileError::Descriptors(_) => Refusal::Descriptors,
            CompileError::OtherComponent => Refusal::CompileOtherComponent,
            CompileError::Engine(_) => Refusal::SandboxEngine,
        }
    }
}

impl From<CheckError> for CompileError {
    fn from(error: CheckError) -> Self {
        match error {
            CheckError::UnknownImport(name) => CompileError::UnknownImport(name),
            CheckError::MissingExport(name) => CompileError::MissingExport(name.to_owned()),
            CheckError::Mismatch(text) => CompileError::Mismatch(text),
        }
    }
}

impl SandboxEngine {
    /// Compiles and inspects a component in this process. Only for components that are trusted
    /// not to be made to exhaust a compiler; [`compile_in_child`] is for all others.
    pub fn compile(&self, component: &[u8]) -> Result<Artifact, CompileError> {
        self.foundation().compile(
            component,
            |compiled| Ok(check::link(compiled, self.linker())?),
            |linked| inspect::hooks(self, linked),
        )
    }
}

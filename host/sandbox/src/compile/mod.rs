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

pub use child::compile_child_main;
pub use process::{ChildLimits, compile_in_child};

use periapt_model::text;
use serde::{Deserialize, Serialize};
use thiserror::Error;
use wasmtime::component::Component;

use crate::artifact::{Artifact, Inspection};
use crate::check::{self, CheckError};
use crate::engine::{MEMORIES, SandboxEngine, TABLES};

const PAGE_BYTES: u64 = 64 << 10;

/// A component that cannot be compiled, or a child that could not do it.
#[derive(Clone, Debug, Error, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CompileError {
    #[error("the component has {bytes} bytes; at most {limit} are accepted")]
    TooLarge { bytes: u64, limit: u64 },
    #[error("this is not a WebAssembly component: {0}")]
    NotAComponent(String),
    #[error(
        "the component imports \"{0}\", which charms are not given; they may import periapt:charm@0.1 and WASI 0.2"
    )]
    UnknownImport(String),
    #[error("the component does not export \"{0}\"; a charm exports hooks and dispatch")]
    MissingExport(String),
    #[error("the component does not fit the contract: {0}")]
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
    pub fn code(&self) -> &'static str {
        match self {
            CompileError::TooLarge { .. } => "component-too-large",
            CompileError::NotAComponent(_) => "component-invalid",
            CompileError::UnknownImport(_) => "component-unknown-import",
            CompileError::MissingExport(_) => "component-missing-export",
            CompileError::Mismatch(_) => "component-mismatch",
            CompileError::TooDemanding(_) => "component-too-demanding",
            CompileError::Inspection(_) => "component-inspection",
            CompileError::ProcessorTime { .. } => "compile-processor-time",
            CompileError::AddressSpace { .. } => "compile-address-space",
            CompileError::WallClock { .. } => "compile-wall-clock",
            CompileError::Killed { .. } => "compile-killed",
            CompileError::Ended(_) => "compile-ended",
            CompileError::Start(_) => "compile-start",
            CompileError::Descriptors(_) => "descriptors",
            CompileError::OtherComponent => "compile-other-component",
            CompileError::Engine(_) => "sandbox-engine",
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
        check_header(component)?;
        let invalid = |error: wasmtime::Error| CompileError::NotAComponent(plain(&error));
        let compiled = Component::new(self.wasmtime(), component).map_err(invalid)?;
        let linked = check::link(&compiled, self.linker())?;
        let initial_memory_bytes = self.check_demand(&compiled)?;
        let hooks = inspect::hooks(self, &linked)?;
        let code = compiled.serialize().map_err(invalid)?;
        let inspection = Inspection {
            hooks,
            imports: check::imports(&compiled, self.wasmtime()),
            component_bytes: component.len() as u64,
            code_bytes: code.len() as u64,
            initial_memory_bytes,
        };
        Ok(Artifact::new(
            component,
            self.engine_hash(),
            inspection,
            &code,
        ))
    }

    /// The largest memory at start, when there is a place for everything the component needs.
    fn check_demand(&self, component: &Component) -> Result<u64, CompileError> {
        let demand = |text: String| Err(CompileError::TooDemanding(text));
        let Some(needs) = component.resources_required() else {
            return demand("modules that are given to it at run time, which is not offered".into());
        };
        let settings = self.settings();
        // Told in pages, whose size is fixed as long as custom page sizes are not enabled.
        let memory = needs
            .max_initial_memory_size
            .unwrap_or(0)
            .saturating_mul(PAGE_BYTES);
        if needs.num_memories > MEMORIES {
            return demand(format!(
                "{} memories; at most {MEMORIES} are given",
                needs.num_memories
            ));
        }
        if needs.num_tables > TABLES {
            return demand(format!(
                "{} tables; at most {TABLES} are given",
                needs.num_tables
            ));
        }
        if memory > settings.memory_bytes {
            let most = settings.memory_bytes;
            return demand(format!(
                "{memory} bytes of memory to start; at most {most} are given"
            ));
        }
        let elements = needs.max_initial_table_size.unwrap_or(0);
        if elements > settings.table_elements {
            let most = settings.table_elements;
            return demand(format!(
                "a table of {elements} elements; at most {most} are given"
            ));
        }
        Ok(memory)
    }
}

/// Says what the bytes are when they are something else, before the parser says it at length.
fn check_header(bytes: &[u8]) -> Result<(), CompileError> {
    let not = |text: &str| Err(CompileError::NotAComponent(text.to_owned()));
    match bytes.get(..8) {
        Some(b"\0asm\x0d\0\x01\0") => Ok(()),
        Some(b"\0asm\x01\0\0\0") => not("it is a core module; make a component of it first"),
        _ => not("it does not begin as WebAssembly does"),
    }
}

/// The chain of causes in one line.
fn plain(error: &wasmtime::Error) -> String {
    text::clean_line_at_most(&format!("{error:#}"), crate::world::MESSAGE_BYTES)
}

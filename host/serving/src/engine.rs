//! The engine of a process that serves: the pool of all its instances, and what is loaded.

use std::sync::Arc;

use periapt_model::Digest;
use periapt_sandbox::{
    Artifact, CompileError, Compiler, EngineError, Foundation, LoadError, Settings,
};
use tokio::runtime::Handle;
use tokio::sync::Semaphore;
use wasmtime::component::Linker;
use wasmtime_wasi_http::p2::bindings::ProxyPre;

use crate::check;
use crate::instance::Guest;

/// Web workloads, for the child that compiles.
pub const SERVERS: Compiler = Compiler {
    kind: "http",
    compile: |settings, component| {
        ServingEngine::on(Foundation::for_compiling(settings), None)
            .map_err(|error| CompileError::Engine(error.to_string()))?
            .compile(component)
    },
};

/// One for each process that serves; clones share it.
#[derive(Clone)]
pub struct ServingEngine {
    shared: Arc<Shared>,
}

struct Shared {
    foundation: Foundation,
    linker: Linker<Guest>,
    room: Arc<Semaphore>,
    background: Option<Handle>,
}

/// Loaded code; instances are made from it, one for each request.
pub struct LoadedServer {
    digest: Digest,
    pub(crate) files: bool,
    pub(crate) pre: ProxyPre<Guest>,
}

impl ServingEngine {
    /// `settings.slots` is how many requests of all services are answered at the same time.
    pub fn new(settings: Settings) -> Result<Self, EngineError> {
        Self::on(Foundation::new(settings), None)
    }

    /// The same, where requests that compute for long go on in another runtime, whose threads give way to
    /// those of all others.
    pub fn with_background(settings: Settings, background: Handle) -> Result<Self, EngineError> {
        Self::on(Foundation::new(settings), Some(background))
    }

    fn on(
        foundation: Result<Foundation, EngineError>,
        background: Option<Handle>,
    ) -> Result<Self, EngineError> {
        let foundation = foundation?;
        let linker = check::linker(foundation.engine()).map_err(|error| EngineError::of(&error))?;
        let slots = foundation.settings().slots.max(1);
        Ok(Self {
            shared: Arc::new(Shared {
                room: Arc::new(Semaphore::new(slots as usize)),
                linker,
                foundation,
                background,
            }),
        })
    }

    pub fn settings(&self) -> &Settings {
        self.shared.foundation.settings()
    }

    /// Digest of everything compiled code depends on: an artifact of another hash is of no use.
    pub fn engine_hash(&self) -> &str {
        self.shared.foundation.hash()
    }

    /// Compiles a component in this process. Only for components that are trusted not to be made to
    /// exhaust a compiler; [`periapt_sandbox::compile_in_child`] with [`SERVERS`] is for all others.
    pub fn compile(&self, component: &[u8]) -> Result<Artifact, CompileError> {
        self.shared.foundation.compile(
            component,
            |compiled| check::link(compiled, &self.shared.linker),
            |_| Ok(Vec::new()),
        )
    }

    /// Makes an artifact ready to run. What it imports is looked at again.
    pub fn load(&self, artifact: &Artifact) -> Result<Arc<LoadedServer>, LoadError> {
        let component = self.shared.foundation.component(artifact)?;
        let pre = check::link(&component, &self.shared.linker)
            .map_err(|error| LoadError::Refused(error.to_string()))?;
        Ok(Arc::new(LoadedServer {
            digest: artifact.digest(),
            files: check::uses_files(&component, self.shared.foundation.engine()),
            pre,
        }))
    }

    pub(crate) fn foundation(&self) -> &Foundation {
        &self.shared.foundation
    }

    pub(crate) fn background(&self) -> Option<&Handle> {
        self.shared.background.as_ref()
    }

    pub(crate) fn room(&self) -> &Arc<Semaphore> {
        &self.shared.room
    }
}

impl LoadedServer {
    /// Of the component.
    pub fn digest(&self) -> Digest {
        self.digest
    }
}

impl std::fmt::Debug for LoadedServer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("LoadedServer")
            .field("digest", &self.digest)
            .finish_non_exhaustive()
    }
}

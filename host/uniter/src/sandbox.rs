//! What the uniter wants of a sandbox, and the WebAssembly one.
//!
//! The trait is this small so that tests can script a charm, and so that no type of the
//! WebAssembly engine shows here.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use periapt_client::{ApiConnection, CallError};
use periapt_model::charm::{COMPONENT, CharmInfo};
use periapt_model::hook::{Effects, Limits};
use periapt_sandbox::{
    Artifact, ChildLimits, CompileCache, Directories, HookContext, HookEvent, HookFailure, HookRun,
    LoadedCharm, SandboxEngine, compile_in_child,
};
use sha2::{Digest, Sha256};

/// A charm as it lies unpacked on this machine.
#[derive(Clone, Copy, Debug)]
pub struct CharmFiles<'a> {
    pub info: &'a CharmInfo,
    pub directory: &'a Path,
}

/// Everything a hook gets but its context.
#[derive(Clone, Debug)]
pub struct HookCall {
    pub event: HookEvent,
    pub environment: Vec<(String, String)>,
    pub directories: Directories,
    pub limits: Limits,
}

/// Makes charms runnable.
#[async_trait]
pub trait Sandbox: Send + Sync + 'static {
    /// Loads the charm's code, or finds it loaded.
    ///
    /// # Errors
    /// `Charm` when the code does not fit, which no retry mends; `Call` when the controller
    /// could not be asked for the compiled form.
    async fn load(
        &self,
        connection: &ApiConnection,
        charm: CharmFiles<'_>,
    ) -> Result<Arc<dyn RunnableCharm>, SandboxError>;
}

/// Loaded code.
pub trait RunnableCharm: Send + Sync {
    /// Runs one hook and gives back its effects. Blocks, within the wall-clock limit.
    fn run(&self, call: HookCall, context: Box<dyn HookContext>) -> Result<Effects, HookFailure>;
}

/// Why a charm could not be loaded.
#[derive(Clone, Debug, thiserror::Error)]
pub enum SandboxError {
    #[error("{0}")]
    Charm(String),
    #[error("fetching the compiled charm: {0}")]
    Call(CallError),
}

/// The sandbox of `periapt-sandbox`, with its cache of compiled charms.
pub struct WasmSandbox {
    engine: SandboxEngine,
    cache: Arc<CompileCache>,
    program: PathBuf,
    arguments: Vec<String>,
    /// SHA-256 of the component in each archive seen, by that of the archive.
    components: Mutex<HashMap<String, String>>,
}

impl WasmSandbox {
    /// `program` with `arguments` is the compiler for charms that the controller has no
    /// compiled form of.
    pub fn new(
        engine: SandboxEngine,
        cache: CompileCache,
        program: PathBuf,
        arguments: Vec<String>,
    ) -> Self {
        Self {
            engine,
            cache: Arc::new(cache),
            program,
            arguments,
            components: Mutex::default(),
        }
    }

    fn known(&self, archive: &str) -> Option<Arc<LoadedCharm>> {
        let components = self
            .components
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        self.engine.loaded(components.get(archive)?)
    }

    /// The compiled form the controller keeps, if it has one that fits.
    async fn fetched(
        &self,
        connection: &ApiConnection,
        archive: &str,
    ) -> Result<Option<Artifact>, SandboxError> {
        match connection
            .blob(&format!("{archive}.{}", self.engine.engine_hash()))
            .await
        {
            Ok(bytes) => match Artifact::from_bytes(bytes.to_vec()) {
                Ok(artifact) => Ok(Some(artifact)),
                Err(error) => {
                    tracing::warn!(archive, %error, "compiled charm of the controller is of no use here");
                    Ok(None)
                }
            },
            Err(CallError::Refused { .. }) => Ok(None),
            Err(error) => Err(SandboxError::Call(error)),
        }
    }
}

#[async_trait]
impl Sandbox for WasmSandbox {
    async fn load(
        &self,
        connection: &ApiConnection,
        charm: CharmFiles<'_>,
    ) -> Result<Arc<dyn RunnableCharm>, SandboxError> {
        let runnable = |code| {
            Arc::new(WasmCharm {
                engine: self.engine.clone(),
                code,
            }) as Arc<dyn RunnableCharm>
        };
        let archive = charm.info.sha256.as_str();
        if let Some(code) = self.known(archive) {
            return Ok(runnable(code));
        }
        let path = charm.directory.join(COMPONENT);
        let component = tokio::fs::read(&path)
            .await
            .map_err(|error| SandboxError::Charm(format!("{}: {error}", path.display())))?;
        let digest: String = Sha256::digest(&component)
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect();
        let fetched = match self.cache.get(&digest) {
            Some(artifact) => Some(artifact),
            None => self
                .fetched(connection, archive)
                .await?
                .filter(|artifact| artifact.digest() == digest),
        };
        let (engine, cache) = (self.engine.clone(), self.cache.clone());
        let (program, arguments) = (self.program.clone(), self.arguments.clone());
        let load = move || {
            let artifact = match fetched {
                Some(artifact) => artifact,
                None => cache
                    .get_or_compile(&component, |bytes| {
                        compile_in_child(
                            &program,
                            &arguments,
                            engine.settings(),
                            bytes,
                            &ChildLimits::default(),
                        )
                    })
                    .map_err(|error| error.to_string())?,
            };
            if let Err(error) = cache.put(&artifact) {
                tracing::warn!(%error, "compiled charm not kept");
            }
            engine.load(&artifact).map_err(|error| error.to_string())
        };
        let code = tokio::task::spawn_blocking(load)
            .await
            .map_err(|error| SandboxError::Charm(error.to_string()))?
            .map_err(SandboxError::Charm)?;
        self.components
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .insert(archive.to_owned(), digest);
        Ok(runnable(code))
    }
}

struct WasmCharm {
    engine: SandboxEngine,
    code: Arc<LoadedCharm>,
}

impl RunnableCharm for WasmCharm {
    fn run(&self, call: HookCall, context: Box<dyn HookContext>) -> Result<Effects, HookFailure> {
        let HookCall {
            event,
            environment,
            directories,
            limits,
        } = call;
        let run = HookRun {
            charm: &self.code,
            event,
            environment,
            directories,
            limits,
        };
        let outcome = self.engine.run(run, context);
        outcome.result.map(|()| outcome.effects)
    }
}

//! What the uniter wants of a sandbox, and the WebAssembly one.
//!
//! The trait is this small so that tests can script a charm, and so that no type of the
//! WebAssembly engine shows here.

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use periapt_files::out_of_descriptors;
use periapt_model::charm::{COMPONENT, CharmInfo};
use periapt_model::hook::Limits;
use periapt_model::refusal::Subject;
use periapt_model::workload::desired::Component;
use periapt_model::{Digest, Refusal};
use periapt_sandbox::{
    Artifact, CompileCache, Directories, HookContext, HookEvent, HookOutcome, HookRun, LoadError,
    LoadedCharm, SandboxEngine, unpack,
};
use periapt_wire::rpc::code;
use periapt_wire::{ApiConnection, CallError};

/// A charm as it lies unpacked on this machine.
#[derive(Clone, Copy, Debug)]
pub struct CharmFiles<'a> {
    pub info: &'a CharmInfo,
    pub directory: &'a Path,
    /// Of its component.
    pub component: Digest,
}

/// Everything a hook gets but its context.
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
    /// `Charm` when the code does not fit, which no retry mends; `Damaged` when the files are not
    /// what the charm is; `NotCompiled` while the controller has yet to compile it; `Descriptors`
    /// and `Call` when the same may succeed later.
    async fn load(
        &self,
        connection: &ApiConnection,
        charm: CharmFiles<'_>,
    ) -> Result<Arc<dyn RunnableCharm>, SandboxError>;

    /// Where the compiled form of another of the charm's components is, for the process that runs it.
    ///
    /// # Errors
    /// As [`Sandbox::load`].
    async fn component(
        &self,
        connection: &ApiConnection,
        charm: CharmFiles<'_>,
        name: &str,
    ) -> Result<Component, SandboxError>;
}

/// Loaded code.
pub trait RunnableCharm: Send + Sync {
    /// Runs one hook. Blocks, within the wall-clock limit.
    fn run(&self, call: HookCall, context: Box<dyn HookContext>) -> HookOutcome;
}

/// Why a charm could not be loaded.
#[derive(Clone, Debug, thiserror::Error)]
pub enum SandboxError {
    #[error("{0}")]
    Charm(String),
    #[error("the unpacked charm is damaged: {0}")]
    Damaged(String),
    #[error("{0}")]
    Descriptors(String),
    #[error("the controller has not compiled this charm for this agent yet")]
    NotCompiled,
    #[error("fetching the compiled charm: {0}")]
    Call(CallError),
}

/// The sandbox of `periapt-sandbox`, with its cache of compiled charms. It compiles nothing: that
/// takes a process of its own, and an agent starts none.
pub struct WasmSandbox {
    engine: SandboxEngine,
    cache: Arc<CompileCache>,
    /// SHA-256 of the component in each archive seen, by that of the archive.
    components: Mutex<HashMap<String, Digest>>,
    /// Of each archive the other components that were asked for, by name.
    others: Mutex<HashMap<(String, String), Component>>,
}

impl WasmSandbox {
    pub fn new(engine: SandboxEngine, cache: CompileCache) -> Self {
        Self {
            engine,
            cache: Arc::new(cache),
            components: Mutex::default(),
            others: Mutex::default(),
        }
    }

    fn known(&self, archive: &str) -> Option<Arc<LoadedCharm>> {
        self.engine.loaded(*lock(&self.components).get(archive)?)
    }

    /// The compiled form of the component with this digest that the controller keeps. It may have
    /// none for this agent's engine, which its charm-downloader is about to change.
    async fn fetched(
        &self,
        connection: &ApiConnection,
        archive: &str,
        digest: Digest,
    ) -> Result<Artifact, SandboxError> {
        let name = format!("{archive}.{}", self.engine.engine_hash());
        let bytes = connection.blob(&name).await.map_err(not_compiled)?;
        let (charm, others) = unpack(bytes.to_vec())
            .map_err(|error| SandboxError::Charm(format!("its compiled form: {error}")))?;
        let cache = self.cache.clone();
        let mut all = others.clone();
        all.push(charm);
        let found = all.iter().position(|artifact| artifact.digest() == digest);
        blocking(move || {
            for artifact in &others {
                if let Err(error) = cache.put(artifact) {
                    tracing::warn!(%error, "compiled component not kept");
                }
            }
            Ok(())
        })
        .await?;
        match found.map(|at| all.swap_remove(at)) {
            Some(artifact) => Ok(artifact),
            None => Err(SandboxError::Charm(
                "its compiled form is that of another component".to_owned(),
            )),
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
        let (directory, digest) = (charm.directory.to_owned(), charm.component);
        blocking(move || check_component(&directory, digest)).await?;
        let artifact = match self.cache.get(digest) {
            Some(artifact) => artifact,
            None => self.fetched(connection, archive, digest).await?,
        };
        let (engine, cache) = (self.engine.clone(), self.cache.clone());
        let code = blocking(move || {
            if let Err(error) = cache.put(&artifact) {
                tracing::warn!(%error, "compiled charm not kept");
            }
            Ok(engine.load(&artifact)?)
        })
        .await?;
        lock(&self.components).insert(archive.to_owned(), digest);
        Ok(runnable(code))
    }

    async fn component(
        &self,
        connection: &ApiConnection,
        charm: CharmFiles<'_>,
        name: &str,
    ) -> Result<Component, SandboxError> {
        let key = (charm.info.sha256.clone(), name.to_owned());
        let known = lock(&self.others).get(&key).cloned();
        if let Some(known) = known.filter(|known| known.file.is_file()) {
            return Ok(known);
        }
        let path = charm.directory.join(name);
        let (cache, read) = (self.cache.clone(), path.clone());
        let (digest, there) = blocking(move || {
            let digest = Digest::of(read_file(&read)?);
            Ok((digest, cache.get(digest).is_some()))
        })
        .await?;
        if !there {
            self.fetched(connection, &charm.info.sha256, digest).await?;
        }
        let component = Component {
            file: self.cache.path(digest),
            digest: digest.to_string(),
            engine_hash: self.engine.engine_hash().to_owned(),
        };
        if !component.file.is_file() {
            let path = component.file.display();
            return Err(SandboxError::Charm(format!("{path} could not be kept")));
        }
        lock(&self.others).insert(key, component.clone());
        Ok(component)
    }
}

fn not_compiled(error: CallError) -> SandboxError {
    // Over HTTP the code names what is missing.
    let over_http = Refusal::NotFound(Subject::Blob).code();
    match error.is(over_http) || error.is(code::NOT_FOUND) {
        true => SandboxError::NotCompiled,
        false => SandboxError::Call(error),
    }
}

async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, SandboxError> + Send + 'static,
) -> Result<T, SandboxError> {
    tokio::task::spawn_blocking(work)
        .await
        .map_err(|error| SandboxError::Charm(error.to_string()))?
}

/// Whether the unpacked component is what the charm is.
fn check_component(directory: &Path, digest: Digest) -> Result<(), SandboxError> {
    let path = directory.join(COMPONENT);
    let component = read_file(&path)?;
    match Digest::of(&component) == digest {
        true => Ok(()),
        false => Err(SandboxError::Damaged(format!(
            "{} is not as it was",
            path.display()
        ))),
    }
}

fn read_file(path: &Path) -> Result<Vec<u8>, SandboxError> {
    std::fs::read(path).map_err(|error| {
        let text = format!("{}: {error}", path.display());
        match out_of_descriptors(&error) {
            true => SandboxError::Descriptors(text),
            false => SandboxError::Damaged(text),
        }
    })
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl From<LoadError> for SandboxError {
    fn from(error: LoadError) -> Self {
        match error {
            LoadError::Descriptors(_) => SandboxError::Descriptors(error.to_string()),
            error => SandboxError::Charm(error.to_string()),
        }
    }
}

struct WasmCharm {
    engine: SandboxEngine,
    code: Arc<LoadedCharm>,
}

impl RunnableCharm for WasmCharm {
    fn run(&self, call: HookCall, context: Box<dyn HookContext>) -> HookOutcome {
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
        self.engine.run(run, context)
    }
}

//! Charms are compiled in a child process of this very program, never in the controller itself.
//!
//! A compiled charm is kept by the digest of its component, so the same charm in two models, or
//! again after a restart, costs nothing.

use std::path::PathBuf;
use std::sync::Arc;

use async_trait::async_trait;
use periapt_model::Refusal;
use periapt_sandbox::{
    CHARMS, ChildLimits, CompileCache, CompileError, Settings, compile_in_child, engine_hash, pack,
};
use periapt_server::{CharmCompiler, CompileProblem, CompiledCharm, Components, Turn};
use periapt_serving::SERVERS;

use crate::error::file;
use crate::{ControllerContext, ControllerError};

/// The hidden command of the program that compiles what it reads from its standard input.
pub const COMMAND: &str = "compile-component";

/// Compiles with the program's hidden command.
pub struct ChildCompiler {
    program: PathBuf,
    settings: Settings,
    engine_hash: String,
    cache: Arc<CompileCache>,
    /// Apart, since it is not asked of what kind a component is that it has.
    servers: Arc<CompileCache>,
}

impl ChildCompiler {
    pub fn new(controller: &ControllerContext) -> Result<Self, ControllerError> {
        let settings = Settings::default();
        let engine_hash =
            engine_hash(&settings).map_err(|error| ControllerError::Sandbox(error.to_string()))?;
        let directory = directory(controller);
        let cache =
            CompileCache::new(&directory, &engine_hash).map_err(file("make", &directory))?;
        let folder = directory.join(SERVERS.kind);
        let servers = CompileCache::new(&folder, &engine_hash).map_err(file("make", &folder))?;
        Ok(Self {
            servers: Arc::new(servers),
            program: controller.program.clone(),
            settings,
            engine_hash,
            cache: Arc::new(cache),
        })
    }
}

/// Removes what programs with another engine compiled, which this one never asks for; how many
/// files. Blocks.
pub fn forget_others(controller: &ControllerContext) -> Result<usize, ControllerError> {
    let compiler = ChildCompiler::new(controller)?;
    let forget = || Ok(compiler.cache.forget_others()? + compiler.servers.forget_others()?);
    forget().map_err(file("clear", directory(controller)))
}

/// Where compiled charms are kept.
fn directory(controller: &ControllerContext) -> PathBuf {
    controller.data_dir.join("cache").join("compiled")
}

#[async_trait]
impl CharmCompiler for ChildCompiler {
    fn engine_hash(&self) -> String {
        self.engine_hash.clone()
    }

    async fn compile(
        &self,
        components: Components<'_>,
        turn: Option<Turn>,
    ) -> Result<CompiledCharm, CompileProblem> {
        let (program, settings) = (self.program.clone(), self.settings.clone());
        let (charms, others) = (Arc::clone(&self.cache), Arc::clone(&self.servers));
        let charm = components.charm.to_vec();
        let servers: Vec<Vec<u8>> = components.servers.iter().map(|one| one.to_vec()).collect();
        let compiled = tokio::task::spawn_blocking(move || {
            let _turn = turn;
            let compile = |cache: &CompileCache, component: &[u8], kind: &str| {
                cache.get_or_compile(component, |bytes| {
                    let limits = ChildLimits::default();
                    compile_in_child(&program, &[COMMAND], kind, &settings, bytes, &limits)
                })
            };
            let charm = compile(&charms, &charm, CHARMS.kind)?;
            let servers = servers
                .iter()
                .map(|one| compile(&others, one, SERVERS.kind));
            Ok((charm, servers.collect::<Result<Vec<_>, _>>()?))
        });
        let (charm, servers) = match compiled.await {
            Ok(compiled) => compiled.map_err(problem)?,
            Err(error) => {
                return Err(CompileProblem {
                    refusal: Refusal::CompileFailed,
                    message: error.to_string(),
                });
            }
        };
        let imported = servers.iter().flat_map(|one| &one.inspection().imports);
        Ok(CompiledCharm {
            server_imports: imported.cloned().collect(),
            cwasm: pack(&charm, &servers),
            hooks: charm.inspection().hooks.clone(),
            imports: charm.inspection().imports.clone(),
            engine_hash: charm.engine_hash().to_owned(),
        })
    }
}

fn problem(error: CompileError) -> CompileProblem {
    CompileProblem {
        refusal: error.refusal(),
        message: error.to_string(),
    }
}

//! What turns a charm's component into something an agent can run; implemented where the
//! sandbox is, since the server never loads a guest.

use async_trait::async_trait;
use periapt_model::Refusal;
use periapt_model::charm::Archive;

use crate::turns::Turn;

/// Compiles components, in a process of its own.
#[async_trait]
pub trait CharmCompiler: Send + Sync + 'static {
    /// Identity of the engine the result runs on: version, settings, processor.
    fn engine_hash(&self) -> String;

    /// Compiles and asks the charm's component which hooks it implements. The turn is let go when the
    /// compilation has ended, also one for whose result nobody waits any more.
    async fn compile(
        &self,
        components: Components<'_>,
        turn: Option<Turn>,
    ) -> Result<CompiledCharm, CompileProblem>;
}

/// The components of a charm.
#[derive(Clone, Debug)]
pub struct Components<'a> {
    /// The one that answers hooks.
    pub charm: &'a [u8],
    /// Those of its web workloads.
    pub servers: Vec<&'a [u8]>,
}

impl<'a> Components<'a> {
    /// Those in an archive.
    pub fn of(archive: &'a Archive) -> Self {
        Self {
            charm: archive.component(),
            servers: archive.components().map(|(_, bytes)| bytes).collect(),
        }
    }
}

/// The compiled components of a charm.
#[derive(Clone, Debug)]
pub struct CompiledCharm {
    pub cwasm: Vec<u8>,
    /// In the component's own order.
    pub hooks: Vec<String>,
    /// Interfaces that the charm's own component imports, with versions.
    pub imports: Vec<String>,
    /// Those that its web workloads import.
    pub server_imports: Vec<String>,
    pub engine_hash: String,
}

/// Why a component cannot become a charm here.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{message}")]
pub struct CompileProblem {
    pub refusal: Refusal,
    pub message: String,
}

//! What turns a charm's component into something an agent can run; implemented where the
//! sandbox is, since the server never loads a guest.

use async_trait::async_trait;

use crate::turns::Turn;

/// Compiles components, in a process of its own.
#[async_trait]
pub trait CharmCompiler: Send + Sync + 'static {
    /// Identity of the engine the result runs on: version, settings, processor.
    fn engine_hash(&self) -> String;

    /// Compiles and asks the component which hooks it implements. The turn is let go when the
    /// compilation has ended, also one for whose result nobody waits any more.
    async fn compile(
        &self,
        component: &[u8],
        turn: Option<Turn>,
    ) -> Result<CompiledCharm, CompileProblem>;
}

/// A compiled component.
#[derive(Clone, Debug)]
pub struct CompiledCharm {
    pub cwasm: Vec<u8>,
    /// In the component's own order.
    pub hooks: Vec<String>,
    pub engine_hash: String,
}

/// Why a component cannot become a charm here.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{message}")]
pub struct CompileProblem {
    /// Stable, lower case with dashes.
    pub code: String,
    pub message: String,
}

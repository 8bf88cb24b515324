//! From uploaded bytes to a charm that can be deployed: read, check, compile, store.

use bytes::Bytes;
use periapt_model::charm::capability::{self, Imports, Undeclared};
use periapt_model::charm::{Archive, ArchiveError, Capability, CharmInfo, CharmUrl};
use periapt_model::refusal::{Name, Subject};
use periapt_model::{ModelUuid, NameError, Refusal};
use periapt_store::{CompiledForm, StoreError};
use thiserror::Error;

use crate::compiler::{CompileProblem, CompiledCharm, Components};
use crate::rpc::RpcError;
use crate::state::ServerState;
use crate::turns::Turn;

/// Why bytes did not become a charm.
#[derive(Debug, Error)]
pub enum CharmError {
    #[error(transparent)]
    Archive(#[from] ArchiveError),
    #[error("the charm's name: {0}")]
    Name(#[from] NameError),
    #[error(transparent)]
    Compile(#[from] CompileProblem),
    #[error(transparent)]
    Undeclared(#[from] Undeclared),
    #[error("the archive could not be read to the end")]
    Interrupted,
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl CharmError {
    /// What the caller is told of it beside the reason.
    pub fn refusal(&self) -> Refusal {
        match self {
            CharmError::Archive(error) => error.refusal(),
            CharmError::Name(_) => Refusal::NameInvalid(Name::Charm),
            CharmError::Compile(problem) => problem.refusal,
            CharmError::Undeclared(undeclared) => undeclared.refusal(),
            CharmError::Interrupted => Refusal::InternalError,
            CharmError::Store(error) => error.refusal(),
        }
    }
}

impl From<CharmError> for RpcError {
    fn from(error: CharmError) -> Self {
        match error {
            CharmError::Store(error) => error.into(),
            other => RpcError::new(other.refusal(), other.to_string()),
        }
    }
}

/// Makes the archive a charm of the model, in the turn of who uploaded it. The same bytes again
/// give the same charm.
pub async fn upload(
    state: &ServerState,
    model: &ModelUuid,
    bytes: Bytes,
    turn: Turn,
) -> Result<CharmInfo, CharmError> {
    let archive = read(bytes.clone()).await?;
    let store = state.store();
    if let Some(known) = store
        .charms(model)
        .await?
        .into_iter()
        .find(|charm| charm.sha256 == archive.sha256)
    {
        return Ok(known);
    }
    let compiler = state.compiler();
    let compiled = compiler
        .compile(Components::of(&archive), Some(turn))
        .await?;
    archive.declared.allows(&compiled.imports)?;
    // The store gives the revision; it is one transaction with the row.
    let info = CharmInfo {
        unused: unused(&archive, &compiled),
        ..archive.info(
            CharmUrl::new(&archive.metadata.name, 0)?,
            compiled.hooks.clone(),
        )
    };
    let form = keep(state, compiled).await?;
    Ok(store.add_compiled_charm(model, info, bytes, form).await?)
}

/// Compiles a stored charm for this controller's engine unless that is done.
pub async fn ensure_compiled(state: &ServerState, charm: &CharmInfo) -> Result<(), CharmError> {
    let store = state.store();
    if store
        .compiled(&charm.sha256, &state.compiler().engine_hash())
        .await?
        .is_some()
    {
        return Ok(());
    }
    let bytes = store
        .get_blob(&charm.sha256)
        .await?
        .ok_or_else(|| StoreError::NotFound {
            kind: Subject::CharmArchive,
            name: charm.sha256.clone(),
        })?;
    let archive = read(bytes).await?;
    let compiled = state
        .compiler()
        .compile(Components::of(&archive), None)
        .await?;
    let form = keep(state, compiled).await?;
    Ok(store.put_compiled(&charm.sha256, form).await?)
}

/// What is declared and no component could use.
fn unused(archive: &Archive, compiled: &CompiledCharm) -> Vec<Capability> {
    let imports = Imports {
        charm: &compiled.imports,
        servers: &compiled.server_imports,
    };
    let all = capability::unused(&archive.declared, imports).into_iter();
    all.map(|one| one.capability).collect()
}

/// Unpacking is work for a core, not for the reactor.
pub(crate) async fn read(bytes: Bytes) -> Result<Archive, CharmError> {
    let archive = tokio::task::spawn_blocking(move || Archive::read(&bytes)).await;
    Ok(archive.map_err(|_| CharmError::Interrupted)??)
}

/// Stores the bytes of a compiled charm, which nothing refers to yet.
async fn keep(state: &ServerState, compiled: CompiledCharm) -> Result<CompiledForm, StoreError> {
    let digest = state.store().put_blob(Bytes::from(compiled.cwasm)).await?;
    Ok(CompiledForm {
        engine_hash: compiled.engine_hash,
        digest,
    })
}

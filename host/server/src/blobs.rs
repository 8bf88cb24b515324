//! Downloads of agents: archives and compiled components of their model's charms.
//!
//! A blob is named by its digest, or by `<archive digest>.<engine hash>` for the compiled form
//! of that archive's component: an agent knows the archive and its own engine, not what the
//! compiler's output hashed to.
//!
//! A compiled form that is damaged in the database is forgotten, which makes it pending: it is
//! compiled again, and meanwhile the units of the agent that asked wait.

use bytes::Bytes;
use periapt_model::refusal::Subject;
use periapt_model::{ModelUuid, Refusal};
use periapt_store::{DatabaseError, StoreError};

use crate::rpc::RpcError;
use crate::state::ServerState;

/// The bytes, if the model uses them. What it does not use looks absent.
pub(crate) async fn read(
    state: &ServerState,
    model: &ModelUuid,
    name: &str,
) -> Result<Bytes, RpcError> {
    let absent = || {
        RpcError::new(
            Refusal::NotFound(Subject::Blob),
            format!("blob {name} not found"),
        )
    };
    let store = state.store();
    let digest = match name.split_once('.') {
        None => name.to_owned(),
        Some((archive, engine)) => store.compiled(archive, engine).await?.ok_or_else(absent)?,
    };
    if !store.model_uses_blob(model, &digest).await? {
        return Err(absent());
    }
    match store.get_blob(&digest).await {
        Err(error @ StoreError::Database(DatabaseError::Corrupt { .. })) if digest != name => {
            tracing::warn!(blob = name, %error, "a compiled charm is damaged; compiling it again");
            store.forget_compiled(&digest).await?;
            Err(absent())
        }
        bytes => bytes?.ok_or_else(absent),
    }
}

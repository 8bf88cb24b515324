//! **credentialvalidator**: a flag that is true while the model's credential is valid.
//!
//! Trigger: somebody says that the credential is not valid, or that it was replaced: a worker
//! whose provider was refused, or a person. Action: the flag bounces, also when a credential
//! that was valid was replaced. Effect: what talks to the provider stops, or begins anew with
//! what is there now. Everything else of the model goes on, its units above all. It never asks
//! the provider itself.

use periapt_engine::flag::Flag;
use periapt_engine::{Manifold, Outputs, ResultExt, TaskWorker, WorkerError, WorkerResult};
use periapt_providers::ProviderError;
use periapt_wire::ApiConnection;
use periapt_wire::agent::credential_validator::{
    GetModelCredential, InvalidateModelCredential, WatchModelCredential,
};
use periapt_wire::rest::ModelCredential;
use serde_json::json;

use super::apicaller;
use crate::watching;

pub const NAME: &str = "valid-credential-flag";

/// Lends a [`Flag`].
pub fn manifold() -> Manifold {
    Manifold::new(|context| async move {
        let api: ApiConnection = context.get(apicaller::NAME)?;
        let found = context.or_abort(read(&api)).await??;
        let lent = Outputs::of(Flag(found.valid));
        Ok(TaskWorker::lending(lent, move |worker| async move {
            worker.set_report(json!({ "valid": found.valid, "reason": found.reason }));
            let (watch, doing) = (WatchModelCredential {}, "watching the credential");
            watching::notify(&worker, &api, watch, doing, || async {
                let now = read(&api).await?;
                if (now.valid, now.since) != (found.valid, found.since) {
                    return Err(WorkerError::Bounce);
                }
                Ok(())
            })
            .await
        }))
    })
    .needs([apicaller::NAME])
}

/// What is said of the model's credential now.
///
/// # Errors
/// Those of the API.
pub async fn read(api: &ApiConnection) -> Result<ModelCredential, WorkerError> {
    let found = api.call(&GetModelCredential {}).await;
    found.while_doing("reading the credential's validity")
}

/// Says that the credential is not valid if that is what `error` is about. For workers whose
/// provider refused them.
///
/// # Errors
/// Those of the API.
pub async fn note_refusal(api: &ApiConnection, error: &ProviderError) -> WorkerResult {
    if !error.refuses_credential() {
        return Ok(());
    }
    tracing::warn!(%error, "the provider refused the credential");
    let reason = error.to_string();
    api.call(&InvalidateModelCredential { reason })
        .await
        .while_doing("marking the credential as not valid")
        .map(|_| ())
}

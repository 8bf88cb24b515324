//! The connection that workers hold.
//!
//! Behind an [`ApiConnection`] stands a websocket, or, for the agents that live in the controller's
//! own process, a channel into the same facades; workers cannot tell. It is here, beside the shapes
//! that travel over it, so that who answers calls and who makes them need nothing of each other.
//! How a connection is made is the caller's business ([`Caller`]).

use std::sync::Arc;

use async_trait::async_trait;
use bytes::Bytes;
use periapt_model::hook::commit::Refused;
use thiserror::Error;
use tokio_util::sync::CancellationToken;

use crate::rpc::{Call, Changes, Json, WATCHER_FACADE, WATCHER_NEXT, WATCHER_STOP, Watch, json};

/// Why a call failed.
#[derive(Clone, Debug, Error)]
pub enum CallError {
    /// The controller answered with an error; `code` is one of `wire::rpc::code`.
    #[error("{message}")]
    Refused { code: String, message: String },
    /// The connection is gone; it is not known whether the call took effect.
    #[error("connection to the controller lost: {0}")]
    Disconnected(String),
    /// The answer does not have the shape the facade promises.
    #[error("unexpected answer from the controller: {0}")]
    Unexpected(String),
}

impl CallError {
    /// The wire's error code, empty when the controller did not answer.
    pub fn code(&self) -> &str {
        match self {
            CallError::Refused { code, .. } => code,
            _ => "",
        }
    }

    pub fn is(&self, code: &str) -> bool {
        self.code() == code
    }
}

impl From<Refused> for CallError {
    fn from(Refused { refusal, why }: Refused) -> Self {
        CallError::Refused {
            code: refusal.call_code().to_owned(),
            message: why,
        }
    }
}

/// A way to make RPC calls.
#[async_trait]
pub trait Caller: Send + Sync + 'static {
    async fn request(
        &self,
        facade: &str,
        version: u32,
        method: &str,
        id: Option<String>,
        params: Option<Json>,
    ) -> Result<Json, CallError>;

    /// The bytes of a stored blob, by its digest.
    async fn blob(&self, digest: &str) -> Result<Bytes, CallError>;

    /// Cancelled once the connection is gone.
    fn broken(&self) -> CancellationToken;
}

/// A cloneable, logged-in connection.
#[derive(Clone)]
pub struct ApiConnection {
    caller: Arc<dyn Caller>,
}

impl ApiConnection {
    pub fn new(caller: Arc<dyn Caller>) -> Self {
        Self { caller }
    }

    pub async fn call<C: Call>(&self, call: &C) -> Result<C::Reply, CallError> {
        let params = json(call).map_err(unexpected)?;
        let answer = self
            .caller
            .request(C::FACADE, C::VERSION, C::METHOD, None, Some(params))
            .await?;
        serde_json::from_str(answer.get()).map_err(unexpected)
    }

    /// Begins to watch. The first `next` answers at once with the first event.
    pub async fn watch<C: Call<Reply = Watch>>(&self, call: &C) -> Result<Watcher, CallError> {
        let first = self.call(call).await?;
        Ok(Watcher {
            connection: self.clone(),
            id: first.watcher_id,
            first: Some(first.changes),
        })
    }

    pub async fn blob(&self, digest: &str) -> Result<Bytes, CallError> {
        self.caller.blob(digest).await
    }

    pub fn broken(&self) -> CancellationToken {
        self.caller.broken()
    }
}

/// A watcher held in the controller. Dropping it stops it there.
pub struct Watcher {
    connection: ApiConnection,
    id: String,
    first: Option<Vec<String>>,
}

impl Watcher {
    /// The next event: keys that changed, an empty list for watchers of one thing. Safe to
    /// cancel: an event not taken is delivered by the next call.
    pub async fn next(&mut self) -> Result<Vec<String>, CallError> {
        if let Some(first) = self.first.take() {
            return Ok(first);
        }
        let answer = self
            .connection
            .caller
            .request(WATCHER_FACADE, 1, WATCHER_NEXT, Some(self.id.clone()), None)
            .await?;
        let changes: Changes = serde_json::from_str(answer.get()).map_err(unexpected)?;
        Ok(changes.changes)
    }
}

impl Drop for Watcher {
    fn drop(&mut self) {
        let caller = self.connection.caller.clone();
        let id = std::mem::take(&mut self.id);
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            runtime.spawn(async move {
                // A watcher of a lost connection is gone already.
                let _ = caller
                    .request(WATCHER_FACADE, 1, WATCHER_STOP, Some(id), None)
                    .await;
            });
        }
    }
}

fn unexpected(error: serde_json::Error) -> CallError {
    CallError::Unexpected(error.to_string())
}

//! Connections of the controller's own agents: the same session, without a socket.

use std::sync::Arc;

use async_trait::async_trait;
use bytes::Bytes;
use periapt_wire::rpc::Json;
use periapt_wire::{ApiConnection, CallError, Caller};
use tokio_util::sync::CancellationToken;

use super::session::Session;
use crate::identity::Identity;
use crate::state::ServerState;

/// A connection for `identity` that lives until the API server shuts down.
pub fn in_process(state: &ServerState, identity: Identity) -> ApiConnection {
    ApiConnection::new(caller(state, identity))
}

/// The same, for calls by name.
pub fn caller(state: &ServerState, identity: Identity) -> Arc<dyn Caller> {
    let model = match &identity {
        Identity::Agent { model, .. } => Some(model.clone()),
        Identity::Controller { model } => model.clone(),
        Identity::User { .. } => None,
    };
    let broken = state.closing().child_token();
    let session = Session::new(state.clone(), identity, model, broken.clone());
    Arc::new(InProcess { session, broken })
}

struct InProcess {
    session: Session,
    broken: CancellationToken,
}

#[async_trait]
impl Caller for InProcess {
    async fn request(
        &self,
        facade: &str,
        version: u32,
        method: &str,
        id: Option<String>,
        params: Option<Json>,
    ) -> Result<Json, CallError> {
        if self.broken.is_cancelled() {
            return Err(CallError::Disconnected("the API server stopped".to_owned()));
        }
        Ok(self
            .session
            .call(facade, version, method, id.as_deref(), params.as_deref())
            .await?)
    }

    async fn blob(&self, digest: &str) -> Result<Bytes, CallError> {
        let model = self.session.model()?;
        Ok(crate::blobs::read(self.session.state(), model, digest).await?)
    }

    fn broken(&self) -> CancellationToken {
        self.broken.clone()
    }
}

impl Drop for InProcess {
    fn drop(&mut self) {
        self.broken.cancel();
    }
}

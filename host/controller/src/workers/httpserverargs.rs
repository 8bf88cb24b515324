//! **httpserverargs**: the mux and the authenticator, which both the API and the HTTP server need.
//!
//! Trigger: start. Effect: the API server can restart while the listener stays open; requests are
//! told to come back until the routes are there again.

use std::sync::Arc;

use periapt_engine::{Manifold, Outputs, ValueWorker};
use periapt_server::{Authenticator, Mux};
use periapt_store::Store;

use super::dbaccessor;

pub const NAME: &str = "http-server-args";

/// Lends the [`Mux`] and the `Arc<`[`Authenticator`]`>`.
pub fn manifold() -> Manifold {
    Manifold::new(|context| async move {
        let store: Store = context.get(dbaccessor::NAME)?;
        let authenticator: Arc<Authenticator> = Authenticator::new(store, context.clock());
        Ok(ValueWorker::with(
            Outputs::of(Mux::new()).and(authenticator),
        ))
    })
    .needs([dbaccessor::NAME])
}

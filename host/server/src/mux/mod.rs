//! The route slot that outlives whoever fills it.
//!
//! The listener serves the mux; the API server, and whoever else has pages to show, adds its
//! router while it lives and takes it away when it ends. So the API server can be restarted
//! while the port stays open, and requests in between get a 503 that says so. A router is found
//! by the longest prefix on a path boundary and sees the whole path.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use arc_swap::ArcSwap;
use axum::Router;
use axum::body::Body;
use axum::extract::Request;
use axum::response::{IntoResponse, Response};
use periapt_model::Refusal;
use periapt_wire::Problem;
use tower::ServiceExt;

use crate::error::ServerError;
use crate::rest::problem::Answer;

#[cfg(test)]
mod tests;

/// The slot. Clones share it.
#[derive(Clone, Default)]
pub struct Mux {
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    routes: ArcSwap<BTreeMap<String, Router>>,
    /// Held while the table is replaced; readers never wait for it.
    changing: Mutex<()>,
}

impl Mux {
    pub fn new() -> Self {
        Self::default()
    }

    /// Serves paths under `prefix` by `router` until the guard is dropped.
    pub fn add(&self, prefix: &str, router: Router) -> Result<RouteGuard, ServerError> {
        if !prefix.starts_with('/') {
            return Err(ServerError::RoutePrefix {
                prefix: prefix.to_owned(),
            });
        }
        let _changing = self
            .shared
            .changing
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let mut routes = BTreeMap::clone(&self.shared.routes.load());
        if routes.contains_key(prefix) {
            return Err(ServerError::RouteTaken {
                prefix: prefix.to_owned(),
            });
        }
        routes.insert(prefix.to_owned(), router);
        self.shared.routes.store(Arc::new(routes));
        Ok(RouteGuard {
            mux: self.clone(),
            prefix: prefix.to_owned(),
        })
    }

    /// How many routers are in place.
    pub fn clients(&self) -> usize {
        self.shared.routes.load().len()
    }

    /// Answers one request.
    pub async fn answer(&self, request: Request<Body>) -> Response {
        let Some(router) = self.find(request.uri().path()) else {
            return Answer(
                Problem::new(Refusal::ApiNotServing)
                    .titled("The API is not serving")
                    .why("the controller is starting, restarting a part of itself, or stopping"),
            )
            .into_response();
        };
        match router.oneshot(request).await {
            Ok(response) => response,
            Err(never) => match never {},
        }
    }

    fn find(&self, path: &str) -> Option<Router> {
        let routes = self.shared.routes.load();
        routes
            .iter()
            .filter(|(prefix, _)| under(path, prefix))
            .max_by_key(|(prefix, _)| prefix.len())
            .map(|(_, router)| router.clone())
    }

    fn remove(&self, prefix: &str) {
        let _changing = self
            .shared
            .changing
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let mut routes = BTreeMap::clone(&self.shared.routes.load());
        routes.remove(prefix);
        self.shared.routes.store(Arc::new(routes));
    }
}

fn under(path: &str, prefix: &str) -> bool {
    let prefix = prefix.trim_end_matches('/');
    path.strip_prefix(prefix)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Keeps a router in the mux. Requests it already answers go on after the drop.
pub struct RouteGuard {
    mux: Mux,
    prefix: String,
}

impl Drop for RouteGuard {
    fn drop(&mut self) {
        self.mux.remove(&self.prefix);
    }
}

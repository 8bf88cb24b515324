//! **httpserver**: the TLS listener.
//!
//! Trigger: start. Action: it serves the mux on the controller's ports. Effect: the controller is
//! ready. At its end it refuses new connections, lets running requests finish within a bound,
//! then cuts them. It knows no route.

use std::sync::Arc;
use std::time::Duration;

use periapt_engine::descriptors;
use periapt_engine::{Manifold, ResultExt, TaskWorker, WorkerContext};
use periapt_server::authority::{LeafResolver, server_config};
use periapt_server::listener::{Budgets, ListenerLimits, Serve, serve};
use periapt_server::{Mux, ServerState};
use serde_json::json;

use super::{agent, apiserver, apiservercertwatcher, controllerport, httpserverargs};
use crate::ControllerContext;

pub const NAME: &str = "http-server";

/// How long running requests may take at the end.
const DRAIN: Duration = Duration::from_secs(5);

/// Lends nothing.
pub fn manifold() -> Manifold {
    Manifold::new(|context| async move {
        let controller: ControllerContext = context.get(agent::NAME)?;
        let port: controllerport::Port = context.get(controllerport::NAME)?;
        let resolver: LeafResolver = context.get(apiservercertwatcher::NAME)?;
        let mux: Mux = context.get(httpserverargs::NAME)?;
        let state: ServerState = context.get(apiserver::NAME)?;
        let metrics = state.observation().metrics.clone();
        let tls = server_config(&resolver).while_doing("setting up TLS")?;
        let (listeners, doors) = port.open().while_doing("listening")?;
        Ok(TaskWorker::spawn(move |worker| async move {
            let limits = limits(&worker, &port.address.to_string(), listeners.len());
            // The worker has the listeners alone now, so that its end closes the ports.
            drop(port);
            let _store_user = controller.store_users.token();
            controller.ready.unlock();
            let dying = worker.dying();
            let serving = listeners.into_iter().map(|listener| {
                serve(Serve {
                    listener,
                    tls: Arc::clone(&tls),
                    mux: mux.clone(),
                    dying: dying.clone(),
                    drain: DRAIN,
                    limits,
                    metrics: metrics.clone(),
                })
            });
            // From the first moment of its end clients try another process.
            let closed = async {
                dying.cancelled().await;
                drop(doors);
                std::future::pending::<std::convert::Infallible>().await
            };
            tokio::select! {
                served = futures::future::try_join_all(serving) => {
                    served.while_doing("serving").map(|_| ())
                }
                never = closed => match never {},
            }
        }))
    })
    .needs([
        agent::NAME,
        controllerport::NAME,
        apiservercertwatcher::NAME,
        httpserverargs::NAME,
        apiserver::NAME,
    ])
}

/// What each of the listeners of this process can serve with the file descriptors it may have.
fn limits(worker: &WorkerContext, address: &str, listeners: usize) -> ListenerLimits {
    let (limit, wanted) = (descriptors::limit(), Budgets::DESCRIPTORS);
    let limits = ListenerLimits::of_descriptors(limit / listeners.max(1) as u64);
    let connections = limits.budgets.connections;
    if limit < wanted {
        tracing::warn!(
            "this process may open {limit} files, which is enough for {connections} connections; \
             for all that it can serve it needs {wanted}: raise the limit (`ulimit -n`, LimitNOFILE)"
        );
    }
    worker.set_report(json!({
        "address": address, "connections": connections,
        "file-descriptors": { "limit": limit, "wanted": wanted },
    }));
    limits
}

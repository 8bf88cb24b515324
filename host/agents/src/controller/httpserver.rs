//! **httpserver**: the TLS listener.
//!
//! Trigger: start. Action: it serves the mux on the controller's port. Effect: the controller is
//! ready. At its end it refuses new connections, lets running requests finish within a bound,
//! then cuts them. It knows no route.

use std::time::Duration;

use periapt_engine::{Manifold, ResultExt, TaskWorker};
use periapt_server::authority::{LeafResolver, server_config};
use periapt_server::listener::{ListenerLimits, Serve, serve};
use periapt_server::{Mux, ServerState};
use serde_json::json;

use super::{
    ControllerContext, agent, apiserver, apiservercertwatcher, controllerport, httpserverargs,
};

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
        let listener = port.listener().while_doing("listening")?;
        Ok(TaskWorker::spawn(move |worker| async move {
            worker.set_report(json!({ "address": port.address.to_string() }));
            // The worker has the listener alone now, so that its end closes the port.
            drop(port);
            let _store_user = controller.store_users.token();
            controller.ready.unlock();
            let dying = worker.dying().clone();
            let limits = ListenerLimits::default();
            serve(Serve {
                listener,
                tls,
                mux,
                dying,
                drain: DRAIN,
                limits,
                metrics,
            })
            .await
            .while_doing("serving")
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

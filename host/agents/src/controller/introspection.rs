//! **introspection**: a look into this process over a unix socket.
//!
//! Trigger: an HTTP request on `introspection.sock` in the data directory. Answers:
//! `/depengine` all engines with every node, its state, inputs, start count, error and report;
//! `/leases` who holds what; `/metrics` the same in numbers. It only reads. The socket's
//! directory is closed to other users.

use std::fmt::Write;
use std::sync::Arc;

use axum::extract::State;
use axum::http::header::CONTENT_TYPE;
use axum::response::IntoResponse;
use axum::routing::get;
use axum::{Json, Router};
use periapt_engine::{EngineReport, Manifold, NodeState, ResultExt, TaskWorker, WorkerError};
use periapt_store::{Store, lease::Manager};
use serde_json::json;
use tokio::net::UnixListener;

use super::reports::EngineRegistry;
use super::{ControllerContext, agent, dbaccessor, lease};

pub const NAME: &str = "introspection";

/// The socket's name within the data directory.
pub const SOCKET: &str = "introspection.sock";

#[derive(Clone)]
struct Seen {
    engines: EngineRegistry,
    store: Store,
    leases: Manager,
}

/// Lends nothing.
pub fn manifold() -> Manifold {
    Manifold::new(|context| async move {
        let controller: ControllerContext = context.get(agent::NAME)?;
        let store: Store = context.get(dbaccessor::NAME)?;
        let leases: Manager = context.get(lease::NAME)?;
        let path = controller.data_dir.join(SOCKET);
        // The data directory's lock is held: whoever left a socket is gone.
        let _ = std::fs::remove_file(&path);
        let listener = match UnixListener::bind(&path) {
            // The kernel allows about 100 bytes.
            Err(error) if error.kind() == std::io::ErrorKind::InvalidInput => {
                return Err(WorkerError::Uninstall
                    .during("the data directory's path is too long for a socket"));
            }
            bound => bound.while_doing("opening the introspection socket")?,
        };
        let seen = Arc::new(Seen {
            engines: controller.engines.clone(),
            store,
            leases,
        });
        let routes = Router::new()
            .route("/depengine", get(depengine))
            .route("/leases", get(leases_held))
            .route("/metrics", get(metrics))
            .with_state(seen);
        Ok(TaskWorker::spawn(move |worker| async move {
            worker.set_report(json!({ "socket": path.display().to_string() }));
            let served = worker
                .or_dying(axum::serve(listener, routes).into_future())
                .await;
            let _ = std::fs::remove_file(&path);
            served?.while_doing("serving introspection")
        }))
    })
    .needs([agent::NAME, dbaccessor::NAME, lease::NAME])
}

async fn depengine(State(seen): State<Arc<Seen>>) -> impl IntoResponse {
    Json(json!({ "controller": seen.engines.controller(), "models": seen.engines.models() }))
}

async fn leases_held(State(seen): State<Arc<Seen>>) -> impl IntoResponse {
    Json(seen.leases.report())
}

async fn metrics(State(seen): State<Arc<Seen>>) -> impl IntoResponse {
    let mut text =
        String::from("# TYPE periapt_worker_running gauge\n# TYPE periapt_worker_starts counter\n");
    if let Some(report) = seen.engines.controller() {
        expose(&mut text, "controller", &report);
    }
    for (model, report) in seen.engines.models() {
        expose(&mut text, model.as_str(), &report);
    }
    if let Some(store) = seen.store.report().as_object() {
        for (name, number) in store.iter().filter(|(_, value)| value.is_number()) {
            let _ = writeln!(text, "periapt_store_{} {number}", name.replace('-', "_"));
        }
    }
    ([(CONTENT_TYPE, "text/plain; version=0.0.4")], text)
}

fn expose(text: &mut String, engine: &str, report: &EngineReport) {
    for (node, state) in &report.manifolds {
        let running = u8::from(state.state == NodeState::Started);
        let labels = format!("{{engine=\"{engine}\",node=\"{node}\"}}");
        // Writing to a string cannot fail.
        let _ = writeln!(text, "periapt_worker_running{labels} {running}");
        let _ = writeln!(text, "periapt_worker_starts{labels} {}", state.start_count);
    }
}

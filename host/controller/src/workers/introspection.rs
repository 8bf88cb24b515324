//! **introspection**: a look into this process over a unix socket.
//!
//! Trigger: an HTTP request on `introspection.sock` in the data directory. Answers:
//! `/depengine` all engines of this process with every node, its state, inputs, start count,
//! error and report; `/machinelock` holder, queue and history of every machine's lock and
//! `/units` what runs the units, both asked from the agents; `/leases` who holds what, and who
//! pins it; `/presence` which agents are connected; `/metrics` the same text as the API's. Under
//! `/models/UUID/` there is the same about one model and its agent. It only reads, and it
//! answers while the API does not. The socket's directory is closed to other users.

use std::sync::Arc;

use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Json, Router};
use periapt_engine::{Manifold, ResultExt, TaskWorker, WorkerError};
use periapt_model::ModelUuid;
use periapt_server::introspection::{IntrospectionError, Report, Scope};
use periapt_server::metrics::expose::CONTENT_TYPE as OPENMETRICS;
use periapt_server::{Introspection, Presence};
use periapt_store::{Store, lease::Manager};
use serde_json::json;
use tokio::net::UnixListener;

use super::{agent, dbaccessor, lease, presence};
use crate::{ControllerContext, reports};

pub const NAME: &str = "introspection";

/// The socket's name within the data directory.
pub const SOCKET: &str = "introspection.sock";

/// Lends nothing.
pub fn manifold() -> Manifold {
    Manifold::new(|context| async move {
        let controller: ControllerContext = context.get(agent::NAME)?;
        let store: Store = context.get(dbaccessor::NAME)?;
        let leases: Manager = context.get(lease::NAME)?;
        let presence: Presence = context.get(presence::NAME)?;
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
        let seen = Introspection {
            observation: controller.observation.clone(),
            store,
            leases,
            presence,
            reports: Arc::new(reports::Engines::new(&controller)),
        };
        let routes = Router::new()
            .route("/{report}", get(of_controller))
            .route("/models/{model}/{report}", get(of_model))
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
    .needs([agent::NAME, dbaccessor::NAME, lease::NAME, presence::NAME])
}

async fn of_controller(State(seen): State<Introspection>, Path(report): Path<String>) -> Response {
    answer(&seen, &report, Scope::Controller).await
}

async fn of_model(
    State(seen): State<Introspection>,
    Path((model, report)): Path<(String, String)>,
) -> Response {
    match model.parse::<ModelUuid>() {
        Ok(model) => answer(&seen, &report, Scope::Model(model)).await,
        Err(error) => (StatusCode::NOT_FOUND, format!("{error}\n")).into_response(),
    }
}

async fn answer(seen: &Introspection, report: &str, scope: Scope) -> Response {
    match seen.report(report, &scope).await {
        Ok(Report::Json(json)) => Json(json).into_response(),
        Ok(Report::Text(text)) => ([(CONTENT_TYPE, OPENMETRICS)], text).into_response(),
        Err(error) => {
            let status = match error {
                IntrospectionError::Unknown(_) => StatusCode::NOT_FOUND,
                _ => StatusCode::INTERNAL_SERVER_ERROR,
            };
            (status, format!("{error}\n")).into_response()
        }
    }
}

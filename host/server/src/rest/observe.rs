//! Every request, seen from outside its handler: counted, timed and traced; and the routes that
//! show what was seen.

use axum::Json;
use axum::extract::{Path, Request, State};
use axum::http::{HeaderMap, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use periapt_telemetry::{Parent, Span, SpanKind};
use periapt_wire::Problem;
use periapt_wire::access::Visitor;
use periapt_wire::rest::{
    EngineMap, Figures, LeaseReport, MachineLockReport, PresenceReport, Probe, UnitWorker, paths,
};
use utoipa_axum::routes;

use super::At;
use super::extract::InModel;
use super::problem::Answer;
use super::route::{ADMIN, Row, row};
use crate::identity::{Identity, Role};
use crate::introspection::{IntrospectionError, Report, Scope};
use crate::metrics::expose::CONTENT_TYPE;
use crate::state::ServerState;

pub(super) fn routes() -> Vec<Row> {
    vec![
        row(Visitor::Superuser, routes!(metrics)),
        // The probes are no part of what is described, and their answer is read all the same.
        row(Visitor::Superuser, routes!(figures)).with::<Probe>(),
        row(Visitor::Superuser, routes!(of_controller)),
        row(ADMIN, routes!(of_model))
            .with::<EngineMap>()
            .with::<MachineLockReport>()
            .with::<UnitWorker>()
            .with::<LeaseReport>()
            .with::<PresenceReport>(),
    ]
}

/// Stands before the gate, so that refused requests are seen too. The time of an answer without
/// end is the time until it begins.
pub(super) async fn observe(
    State((state, route)): State<At>,
    request: Request,
    next: Next,
) -> Response {
    let observation = state.observation();
    let clock = state.clock();
    let began = clock.monotonic();
    let started_at = clock.now().as_microsecond();
    let parent = if observation.spans.is_on() {
        parent(request.headers())
    } else {
        None
    };
    let response = next.run(request).await;
    let took = clock.monotonic().saturating_sub(began);
    let status = response.status().as_u16();
    observation
        .metrics
        .request(route.method, route.path, status, took);
    if observation.spans.is_on() {
        let kind = kind(response.extensions().get::<Identity>());
        observation.spans.record(Span {
            name: format!("{} {}", route.method, route.path).into(),
            kind: SpanKind::Server,
            started_at,
            duration: took,
            parent,
            attributes: vec![
                ("http.request.method", route.method.into()),
                ("http.route", route.path.into()),
                ("http.response.status_code", i64::from(status).into()),
                ("periapt.user.kind", kind.into()),
            ],
            failure: (status >= 500).then(|| format!("answered {status}")),
        });
    }
    response
}

/// The kind of a caller, for spans: never a name.
pub(crate) fn kind(identity: Option<&Identity>) -> &'static str {
    match identity.map(Identity::role) {
        None => "anonymous",
        Some(Role::User) => "user",
        Some(Role::Agent) => "agent",
        Some(Role::Controller) => "controller",
    }
}

fn parent(headers: &HeaderMap) -> Option<Parent> {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    Parent::read(text("traceparent")?, text("tracestate"))
}

/// Shows the figures of this process as Prometheus reads them.
#[utoipa::path(get, path = paths::METRICS.text, responses((status = 200, body = String, content_type = "text/plain")))]
async fn metrics(State(state): State<ServerState>) -> Response {
    let text = state
        .observation()
        .metrics
        .expose(&state.introspection())
        .await;
    ([(header::CONTENT_TYPE, CONTENT_TYPE)], text).into_response()
}

/// Shows the key figures of the last hour.
#[utoipa::path(get, path = paths::CONTROLLER_FIGURES.text, responses((status = 200, body = Figures)))]
async fn figures(State(state): State<ServerState>) -> Json<Figures> {
    Json(state.observation().metrics.figures())
}

/// Looks into the controller and all agents.
///
/// `depengine` is an `EngineMap`; `hooktimes`, `machinelock`, `units`, `leases` and `presence` are lists of `HookPart`, `MachineLockReport`, `UnitWorker`, `LeaseReport` and `PresenceReport`; `metrics` is OpenMetrics text.
#[utoipa::path(get, path = paths::CONTROLLER_INTROSPECTION.text, responses((status = 200, content((serde_json::Value = "application/json"), (String = "application/openmetrics-text")))))]
async fn of_controller(
    State(state): State<ServerState>,
    Path(report): Path<String>,
) -> Result<Response, Answer> {
    answer(&state, &report, Scope::Controller).await
}

/// Looks into a model and its agent.
///
/// The reports are those of the controller.
#[utoipa::path(get, path = paths::MODEL_INTROSPECTION.text, operation_id = "getModelIntrospection", responses((status = 200, content((serde_json::Value = "application/json"), (String = "application/openmetrics-text")))))]
async fn of_model(
    State(state): State<ServerState>,
    InModel(model): InModel,
    path: Path<(String, String)>,
) -> Result<Response, Answer> {
    let Path((_, report)) = path;
    answer(&state, &report, Scope::Model(model)).await
}

async fn answer(state: &ServerState, report: &str, scope: Scope) -> Result<Response, Answer> {
    match state.introspection().report(report, &scope).await {
        Ok(Report::Json(json)) => Ok(Json(json).into_response()),
        Ok(Report::Text(text)) => {
            Ok(([(header::CONTENT_TYPE, CONTENT_TYPE)], text).into_response())
        }
        Err(IntrospectionError::Store(error)) => Err(error.into()),
        Err(error) => Err(Answer(
            Problem::new(error.refusal())
                .titled("The report cannot be shown")
                .why(error.to_string()),
        )),
    }
}

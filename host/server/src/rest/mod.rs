//! The HTTP API of people and scripts, under `/v1`: one file per resource.
//!
//! Each file lists its routes, each in one row with for whom it is ([`route`]). What a request passes on its way is one list, [`through_layers`]. Handlers read the request
//! with the extractors of [`extract`], call the store and answer with the types of `wire::rest`, those
//! of changes through [`changed`], or with a [`problem::Answer`].

use std::sync::LazyLock;

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, Uri, Version, header};
use axum::middleware::from_fn_with_state;
use axum::response::{IntoResponse, Response};
use axum::routing::MethodRouter;
use periapt_model::Refusal;
use periapt_model::bounds::ANONYMOUS_BODY_BYTES;
use periapt_model::nearest::nearest;
use periapt_wire::Problem;
use periapt_wire::access::Visitor;
use tower::ServiceBuilder;
use tower_http::compression::CompressionLayer;

use crate::state::ServerState;
use crate::ui;

mod access;
mod agents;
mod alerts;
mod annotations;
mod applications;
mod arrival;
mod audit;
mod backups;
mod blobs;
mod blocked;
mod blocks;
mod bundles;
mod changed;
mod charm_repository;
mod charms;
mod clouds;
mod conditions;
mod controller;
mod controller_config;
mod credentials;
mod defaults;
mod events;
mod extract;
mod gate;
mod grants;
mod history;
mod hooks;
mod idempotency;
mod incidents;
mod incoming;
mod lines;
mod login;
mod logs;
mod machines;
mod metrics;
mod models;
mod nodes;
pub(crate) mod observe;
mod openapi;
mod operations;
mod page;
mod payloads;
mod probes;
pub mod problem;
mod reach;
mod register;
mod relations;
mod resources;
mod route;
mod secrets;
mod session;
pub(crate) mod sse;
mod status;
mod storage;
mod success;
#[cfg(test)]
mod tests;
mod timeline;
mod tokens;
mod top;
pub(crate) mod unit_files;
mod units;
mod unread;
mod users;
mod wait;
mod whoami;
mod workers;
mod workloads;

pub(crate) use bundles::Applies;
pub use charms::ARCHIVE_BYTES;
pub(crate) use gate::Admitted;
pub(crate) use idempotency::Running;
use openapi::known;
use problem::Answer;
// A row is public, so that its documentation can show which do not compile.
pub use route::{Route, Row, row};

/// Bytes of a JSON body.
const BODY_BYTES: usize = 2 << 20;

/// Smaller answers fit a packet as they are.
const WORTH_BYTES: usize = 1024;

/// A part of the API: how the description calls it and what it says of it, and its routes.
struct Resource {
    tag: &'static str,
    about: &'static str,
    rows: Vec<Row>,
}

/// All of the API, in the order in which a reader meets it.
fn table() -> &'static [Resource] {
    static TABLE: LazyLock<Vec<Resource>> = LazyLock::new(|| {
        let resource = |tag, about, rows: Vec<Vec<Row>>| Resource {
            tag,
            about,
            rows: rows.into_iter().flatten().collect(),
        };
        vec![
            resource(
                "login",
                "Proving who one is.",
                vec![
                    login::routes(),
                    session::routes(),
                    register::routes(),
                    whoami::routes(),
                ],
            ),
            resource(
                "users",
                "Accounts and who may do what.",
                vec![users::routes(), tokens::routes(), access::routes()],
            ),
            resource(
                "controller",
                "The controller itself.",
                vec![
                    controller::routes(),
                    nodes::routes(),
                    controller_config::routes(),
                    defaults::routes(),
                    secrets::backend_routes(),
                    observe::routes(),
                    probes::routes(),
                ],
            ),
            resource(
                "alerts",
                "What is watched for, what fires, and who is told.",
                vec![alerts::routes()],
            ),
            resource(
                "audit",
                "Every change, who made it and how it ended.",
                vec![audit::routes()],
            ),
            resource(
                "backups",
                "Backups of the whole controller.",
                vec![backups::routes()],
            ),
            resource(
                "clouds",
                "Clouds: where models may be.",
                vec![clouds::routes()],
            ),
            resource(
                "models",
                "Models: where applications live.",
                vec![
                    models::routes(),
                    credentials::routes(),
                    blocks::routes(),
                    annotations::routes(),
                ],
            ),
            resource(
                "bundles",
                "Bundles: several applications and their relations in one file.",
                vec![bundles::routes()],
            ),
            resource(
                "charms",
                "Charms of a model, and those of the controller's charm repository.",
                vec![charms::routes(), charm_repository::routes()],
            ),
            resource(
                "applications",
                "Applications: a charm with its settings and units.",
                vec![
                    applications::routes(),
                    grants::routes(),
                    resources::routes(),
                ],
            ),
            resource(
                "secrets",
                "Secrets: values that only those read who were granted them.",
                vec![secrets::routes()],
            ),
            resource(
                "storage",
                "Storage: directories that units are given and that may outlive them, and the pools they are made of.",
                vec![storage::routes()],
            ),
            resource(
                "units",
                "Units: the instances of an application.",
                vec![
                    units::routes(),
                    agents::routes(),
                    payloads::routes(),
                    unit_files::routes(),
                    top::routes(),
                ],
            ),
            resource(
                "machines",
                "Machines that units run on.",
                vec![machines::routes()],
            ),
            resource(
                "relations",
                "Relations between applications.",
                vec![relations::routes(), reach::routes()],
            ),
            resource(
                "status",
                "The picture of a model.",
                vec![
                    status::routes(),
                    incidents::routes(),
                    timeline::routes(),
                    history::routes(),
                    logs::routes(),
                ],
            ),
            resource(
                "events",
                "What changes, as it changes.",
                vec![events::routes(), wait::routes()],
            ),
            resource("hooks", "Hooks that ran.", vec![hooks::routes()]),
            resource(
                "operations",
                "Actions and commands that people had units run.",
                vec![operations::routes()],
            ),
            resource(
                "workloads",
                "What runs in the containers of units.",
                vec![workloads::routes()],
            ),
            resource(
                "metrics",
                "What charms measured of their units.",
                vec![metrics::routes()],
            ),
            resource(
                "workers",
                "The workers of controller and agents.",
                vec![workers::routes()],
            ),
            resource("agents", "What agents download.", vec![blobs::routes()]),
            resource("reference", "This description.", vec![openapi::routes()]),
        ]
    });
    &TABLE
}

fn rows() -> impl Iterator<Item = &'static Row> {
    table().iter().flat_map(|resource| &resource.rows)
}

/// Every route of the HTTP API.
pub fn routes() -> impl Iterator<Item = &'static Route> {
    rows().map(|row| &row.route)
}

/// The routes with their handlers behind all layers.
pub(crate) fn router(state: &ServerState) -> Router {
    let mut router = Router::new();
    for row in rows() {
        let handler = through_layers(row.handler.clone(), state, &row.route);
        router = router.route(row.route.path, handler);
    }
    router
        .fallback(nowhere)
        .method_not_allowed_fallback(not_so)
        .with_state(state.clone())
        .layer(CompressionLayer::new().compress_when(compressible))
}

/// Where a layer stands: before the handler of this route.
pub(crate) type At = (ServerState, &'static Route);

/// What every request passes on its way to its handler, from the outside in. Each layer leaves what it
/// found out in the request's extensions, for those behind it and for the extractors of [`extract`]; the
/// demands on what a request changes come together in its [`periapt_store::Guard`].
fn through_layers(
    handler: MethodRouter<ServerState>,
    state: &ServerState,
    route: &'static Route,
) -> MethodRouter<ServerState> {
    let at = (state.clone(), route);
    let longest = match route.visitor {
        Visitor::Anyone => ANONYMOUS_BODY_BYTES.length(),
        _ => BODY_BYTES,
    };
    handler.route_layer(
        ServiceBuilder::new()
            // Seen, whatever becomes of it: counted, timed, traced.
            .layer(from_fn_with_state(at.clone(), observe::observe))
            // Not sent by a page of another host; nothing that disturbs an upgrade. The path is read.
            .layer(from_fn_with_state(at.clone(), arrival::arrive))
            // Who is it, and may that one? The model of the path is found.
            .layer(from_fn_with_state(at.clone(), gate::admit))
            // Nothing in the query that is not described.
            .layer(from_fn_with_state(at.clone(), known::described))
            // A change comes to its end and is in the audit log: its guard is made here.
            .layer(from_fn_with_state(at.clone(), crate::audit::record))
            // `Location` of what is made or begun.
            .layer(from_fn_with_state(at.clone(), success::located))
            // `If-Match` and `ETag`.
            .layer(from_fn_with_state(at.clone(), conditions::check))
            // `Idempotency-Key`.
            .layer(from_fn_with_state(at.clone(), idempotency::once))
            // Nothing that people disabled in the model.
            .layer(from_fn_with_state(at.clone(), blocked::check))
            // 201 and 202 in the place of 200.
            .layer(from_fn_with_state(at, success::said))
            // No body longer than this.
            .layer(DefaultBodyLimit::max(longest)),
    )
}

/// What every answer says to a browser: to believe its kind, and to keep nothing of it that does
/// not say otherwise.
pub(crate) async fn guarded(mut response: Response) -> Response {
    let headers = response.headers_mut();
    headers.insert(
        header::X_CONTENT_TYPE_OPTIONS,
        HeaderValue::from_static("nosniff"),
    );
    headers
        .entry(header::CACHE_CONTROL)
        .or_insert(HeaderValue::from_static("no-store"));
    response
}

/// Documents are worth compressing. Streams are not, a reader waits for each line; neither are
/// blobs, they are compressed already.
fn compressible(
    _: StatusCode,
    _: Version,
    headers: &HeaderMap,
    _: &axum::http::Extensions,
) -> bool {
    let value = |name| headers.get(name).and_then(|value| value.to_str().ok());
    let kind = value(header::CONTENT_TYPE).unwrap_or_default();
    let document = ["application/json", "application/problem+json", "text/html"]
        .iter()
        .any(|known| kind.starts_with(known));
    let small = value(header::CONTENT_LENGTH)
        .and_then(|length| length.parse::<usize>().ok())
        .is_some_and(|length| length < WORTH_BYTES);
    document && !small
}

/// What is no route is a page of the web interface, or nothing.
async fn nowhere(method: Method, uri: Uri, headers: HeaderMap) -> Response {
    if ui::serves(&method, uri.path()) {
        return ui::answer(uri.path(), &headers);
    }
    let mut problem = Problem::new(Refusal::RouteNotFound)
        .titled("There is nothing at this address")
        .why(format!("{} is not a path of this API", uri.path()));
    if let Some(path) = meant(uri.path()) {
        problem = problem.advice(format!("there is {path}"));
    }
    Answer(problem).into_response()
}

/// The path that was probably meant: one that goes on where this one ends, or that has one word of it in another
/// spelling.
fn meant(asked: &str) -> Option<&'static str> {
    let asked: Vec<&str> = asked.split('/').collect();
    let unlike = |path: &str| -> Vec<(String, String)> {
        let known = path.split('/');
        let pairs = known.zip(&asked);
        let unlike = pairs.filter(|(known, asked)| !known.starts_with('{') && known != *asked);
        let owned = unlike.map(|(known, asked)| (known.to_owned(), (*asked).to_owned()));
        owned.collect()
    };
    let length = |path: &str| path.split('/').count();
    let longer = |path: &&str| length(path) > asked.len() && unlike(path).is_empty();
    let misspelled = |path: &&str| {
        length(path) == asked.len()
            && match unlike(path).as_slice() {
                [(known, asked)] => nearest(asked, [known.as_str()]).is_some(),
                _ => false,
            }
    };
    let paths = || routes().map(|route| route.path);
    let spelled = paths().find(misspelled);
    spelled.or_else(|| paths().filter(longer).min_by_key(|path| path.len()))
}

async fn not_so(method: Method, uri: Uri) -> Answer {
    Answer(
        Problem::new(Refusal::MethodNotAllowed)
            .titled("This address has no such method")
            .why(format!("{method} is not possible on {}", uri.path())),
    )
}

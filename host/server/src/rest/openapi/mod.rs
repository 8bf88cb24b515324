//! The description of the API: OpenAPI 3.1 made from the handlers and types themselves, served
//! as JSON and as a page.
//!
//! A new route needs three things: `#[utoipa::path]` on its handler, the handler's name in the
//! `Described` of its file, and, for a new file, a line in [`parts`]. What holds for all routes
//! (who may come, what is refused and how, conditions, keys of repeated requests) is added here
//! from the tables that the server itself uses, so it cannot be forgotten.

use std::sync::LazyLock;

use axum::http::{HeaderName, Method, header};
use axum::response::IntoResponse;
use axum::routing::get;
use bytes::Bytes;
use serde_json::Value;
use utoipa::OpenApi;

use super::Row;

mod document;
mod examples;
mod html;
pub(super) mod known;
#[cfg(test)]
mod tests;

/// A tag, what it is about, and its routes.
type Part = (&'static str, &'static str, utoipa::openapi::OpenApi);

/// The resources in the order in which a reader meets them.
fn parts() -> Vec<Part> {
    use super::*;
    vec![
        ("login", "Proving who one is.", login::Described::openapi()),
        ("login", "", session::Described::openapi()),
        ("login", "", register::Described::openapi()),
        ("login", "", whoami::Described::openapi()),
        (
            "users",
            "Accounts and who may do what.",
            users::Described::openapi(),
        ),
        ("users", "", tokens::Described::openapi()),
        ("users", "", access::Described::openapi()),
        (
            "controller",
            "The controller itself.",
            controller::Described::openapi(),
        ),
        ("controller", "", nodes::Described::openapi()),
        ("controller", "", controller_config::Described::openapi()),
        ("controller", "", observe::Described::openapi()),
        (
            "audit",
            "Every change, who made it and how it ended.",
            audit::Described::openapi(),
        ),
        (
            "backups",
            "Backups of the whole controller.",
            backups::Described::openapi(),
        ),
        (
            "clouds",
            "Clouds: where models may be.",
            clouds::Described::openapi(),
        ),
        (
            "models",
            "Models: where applications live.",
            models::Described::openapi(),
        ),
        ("models", "", credentials::Described::openapi()),
        (
            "charms",
            "Charms that were uploaded to a model.",
            charms::Described::openapi(),
        ),
        (
            "applications",
            "Applications: a charm with its settings and units.",
            applications::Described::openapi(),
        ),
        (
            "units",
            "Units: the instances of an application.",
            units::Described::openapi(),
        ),
        ("units", "", agents::Described::openapi()),
        (
            "machines",
            "Machines that units run on.",
            machines::Described::openapi(),
        ),
        (
            "relations",
            "Relations between applications.",
            relations::Described::openapi(),
        ),
        (
            "status",
            "The picture of a model.",
            status::Described::openapi(),
        ),
        ("status", "", history::Described::openapi()),
        ("status", "", logs::Described::openapi()),
        (
            "events",
            "What changes, as it changes.",
            events::Described::openapi(),
        ),
        ("events", "", wait::Described::openapi()),
        ("hooks", "Hooks that ran.", hooks::Described::openapi()),
        (
            "workers",
            "The workers of controller and agents.",
            workers::Described::openapi(),
        ),
        (
            "agents",
            "What agents download.",
            blobs::Described::openapi(),
        ),
        (
            "reference",
            "This description.",
            openapi::Described::openapi(),
        ),
    ]
}

/// The document, made once.
static DOCUMENT: LazyLock<Value> = LazyLock::new(|| document::make(parts()));

static JSON: LazyLock<Bytes> = LazyLock::new(|| Bytes::from(text(&DOCUMENT)));

static PAGE: LazyLock<html::Page> = LazyLock::new(|| html::render(&DOCUMENT));

/// As it is served and as it is kept in `docs/reference/openapi.json`.
fn text(document: &Value) -> String {
    let mut text = serde_json::to_string_pretty(document).unwrap_or_default();
    text.push('\n');
    text
}

pub(super) fn routes() -> Vec<Row> {
    vec![
        (Method::GET, "/v1/openapi.json", get(json)),
        (Method::GET, "/docs/api", get(page)),
    ]
}

#[derive(utoipa::OpenApi)]
#[openapi(paths(json))]
pub(super) struct Described;

/// Describes this API.
///
/// The same as a page is at `/docs/api`.
#[utoipa::path(get, path = "/v1/openapi.json", responses((status = 200, body = Object)))]
async fn json() -> impl IntoResponse {
    (
        CACHED,
        [(header::CONTENT_TYPE, "application/json")],
        JSON.clone(),
    )
}

async fn page() -> impl IntoResponse {
    let headers = [
        (header::CONTENT_TYPE, "text/html; charset=utf-8"),
        (header::CONTENT_SECURITY_POLICY, PAGE.policy.as_str()),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
    ];
    (CACHED, headers, PAGE.html.clone())
}

/// It changes with the program only.
const CACHED: [(HeaderName, &str); 1] = [(header::CACHE_CONTROL, "max-age=300")];

//! The description of the API: OpenAPI 3.1 made from the handlers and types themselves, served
//! as JSON and as a page.
//!
//! A route under `/v1` is described by `#[utoipa::path]` on its handler, which also says where it is. What
//! holds for all routes (who may come, what is refused and how, conditions, keys of repeated requests) is
//! added here from their rows, so it cannot be forgotten.

use std::sync::LazyLock;

use axum::http::{HeaderName, header};
use axum::response::IntoResponse;
use bytes::Bytes;
use periapt_wire::access::Visitor;
use periapt_wire::rest::paths;
use serde_json::Value;
use utoipa_axum::routes;

use super::route::{Row, row};
use super::table;

mod document;
mod examples;
mod html;
pub(super) mod known;
mod names;
#[cfg(test)]
mod tests;

/// The document, made once.
static DOCUMENT: LazyLock<Value> = LazyLock::new(|| document::make(table()));

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
        row(Visitor::Anyone, routes!(json)),
        row(Visitor::Anyone, routes!(page)),
    ]
}

/// Describes this API.
///
/// The same as a page is at `/docs/api`.
#[utoipa::path(get, path = paths::OPENAPI_JSON.text, operation_id = "getOpenApi", responses((status = 200, body = Object)))]
async fn json() -> impl IntoResponse {
    (
        CACHED,
        [(header::CONTENT_TYPE, "application/json")],
        JSON.clone(),
    )
}

/// Shows this description as a page.
#[utoipa::path(get, path = paths::DOCS_API.text, responses((status = 200, body = String, content_type = "text/html")))]
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

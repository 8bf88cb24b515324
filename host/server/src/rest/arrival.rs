//! Before anybody is asked who they are: a request that may not be its sender's own doing, or comes at the
//! wrong time, goes no further; and the path is read, once for all layers behind.
//!
//! A browser sends what it keeps along with whatever request a page makes it send. So a request that changes
//! something comes from the controller's own page as far as the browser tells, whatever credential it
//! carries.

use axum::RequestExt;
use axum::extract::{RawPathParams, Request, State};
use axum::http::{HeaderMap, HeaderValue, Method, Uri, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use periapt_model::Refusal;
use periapt_wire::Problem;

use super::At;
use super::problem::{Answer, forged, upgrading};
use crate::access::Named;

/// Shut to what no page of this host sends, and, while the controller is being upgraded, to what
/// disturbs that.
pub(super) async fn arrive(
    State((state, route)): State<At>,
    mut request: Request,
    next: Next,
) -> Response {
    if let Err(answer) = same_origin(request.method(), request.headers(), request.uri()) {
        return answer.into_response();
    }
    if let Some(progress) = state.upgrade().in_progress()
        && !route.during_upgrade()
    {
        return upgrading(&progress).into_response();
    }
    let Ok(params) = request.extract_parts::<RawPathParams>().await else {
        return path_invalid().into_response();
    };
    let extensions = request.extensions_mut();
    extensions.insert(Named::read(&params));
    // For whoever reads the body.
    extensions.insert(route);
    next.run(request).await
}

/// The path's parts are no text.
pub(super) fn path_invalid() -> Answer {
    Answer(
        Problem::new(Refusal::PathInvalid)
            .titled("The request's path cannot be read")
            .why("a part of it is not UTF-8 when decoded"),
    )
}

/// A request that changes something comes from no page, or from one of this very host, where the
/// browser says from where it comes.
fn same_origin(method: &Method, headers: &HeaderMap, uri: &Uri) -> Result<(), Answer> {
    if method.is_safe() {
        return Ok(());
    }
    let refused = || {
        forged(
            Refusal::OriginRefused,
            "the request comes from a page of another address",
        )
    };
    let site = headers.get("sec-fetch-site").map(HeaderValue::as_bytes);
    if site.is_some_and(|site| site != b"same-origin" && site != b"none") {
        return Err(refused());
    }
    let Some(origin) = headers.get(header::ORIGIN) else {
        return Ok(());
    };
    let host = headers
        .get(header::HOST)
        .and_then(|host| host.to_str().ok())
        .or_else(|| uri.authority().map(|authority| authority.as_str()));
    let from = origin
        .to_str()
        .ok()
        .and_then(|origin| origin.strip_prefix("https://"));
    // Either may leave out the port that https implies.
    let same = |a: &str, b: &str| {
        let (a, b) = (a.to_ascii_lowercase(), b.to_ascii_lowercase());
        a.strip_suffix(":443").unwrap_or(&a) == b.strip_suffix(":443").unwrap_or(&b)
    };
    match (from, host) {
        (Some(from), Some(host)) if same(from, host) => Ok(()),
        _ => Err(refused()),
    }
}

//! The web interface: files built from `web-ui/` and carried inside this program.
//!
//! It is a client of the public API like any other and has no routes of its own behind it. Every
//! path that begins as one of its pages does gets `index.html`, whose script reads the address;
//! what is neither a page nor a file is not found. Files under `assets/` carry a digest in their name and may be kept for ever; the page
//! itself is asked for again each time. The policy sent along allows nothing that does not come
//! from this controller but the question whether another controller answers, and no script or style within a page.

use std::borrow::Cow;

use axum::body::Body;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use axum::response::{IntoResponse, Response};
use periapt_model::Digest;
use rust_embed::{Embed, EmbeddedFile};

#[cfg(test)]
mod tests;

/// What `cargo xtask web` built; empty when it was not run before this program was built.
#[derive(Embed)]
#[folder = "../../web-ui/dist"]
#[allow_missing = true]
struct Files;

const PAGE: &str = "index.html";

/// Paths that are the API's, with everything under them: there a missing route is a missing
/// route, not a page.
const API: &[&str] = &["/v1", "/docs", "/health", "/ready", "/metrics"];

/// What the paths of pages begin with, as `web-ui/src/App.tsx` has them; the first page has
/// nothing there.
const PAGES: &[&str] = &[
    "",
    "account",
    "alerts",
    "audit",
    "controller",
    "models",
    "register",
    "sign-in",
    "users",
    "workers",
];

/// The page may ask other controllers, which people name, whether they answer; what they say it cannot read.
const POLICY: &str = "default-src 'self'; base-uri 'none'; connect-src 'self' https:; \
     font-src 'self'; form-action 'self'; frame-ancestors 'none'; img-src 'self' data:; \
     object-src 'none'; script-src 'self'; style-src 'self'";

/// Sent with every file.
const GUARDS: &[(&str, &str)] = &[
    ("content-security-policy", POLICY),
    ("x-content-type-options", "nosniff"),
    ("x-frame-options", "DENY"),
    ("referrer-policy", "no-referrer"),
    ("cross-origin-opener-policy", "same-origin"),
];

/// Compressed forms made at build time, best first: encoding and file ending.
const ENCODINGS: &[(&str, &str)] = &[("br", ".br"), ("gzip", ".gz")];

const MISSING: &str = "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>Periapt</title>\
<h1>The web interface is not part of this program</h1>\
<p>It was not built before this <code>periapt</code> was. In a checkout, run \
<code>cargo xtask web</code> and then <code>cargo build</code>.</p>\
<p>The HTTP API and the command line work: <code>periapt status</code>.</p>";

/// Whether the address is a page's or a file's of the interface, asked for by reading.
pub fn serves(method: &Method, path: &str) -> bool {
    let of_api = API.iter().any(|prefix| {
        path.strip_prefix(prefix)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    });
    matches!(*method, Method::GET | Method::HEAD) && !of_api
}

/// The file at this path, or the page.
pub fn answer(path: &str, headers: &HeaderMap) -> Response {
    let name = path.trim_start_matches('/');
    let mut response = match Files::get(name) {
        Some(file) if !name.is_empty() => send(name, file, headers),
        // Also a file of an older build: the page would be no script and no style.
        _ if !is_page(name) => (StatusCode::NOT_FOUND, "Not found\n").into_response(),
        _ => match Files::get(PAGE) {
            Some(file) => send(PAGE, file, headers),
            None => missing(),
        },
    };
    for (name, value) in GUARDS {
        response.headers_mut().insert(
            HeaderName::from_static(name),
            HeaderValue::from_static(value),
        );
    }
    response
}

fn is_page(name: &str) -> bool {
    PAGES.contains(&name.split('/').next().unwrap_or_default())
}

fn missing() -> Response {
    let kind = [(header::CONTENT_TYPE, "text/html; charset=utf-8")];
    (StatusCode::NOT_FOUND, kind, MISSING).into_response()
}

fn send(name: &str, file: EmbeddedFile, headers: &HeaderMap) -> Response {
    let tag = tag(&file);
    let cache = if name.starts_with("assets/") {
        "public, max-age=31536000, immutable"
    } else {
        "no-cache"
    };
    let known = headers
        .get(header::IF_NONE_MATCH)
        .and_then(|value| value.to_str().ok())
        .is_some_and(|tags| tags.split(',').any(|known| known.trim() == tag));
    let mut response = if known {
        StatusCode::NOT_MODIFIED.into_response()
    } else {
        let (encoding, data) = encoded(name, file.data, headers);
        let mut response = Response::new(Body::from(data.into_owned()));
        set(&mut response, header::CONTENT_TYPE, &kind(name));
        if let Some(encoding) = encoding {
            set(&mut response, header::CONTENT_ENCODING, encoding);
        }
        response
    };
    set(&mut response, header::ETAG, &tag);
    set(&mut response, header::CACHE_CONTROL, cache);
    set(&mut response, header::VARY, "accept-encoding");
    response
}

fn set(response: &mut Response, name: HeaderName, value: &str) {
    if let Ok(value) = HeaderValue::from_str(value) {
        response.headers_mut().insert(name, value);
    }
}

/// The best compressed form the client takes, or the file as it is.
fn encoded(
    name: &str,
    plain: Cow<'static, [u8]>,
    headers: &HeaderMap,
) -> (Option<&'static str>, Cow<'static, [u8]>) {
    let accepted = headers
        .get(header::ACCEPT_ENCODING)
        .and_then(|value| value.to_str().ok())
        .unwrap_or_default();
    ENCODINGS
        .iter()
        .filter(|(encoding, _)| takes(accepted, encoding))
        .find_map(|(encoding, ending)| {
            let file = Files::get(&format!("{name}{ending}"))?;
            Some((Some(*encoding), file.data))
        })
        .unwrap_or((None, plain))
}

/// Whether `Accept-Encoding` names the encoding and does not refuse it with `q=0`.
fn takes(accepted: &str, encoding: &str) -> bool {
    accepted.split(',').any(|item| {
        let mut parts = item.split(';').map(str::trim);
        parts.next() == Some(encoding)
            && !parts.any(|weight| matches!(weight, "q=0" | "q=0.0" | "q=0.00" | "q=0.000"))
    })
}

fn kind(name: &str) -> String {
    let kind = mime_guess::from_path(name).first_or_octet_stream();
    match (kind.type_().as_str(), kind.subtype().as_str()) {
        ("text", _) => format!("{kind}; charset=utf-8"),
        _ => kind.to_string(),
    }
}

fn tag(file: &EmbeddedFile) -> String {
    format!("\"{}\"", Digest::from(file.metadata.sha256_hash()))
}

//! What a request asked for, without secrets.
//!
//! Only JSON is looked at, and only bodies of a known, small size, so that capturing never holds
//! an upload in memory. A member whose name speaks of a secret keeps its name and loses its
//! value, at any depth.

use axum::body::Body;
use axum::extract::Request;
use axum::http::header;
use bytes::Bytes;
use futures::stream;
use periapt_model::difference::{HIDDEN, speaks_of_a_secret};
use serde_json::{Map, Value, json};

/// Bytes of a body that are kept.
const BODY_BYTES: usize = 64 << 10;

/// Names whose values are never kept, as they are: what is in a secret.
const VALUES: &str = "values";

/// The value without its secrets.
pub(super) fn without_secrets(value: Value) -> Value {
    match value {
        Value::Object(members) => Value::Object(
            members
                .into_iter()
                .map(|(name, value)| {
                    let value = if is_secret(&name) {
                        Value::from(HIDDEN)
                    } else {
                        without_secrets(value)
                    };
                    (name, value)
                })
                .collect(),
        ),
        Value::Array(items) => items.into_iter().map(without_secrets).collect(),
        other => other,
    }
}

fn is_secret(name: &str) -> bool {
    name.eq_ignore_ascii_case(VALUES) || speaks_of_a_secret(name)
}

/// A body of which some is secret, without what is within its members: that may be a secret under a name that
/// nobody foresaw.
pub(super) fn flat(mut body: Value) -> Value {
    if let Value::Object(members) = &mut body {
        let within = members.values_mut();
        let within = within.filter(|member| member.is_object() || member.is_array());
        within.for_each(|member| *member = Value::from(HIDDEN));
    }
    body
}

/// Arguments of a request from its query and its body, as they were sent, secrets hidden.
pub(super) fn of_request(query: Option<&str>, body: Option<&Value>) -> Value {
    let mut arguments = Map::new();
    let pairs: Map<String, Value> = query
        .unwrap_or_default()
        .split('&')
        .filter(|pair| !pair.is_empty())
        .map(|pair| pair.split_once('=').unwrap_or((pair, "")))
        .map(|(name, value)| (name.to_owned(), Value::from(value)))
        .collect();
    if !pairs.is_empty() {
        arguments.insert("query".to_owned(), without_secrets(Value::Object(pairs)));
    }
    if let Some(body) = body {
        arguments.insert("body".to_owned(), without_secrets(body.clone()));
    }
    Value::Object(arguments)
}

/// The body of a request, when it is JSON and small. The request keeps its body.
pub(super) async fn peek(request: &mut Request) -> Option<Value> {
    let headers = request.headers();
    let text = |name| {
        headers
            .get(name)
            .and_then(|value: &axum::http::HeaderValue| value.to_str().ok())
    };
    let kind = text(header::CONTENT_TYPE)?
        .split(';')
        .next()?
        .trim()
        .to_ascii_lowercase();
    let length: usize = text(header::CONTENT_LENGTH)?.parse().ok()?;
    if kind != "application/json" && !kind.ends_with("+json") {
        return Some(json!(format!("{length} bytes of {kind}")));
    }
    if length > BODY_BYTES {
        return Some(json!(format!("{length} bytes of {kind}, too long to keep")));
    }
    let body = std::mem::replace(request.body_mut(), Body::empty());
    match axum::body::to_bytes(body, BODY_BYTES).await {
        Ok(bytes) => {
            let value = serde_json::from_slice(&bytes).ok();
            *request.body_mut() = Body::from(bytes);
            value
        }
        // The sender broke off or was too slow; the handler finds that out and says so.
        Err(error) => {
            *request.body_mut() = Body::from_stream(stream::iter([Err::<Bytes, _>(error)]));
            None
        }
    }
}

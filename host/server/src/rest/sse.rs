//! Server-sent events as bytes: the blocks of a stream, and its response.

use std::convert::Infallible;

use axum::body::Body;
use axum::http::{HeaderMap, header};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use futures::{Stream, StreamExt};
use serde_json::json;

use crate::feed::Cursor;

/// Milliseconds after which a browser connects again.
const RETRY: u32 = 1000;

/// The beginning of a stream, or of a new snapshot within it when something was missed.
pub(crate) fn begin(missed: Option<&str>) -> Bytes {
    Bytes::from(match missed {
        None => format!("retry: {RETRY}\n\n"),
        Some(reason) => block("reset", &json!({ "reason": reason }).to_string()),
    })
}

/// An entity of the snapshot. It has no id: a snapshot that breaks off is begun anew.
pub(crate) fn snapshot(bytes: &mut Vec<u8>, data: &[u8]) {
    bytes.extend_from_slice(b"event: snapshot\ndata: ");
    bytes.extend_from_slice(data);
    bytes.extend_from_slice(b"\n\n");
}

/// Entities of the snapshot in one event, whose data is their list.
pub(crate) fn snapshots<'a>(bytes: &mut Vec<u8>, entities: impl Iterator<Item = &'a [u8]>) {
    let mut before: &[u8] = b"event: snapshots\ndata: [";
    for data in entities {
        bytes.extend_from_slice(before);
        bytes.extend_from_slice(data);
        before = b",";
    }
    if before == b"," {
        bytes.extend_from_slice(b"]\n\n");
    }
}

/// The snapshot is complete as of a place.
pub(crate) fn current(bytes: &mut Vec<u8>, cursor: &Cursor) {
    let sequence = json!({ "sequence": cursor.sequence() });
    bytes.extend_from_slice(format!("id: {cursor}\n").as_bytes());
    bytes.extend_from_slice(block("current", &sequence.to_string()).as_bytes());
}

/// One change.
pub(crate) fn change(bytes: &mut Vec<u8>, cursor: &Cursor, data: &[u8]) {
    bytes.extend_from_slice(format!("id: {cursor}\nevent: change\ndata: ").as_bytes());
    bytes.extend_from_slice(data);
    bytes.extend_from_slice(b"\n\n");
}

/// A line of a log.
pub(super) fn log(bytes: &mut Vec<u8>, position: i64, data: &[u8]) {
    bytes.extend_from_slice(format!("id: {position}\nevent: log\ndata: ").as_bytes());
    bytes.extend_from_slice(data);
    bytes.extend_from_slice(b"\n\n");
}

/// A comment that keeps the connection alive, with the place of a reader that had nothing to
/// hear, so that it can go on from there later. A block without data is no event.
pub(crate) fn heartbeat(id: &impl std::fmt::Display) -> Bytes {
    Bytes::from(format!(": heartbeat\nid: {id}\n\n"))
}

/// The last event of a stream.
pub(crate) fn dropped(code: &str, reason: &str) -> Bytes {
    Bytes::from(block(
        "dropped",
        &json!({ "code": code, "reason": reason }).to_string(),
    ))
}

fn block(event: &str, data: &str) -> String {
    format!("event: {event}\ndata: {data}\n\n")
}

/// A response of blocks.
pub(super) fn respond(blocks: impl Stream<Item = Bytes> + Send + 'static) -> Response {
    respond_with(Body::from_stream(blocks.map(Ok::<_, Infallible>)))
}

/// A response whose body is blocks.
pub(super) fn respond_with(body: Body) -> Response {
    let headers = [
        (header::CONTENT_TYPE, "text/event-stream"),
        (header::CACHE_CONTROL, "no-store"),
    ];
    (headers, body).into_response()
}

/// Where the client's last connection ended.
pub(super) fn last_event_id(headers: &HeaderMap) -> Option<&str> {
    headers
        .get("last-event-id")
        .and_then(|value| value.to_str().ok())
        .filter(|id| !id.is_empty())
}

/// Whether the client asks for server-sent events.
pub(super) fn is_asked_for(headers: &HeaderMap) -> bool {
    headers
        .get(header::ACCEPT)
        .and_then(|value| value.to_str().ok())
        .is_some_and(|accept| accept.contains("text/event-stream"))
}

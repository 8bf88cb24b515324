//! Answers that are lines of JSON and may have no end.
//!
//! A task fills a small queue that the response drains, so a slow reader slows the task and not
//! the controller; the task ends with its reader, and with the API server.

use axum::body::Body;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use futures::stream;
use serde::Serialize;
use tokio::sync::mpsc;

use super::extract::Ending;
use super::sse;

/// Chunks that may wait for the reader.
const QUEUE: usize = 16;

/// Where lines go. Every method answers whether anybody still reads.
pub(super) struct Lines {
    chunks: mpsc::Sender<Bytes>,
}

impl Lines {
    /// Sends values, one line each, in one chunk.
    pub(super) async fn send<T: Serialize>(&self, values: &[T]) -> bool {
        let mut chunk = Vec::new();
        for value in values {
            if serde_json::to_writer(&mut chunk, value).is_err() {
                return false;
            }
            chunk.push(b'\n');
        }
        self.send_bytes(Bytes::from(chunk)).await
    }

    /// Sends bytes that are lines already.
    pub(super) async fn send_bytes(&self, chunk: Bytes) -> bool {
        chunk.is_empty() || self.chunks.send(chunk).await.is_ok()
    }
}

/// A response whose lines `write` sends, until it returns, nobody reads or `ending` comes.
pub(super) fn respond<F, W>(ending: Ending, write: W) -> Response
where
    W: FnOnce(Lines) -> F,
    F: Future<Output = ()> + Send + 'static,
{
    let headers = [
        (header::CONTENT_TYPE, "application/x-ndjson"),
        (header::CACHE_CONTROL, "no-store"),
    ];
    (headers, body(ending, write)).into_response()
}

/// The same for lines that are server-sent events.
pub(super) fn respond_with_events<F, W>(ending: Ending, write: W) -> Response
where
    W: FnOnce(Lines) -> F,
    F: Future<Output = ()> + Send + 'static,
{
    sse::respond_with(body(ending, write))
}

fn body<F, W>(ending: Ending, write: W) -> Body
where
    W: FnOnce(Lines) -> F,
    F: Future<Output = ()> + Send + 'static,
{
    let (chunks, mut queue) = mpsc::channel(QUEUE);
    let reader_gone = chunks.clone();
    let writing = write(Lines { chunks });
    tokio::spawn(async move {
        tokio::select! {
            () = writing => {}
            () = reader_gone.closed() => {}
            () = ending.come() => {}
        }
    });
    Body::from_stream(stream::poll_fn(move |context| {
        queue
            .poll_recv(context)
            .map(|chunk| chunk.map(Ok::<_, std::convert::Infallible>))
    }))
}

//! What is left of a request's body when it was answered without it.
//!
//! Many clients send the head and the body apart. If a refusal goes out between the two and the
//! connection is closed on the body, as hyper does, the client sees a broken connection instead
//! of the answer. So a body comes back here when its handler lets go of it, and a small rest is
//! read, within bounds, before the answer goes out. It never reads for a client that waits to
//! be asked (`Expect: 100-continue`): refusing that one early is the point of asking.

use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::http::{HeaderMap, header::EXPECT};
use bytes::Bytes;
use hyper::body::{Body, Frame, Incoming, SizeHint};
use tokio::sync::oneshot;
use tokio::time::timeout;

/// Bytes read of a body that nobody wants; with more left the connection is closed.
const MOST: u64 = 1024 * 1024;
/// Time given to a client to send them.
const PATIENCE: Duration = Duration::from_secs(5);

/// A body on loan to a handler.
pub(super) struct Lent {
    body: Option<Incoming>,
    back: Option<oneshot::Sender<Incoming>>,
}

/// Where a lent body comes back to.
pub(super) struct Rest(Option<oneshot::Receiver<Incoming>>);

/// Lends `body` to whoever answers the request with these headers.
pub(super) fn lend(headers: &HeaderMap, body: Incoming) -> (Lent, Rest) {
    if body.is_end_stream() || headers.contains_key(EXPECT) {
        let lent = Lent {
            body: Some(body),
            back: None,
        };
        return (lent, Rest(None));
    }
    let (back, rest) = oneshot::channel();
    let lent = Lent {
        body: Some(body),
        back: Some(back),
    };
    (lent, Rest(Some(rest)))
}

impl Rest {
    /// Reads what is left, within the bounds. A body that somebody still holds is theirs.
    pub(super) async fn read(self) {
        let Some(Ok(mut body)) = self.0.map(|mut rest| rest.try_recv()) else {
            return;
        };
        if body.is_end_stream() || body.size_hint().lower() > MOST {
            return;
        }
        let reading = async {
            let mut seen = 0;
            while let Some(Ok(frame)) = next(&mut body).await {
                seen += frame.data_ref().map_or(0, |data| data.len() as u64);
                if seen > MOST {
                    break;
                }
            }
        };
        // One that is too slow is closed on, as one that sends too much.
        let _ = timeout(PATIENCE, reading).await;
    }
}

async fn next(body: &mut Incoming) -> Option<Result<Frame<Bytes>, hyper::Error>> {
    std::future::poll_fn(|context| Pin::new(&mut *body).poll_frame(context)).await
}

impl Body for Lent {
    type Data = Bytes;
    type Error = hyper::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, hyper::Error>>> {
        match &mut self.body {
            Some(body) => Pin::new(body).poll_frame(context),
            None => Poll::Ready(None),
        }
    }

    fn is_end_stream(&self) -> bool {
        self.body.as_ref().is_none_or(Body::is_end_stream)
    }

    fn size_hint(&self) -> SizeHint {
        self.body
            .as_ref()
            .map_or_else(SizeHint::new, Body::size_hint)
    }
}

impl Drop for Lent {
    fn drop(&mut self) {
        if let (Some(body), Some(back)) = (self.body.take(), self.back.take()) {
            // The request may be over already.
            let _ = back.send(body);
        }
    }
}

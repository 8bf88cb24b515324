//! A request's body on its way to a handler, and what is left of it afterwards.
//!
//! The time in which nothing came is counted, and a client that sends more slowly than it may is
//! told so; the time in which nobody asked for more is not its fault and does not count.
//!
//! Many clients send the head and the body apart. If a refusal goes out between the two and the
//! connection is closed on the body, as hyper does, the client sees a broken connection instead
//! of the answer. So a body comes back here when its handler lets go of it, and a small rest is
//! read, within bounds, before the answer goes out. It never reads for a client that waits to
//! be asked (`Expect: 100-continue`): refusing that one early is the point of asking.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use axum::http::{HeaderMap, header::EXPECT};
use bytes::Bytes;
use futures::StreamExt;
use hyper::body::{Body, Frame, Incoming, SizeHint};
use thiserror::Error;
use tokio::sync::oneshot;
use tokio::time::{Instant, Sleep, sleep, timeout};

use super::pace::{GRACE, STALL, allowance};

/// Bytes read of a body that nobody wants; with more left the connection is closed.
const MOST: u64 = 1024 * 1024;
/// Time given to a client to send them.
const PATIENCE: Duration = Duration::from_secs(5);

/// Why a body ended before its end.
#[derive(Debug, Error)]
pub(crate) enum BodyError {
    #[error("the request's body arrives too slowly")]
    Slow,
    #[error(transparent)]
    Broken(#[from] hyper::Error),
}

impl BodyError {
    /// Whether an error of a handler's library comes from a body that was too slow.
    pub(crate) fn is_slow(error: &(dyn std::error::Error + 'static)) -> bool {
        let mut cause = Some(error);
        while let Some(error) = cause {
            if matches!(error.downcast_ref(), Some(BodyError::Slow)) {
                return true;
            }
            cause = error.source();
        }
        false
    }
}

/// A body on loan to a handler.
pub(super) struct Lent {
    body: Option<Incoming>,
    back: Option<oneshot::Sender<Incoming>>,
    /// Set once it is known who sends.
    proven: Arc<AtomicBool>,
    received: u64,
    waited: Duration,
    waiting: Option<(Instant, Pin<Box<Sleep>>)>,
}

/// Where a lent body comes back to.
pub(super) struct Rest(Option<oneshot::Receiver<Incoming>>);

/// Lends `body` to whoever answers the request with these headers.
pub(super) fn lend(headers: &HeaderMap, body: Incoming, proven: Arc<AtomicBool>) -> (Lent, Rest) {
    let comes_back = !body.is_end_stream() && !headers.contains_key(EXPECT);
    let (back, rest) = comes_back.then(oneshot::channel).unzip();
    let lent = Lent {
        body: Some(body),
        back,
        proven,
        received: 0,
        waited: Duration::ZERO,
        waiting: None,
    };
    (lent, Rest(rest))
}

impl Rest {
    /// Reads what is left, within the bounds. A body that somebody still holds is theirs.
    pub(super) async fn read(self) {
        let Some(Ok(body)) = self.0.map(|mut rest| rest.try_recv()) else {
            return;
        };
        if body.is_end_stream() || body.size_hint().lower() > MOST {
            return;
        }
        let mut data = axum::body::Body::new(body).into_data_stream();
        let reading = async {
            let mut seen = 0;
            while let Some(Ok(part)) = data.next().await {
                seen += part.len() as u64;
                if seen > MOST {
                    break;
                }
            }
        };
        // One that is too slow is closed on, as one that sends too much.
        let _ = timeout(PATIENCE, reading).await;
    }
}

impl Lent {
    /// Time in which to have sent what has come.
    fn allowed(&self) -> Duration {
        if self.proven.load(Ordering::Relaxed) {
            allowance(self.received)
        } else {
            GRACE
        }
    }

    /// Nothing has come yet: an error once the client's time is over.
    fn wait(&mut self, cx: &mut Context<'_>) -> Poll<BodyError> {
        let left = self.allowed().saturating_sub(self.waited).min(STALL);
        let (_, timer) = self
            .waiting
            .get_or_insert_with(|| (Instant::now(), Box::pin(sleep(left))));
        timer.as_mut().poll(cx).map(|()| BodyError::Slow)
    }
}

impl Body for Lent {
    type Data = Bytes;
    type Error = BodyError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BodyError>>> {
        let this = &mut *self;
        let Some(body) = &mut this.body else {
            return Poll::Ready(None);
        };
        match Pin::new(body).poll_frame(cx) {
            Poll::Ready(frame) => {
                if let Some((since, _)) = this.waiting.take() {
                    this.waited += since.elapsed();
                }
                if let Some(Ok(frame)) = &frame {
                    this.received += frame.data_ref().map_or(0, |data| data.len() as u64);
                }
                Poll::Ready(frame.map(|frame| frame.map_err(BodyError::from)))
            }
            Poll::Pending => this.wait(cx).map(|slow| {
                // What is left is not waited for a second time.
                this.back = None;
                Some(Err(slow))
            }),
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

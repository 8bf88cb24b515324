//! The bodies of requests and answers, each with its bound.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use thiserror::Error;
use wasmtime_wasi_http::Error as HttpError;
use wasmtime_wasi_http::p2::body::HyperOutgoingBody;

use crate::Failure;
use crate::instance::Running;
use crate::report::Report;

/// A body that came in, up to a bound.
pub(crate) struct Bounded<B> {
    inner: B,
    left: u64,
    limit: u64,
    over: Arc<AtomicBool>,
}

impl<B> Bounded<B> {
    /// `over` says afterwards that the bound was reached.
    pub(crate) fn new(inner: B, limit: u64, over: Arc<AtomicBool>) -> Self {
        Self {
            inner,
            left: limit,
            limit,
            over,
        }
    }
}

impl<B> Body for Bounded<B>
where
    B: Body<Data = Bytes> + Unpin,
    B::Error: Into<HttpError>,
{
    type Data = Bytes;
    type Error = HttpError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, HttpError>>> {
        let frame = match ready!(Pin::new(&mut self.inner).poll_frame(cx)) {
            Some(frame) => frame.map_err(Into::into),
            None => return Poll::Ready(None),
        };
        let bytes = frame
            .as_ref()
            .ok()
            .and_then(Frame::data_ref)
            .map_or(0, Bytes::len) as u64;
        if bytes > self.left {
            self.over.store(true, Ordering::Relaxed);
            let limit = Some(self.limit);
            return Poll::Ready(Some(Err(HttpError::HttpRequestBodySize(limit))));
        }
        self.left -= bytes;
        Poll::Ready(Some(frame))
    }

    fn is_end_stream(&self) -> bool {
        self.inner.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.inner.size_hint()
    }
}

/// The answer is cut off here: its connection is to be ended, so that nobody takes it for whole.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("the answer is cut off: {0}")]
pub struct Cut(pub Failure);

/// The body of an answer: of the guest, or a sentence in its place.
pub struct Served(Content);

enum Content {
    Text(Option<Bytes>),
    Guest(Box<Answer>),
}

/// What a guest writes, and the guest.
pub(crate) struct Answer {
    pub(crate) inner: HyperOutgoingBody,
    pub(crate) guest: Running,
    pub(crate) limit: u64,
    /// What the head said of the length.
    pub(crate) length: Option<u64>,
    pub(crate) report: Report,
    pub(crate) state: State,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    Flowing,
    /// No more comes; whether that is all depends on how the guest ends.
    Ending,
    Over,
}

impl Served {
    pub(crate) fn text(text: String) -> Self {
        Self(Content::Text(Some(text.into())))
    }

    pub(crate) fn guest(answer: Answer) -> Self {
        Self(Content::Guest(Box::new(answer)))
    }
}

impl Body for Served {
    type Data = Bytes;
    type Error = Cut;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Cut>>> {
        match &mut self.0 {
            Content::Text(text) => Poll::Ready(text.take().map(|text| Ok(Frame::data(text)))),
            Content::Guest(answer) => answer.poll(cx),
        }
    }

    fn is_end_stream(&self) -> bool {
        match &self.0 {
            Content::Text(text) => text.is_none(),
            Content::Guest(answer) => answer.state == State::Over || answer.inner.is_end_stream(),
        }
    }

    fn size_hint(&self) -> SizeHint {
        match &self.0 {
            Content::Text(text) => SizeHint::with_exact(text.as_ref().map_or(0, Bytes::len) as u64),
            Content::Guest(answer) => answer.inner.size_hint(),
        }
    }
}

impl Answer {
    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Cut>>> {
        if self.state == State::Flowing {
            match ready!(Pin::new(&mut self.inner).poll_frame(cx)) {
                Some(Ok(frame)) => return Poll::Ready(Some(self.count(frame))),
                Some(Err(_)) => return Poll::Ready(Some(self.cut(Failure::Incomplete))),
                None => self.state = State::Ending,
            }
        }
        if self.state == State::Over {
            return Poll::Ready(None);
        }
        let (usage, result) = ready!(Pin::new(&mut self.guest).poll(cx));
        self.report.ended.memory_bytes = usage;
        match result {
            Ok(()) => {
                self.state = State::Over;
                Poll::Ready(None)
            }
            Err(failure) => Poll::Ready(Some(self.cut(failure))),
        }
    }

    fn count(&mut self, frame: Frame<Bytes>) -> Result<Frame<Bytes>, Cut> {
        let bytes = &mut self.report.ended.bytes;
        let more = frame.data_ref().map_or(0, Bytes::len) as u64;
        if bytes.saturating_add(more) > self.limit {
            let limit = self.limit;
            return self.cut(Failure::AnswerBody { limit });
        }
        *bytes += more;
        // The connection asks for no more than the head announced, so the guest would not be heard
        // to its end.
        if self.length == Some(*bytes) {
            self.guest.let_go();
        }
        Ok(frame)
    }

    fn cut<T>(&mut self, failure: Failure) -> Result<T, Cut> {
        self.state = State::Over;
        self.guest.stop();
        self.report.ended.failure = Some(failure.clone());
        Err(Cut(failure))
    }
}

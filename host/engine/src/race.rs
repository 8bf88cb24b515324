//! Two futures, of which the first to end counts.
//!
//! They are types and not async functions: an async function keeps room for what it was given and
//! for what it then waits for, so a future that went through a few of them takes many times its
//! size, in each of a thousand workers at rest.

use std::pin::Pin;
use std::task::{Context, Poll, ready};

use futures::future::BoxFuture;
use pin_project_lite::pin_project;
use tokio_util::sync::{CancellationToken, WaitForCancellationFuture};

pin_project! {
    /// `work`, unless a token is cancelled first; the token is asked first.
    pub(crate) struct Unless<'a, F> {
        #[pin]
        cancelled: WaitForCancellationFuture<'a>,
        #[pin]
        work: F,
    }
}

/// The output of `work`; none when `token` was cancelled first.
pub(crate) fn unless<F: Future>(token: &CancellationToken, work: F) -> Unless<'_, F> {
    Unless {
        cancelled: token.cancelled(),
        work,
    }
}

impl<F: Future> Future for Unless<'_, F> {
    type Output = Option<F::Output>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.project();
        if this.cancelled.poll(context).is_ready() {
            return Poll::Ready(None);
        }
        this.work.poll(context).map(Some)
    }
}

pin_project! {
    /// `work`, unless a timer ends first; the timer is made when `work` is not ready at once, and
    /// `work` is asked first.
    pub(crate) struct Before<F, S> {
        #[pin]
        work: F,
        sleep: S,
        timer: Option<BoxFuture<'static, ()>>,
    }
}

/// The output of `work`; none when the timer that `sleep` makes ended first.
pub(crate) fn before<F, S>(work: F, sleep: S) -> Before<F, S>
where
    F: Future,
    S: FnMut() -> BoxFuture<'static, ()>,
{
    Before {
        work,
        sleep,
        timer: None,
    }
}

impl<F: Future, S: FnMut() -> BoxFuture<'static, ()>> Future for Before<F, S> {
    type Output = Option<F::Output>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.project();
        if let Poll::Ready(output) = this.work.poll(context) {
            return Poll::Ready(Some(output));
        }
        let timer = this.timer.get_or_insert_with(this.sleep);
        ready!(timer.as_mut().poll(context));
        Poll::Ready(None)
    }
}

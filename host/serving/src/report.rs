//! What is told of each request when it is over.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use periapt_model::workload::trace::Span;
use tokio::time::Instant;

use crate::trace::{self, Begun};
use crate::{Failure, Stream};

/// Who hears of a service's requests. Called from the tasks that answer them: it does not wait.
pub trait Listener: Send + Sync {
    /// A line of a request, cleaned, within [`crate::Limits::output_bytes`].
    fn line(&self, stream: Stream, line: &str);

    /// A request is over. Once for each that was asked for, also where the client left.
    fn ended(&self, ended: &Ended);

    /// The guest of a request is gone, and has computed for so long. Once for each that was made, and apart from
    /// [`Listener::ended`], since a guest may compute on after its answer was whole.
    fn computed(&self, cpu: Duration);

    /// A part of a request that is traced is over.
    fn span(&self, _: Span) {}
}

/// How a request went.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ended {
    /// The status that was sent; zero when the client left before.
    pub status: u16,
    pub duration: Duration,
    /// Of it, what the request waited for room.
    pub waited: Duration,
    /// Bytes of the answer's body that the client's connection took.
    pub bytes: u64,
    /// Linear memory granted at most, where the guest came to its end.
    pub memory_bytes: u64,
    /// Why the guest did not answer, or not all of it.
    pub failure: Option<Failure>,
}

/// How long a guest has computed: the time that its future was polled for, so what others of the machine
/// took from it in the middle of that is its own. Told when this is dropped, however the guest ended.
pub(crate) struct Computing {
    listener: Arc<dyn Listener>,
    spent: Duration,
}

impl Computing {
    pub(crate) fn begin(listener: Arc<dyn Listener>) -> Self {
        Self {
            listener,
            spent: Duration::ZERO,
        }
    }

    pub(crate) fn spent(&self) -> Duration {
        self.spent
    }

    /// Polls the guest's work.
    pub(crate) fn poll<F: Future>(
        &mut self,
        work: Pin<&mut F>,
        context: &mut Context<'_>,
    ) -> Poll<F::Output> {
        let begun = std::time::Instant::now();
        let polled = work.poll(context);
        self.spent += begun.elapsed();
        polled
    }
}

impl Drop for Computing {
    fn drop(&mut self) {
        self.listener.computed(self.spent);
    }
}

/// Tells the listener when it is dropped, whatever happened until then.
pub(crate) struct Report {
    listener: Arc<dyn Listener>,
    begun: Instant,
    pub(crate) ended: Ended,
    /// Where the request is traced.
    pub(crate) traced: Option<Box<Begun>>,
}

impl Report {
    pub(crate) fn begin(listener: Arc<dyn Listener>) -> Self {
        Self {
            listener,
            begun: Instant::now(),
            ended: Ended::default(),
            traced: None,
        }
    }

    /// What measures the guest that is made for this request.
    pub(crate) fn computing(&self) -> Computing {
        Computing::begin(self.listener.clone())
    }

    pub(crate) fn admitted(&mut self) {
        self.ended.waited = self.begun.elapsed();
    }
}

impl Drop for Report {
    fn drop(&mut self) {
        self.ended.duration = self.begun.elapsed();
        self.listener.ended(&self.ended);
        if let Some(begun) = &self.traced {
            let Ended {
                status, failure, ..
            } = &self.ended;
            let span = trace::ended(begun, *status, failure.as_ref());
            self.listener.span(span);
        }
    }
}

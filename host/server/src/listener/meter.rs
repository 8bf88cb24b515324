//! The socket under a connection, with what no protocol above it bounds: how long a peer may take
//! nothing of what is sent to it, and how much of a websocket message may lie here unfinished.
//!
//! A websocket library gathers a message until it is whole. So bytes are counted beneath it: all
//! of them until the login, those of the present message afterwards. The first part of a message
//! is free; for more the connection needs room that all connections of its kind share, and a
//! message that is not finished in time ends it.

use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use periapt_model::bounds::{AGENT_MESSAGE_BYTES, LOGIN_MESSAGE_BYTES, USER_MESSAGE_BYTES};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, Sleep, sleep, sleep_until};
use tokio_util::sync::PollSemaphore;

use super::pace::{STALL, allowance};
use crate::identity::Identity;

/// A peer that takes nothing for this long is gone.
const STALLED: Duration = Duration::from_secs(60);
/// Bytes of an unfinished message that need no shared room; the unit in which it is given.
const PART: u64 = 64 << 10;
/// Frames and their heads around the bytes of a message.
const ENVELOPE: u64 = 4 << 10;
/// Parts for unfinished messages and those being worked on, of all people and of all agents.
const PEOPLE_PARTS: usize = 512;
const AGENT_PARTS: usize = 3072;

/// Room for large messages. Clones share it.
#[derive(Clone)]
pub(super) struct Room {
    people: Arc<Semaphore>,
    agents: Arc<Semaphore>,
}

impl Room {
    pub(super) fn new() -> Self {
        Self {
            people: Arc::new(Semaphore::new(PEOPLE_PARTS)),
            agents: Arc::new(Semaphore::new(AGENT_PARTS)),
        }
    }
}

/// What the websocket on a connection tells the socket beneath it. Clones are the same.
#[derive(Clone)]
pub(crate) struct Meter {
    room: Room,
    reading: Arc<Mutex<Reading>>,
}

#[derive(Default)]
struct Reading {
    /// None while the connection speaks HTTP, whose heads and bodies have bounds of their own.
    limit: Option<u64>,
    known: Option<Arc<Semaphore>>,
    unfinished: u64,
    /// When the first and the last bytes of it came.
    came: Option<(Instant, Instant)>,
    held: Option<OwnedSemaphorePermit>,
}

impl Meter {
    pub(super) fn new(room: Room) -> Self {
        Self {
            room,
            reading: Arc::default(),
        }
    }

    /// From here on bytes are those of a websocket nobody has logged in on.
    pub(crate) fn begin(&self) {
        self.lock().limit = Some(LOGIN_MESSAGE_BYTES.most);
    }

    /// Somebody has logged in.
    pub(crate) fn known(&self, who: &Identity) {
        let (limit, room) = match who {
            Identity::User { .. } => (USER_MESSAGE_BYTES, &self.room.people),
            _ => (AGENT_MESSAGE_BYTES, &self.room.agents),
        };
        let mut reading = self.lock();
        reading.limit = Some(limit.most + ENVELOPE);
        reading.known = Some(Arc::clone(room));
        reading.finish();
    }

    /// A message is whole: the room it took, to be kept as long as it is worked on.
    pub(crate) fn finished(&self) -> Option<OwnedSemaphorePermit> {
        let mut reading = self.lock();
        // Before the login all bytes count together.
        reading.known.is_some().then(|| reading.finish()).flatten()
    }

    /// A control frame with this many bytes came between the frames of messages.
    pub(crate) fn controlled(&self, bytes: usize) {
        let mut reading = self.lock();
        if reading.known.is_some() {
            // The head of a client's control frame has six.
            reading.unfinished = reading.unfinished.saturating_sub(bytes as u64 + 6);
            if reading.unfinished == 0 {
                reading.finish();
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, Reading> {
        self.reading.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Reading {
    fn finish(&mut self) -> Option<OwnedSemaphorePermit> {
        self.unfinished = 0;
        self.came = None;
        self.held.take()
    }

    /// Whether the next bytes need more room than is held.
    fn needs_room(&self) -> bool {
        let held = self.held.as_ref().map_or(0, |held| held.num_permits());
        self.unfinished / PART > held as u64
    }
}

/// The socket.
pub(super) struct Metered<S> {
    inner: S,
    meter: Meter,
    stalled: Option<Pin<Box<Sleep>>>,
    late: Option<(Instant, Pin<Box<Sleep>>)>,
    more: Option<PollSemaphore>,
}

impl<S> Metered<S> {
    pub(super) fn new(inner: S, meter: Meter) -> Self {
        Self {
            inner,
            meter,
            stalled: None,
            late: None,
            more: None,
        }
    }

    /// An error once the message that is coming in takes too long.
    fn in_time(&mut self, cx: &mut Context<'_>) -> io::Result<()> {
        let reading = self.meter.lock();
        let Some((first, last)) = reading.came else {
            drop(reading);
            self.late = None;
            return Ok(());
        };
        let end = (first + allowance(reading.unfinished)).min(last + STALL);
        drop(reading);
        let (set, timer) = self
            .late
            .get_or_insert_with(|| (end, Box::pin(sleep_until(end))));
        if *set != end {
            *set = end;
            timer.as_mut().reset(end);
        }
        match timer.as_mut().poll(cx) {
            Poll::Ready(()) => Err(io::Error::new(
                io::ErrorKind::TimedOut,
                "the message did not arrive in time",
            )),
            Poll::Pending => Ok(()),
        }
    }

    /// Ready once there is room for the next bytes.
    fn poll_room(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let room = {
            let reading = self.meter.lock();
            let Some(limit) = reading.limit else {
                return Poll::Ready(Ok(()));
            };
            if reading.unfinished > limit {
                return Poll::Ready(Err(io::Error::new(
                    io::ErrorKind::InvalidData,
                    "the message is too long",
                )));
            }
            match &reading.known {
                Some(room) if reading.needs_room() => Arc::clone(room),
                _ => return Poll::Ready(Ok(())),
            }
        };
        let more = self.more.get_or_insert_with(|| PollSemaphore::new(room));
        // The semaphore is never closed.
        if let Some(part) = ready!(more.poll_acquire(cx)) {
            let mut reading = self.meter.lock();
            match &mut reading.held {
                Some(held) => held.merge(part),
                none => *none = Some(part),
            }
        }
        Poll::Ready(Ok(()))
    }

    fn written<T>(
        &mut self,
        cx: &mut Context<'_>,
        result: Poll<io::Result<T>>,
    ) -> Poll<io::Result<T>> {
        if result.is_ready() {
            self.stalled = None;
            return result;
        }
        let timer = self.stalled.get_or_insert_with(|| Box::pin(sleep(STALLED)));
        ready!(timer.as_mut().poll(cx));
        Poll::Ready(Err(io::Error::new(
            io::ErrorKind::TimedOut,
            "the peer takes nothing",
        )))
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Metered<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = &mut *self;
        this.in_time(cx)?;
        ready!(this.poll_room(cx))?;
        let before = buffer.filled().len();
        let result = Pin::new(&mut this.inner).poll_read(cx, buffer);
        let read = buffer.filled().len() - before;
        if read > 0 {
            let mut reading = this.meter.lock();
            if reading.limit.is_some() {
                reading.unfinished += read as u64;
                let now = Instant::now();
                reading.came = Some((reading.came.map_or(now, |(first, _)| first), now));
            }
        }
        result
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Metered<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        data: &[u8],
    ) -> Poll<io::Result<usize>> {
        let result = Pin::new(&mut self.inner).poll_write(cx, data);
        self.written(cx, result)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        data: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let result = Pin::new(&mut self.inner).poll_write_vectored(cx, data);
        self.written(cx, result)
    }

    fn is_write_vectored(&self) -> bool {
        self.inner.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let result = Pin::new(&mut self.inner).poll_flush(cx);
        self.written(cx, result)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let result = Pin::new(&mut self.inner).poll_shutdown(cx);
        self.written(cx, result)
    }
}

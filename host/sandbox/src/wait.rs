//! Waiting for a guest on the calling thread, until a deadline.
//!
//! A guest may wait inside the host (for a clock), where no epoch reaches it; the deadline is
//! therefore the wait's own. The thread is parked rather than handed to the runtime so that
//! host calls made on it may use the runtime as any blocking code does.

use std::future::Future;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::time::Instant;

struct Unpark(std::thread::Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        self.0.unpark();
    }
}

/// Ends when nobody wants the result any more.
pub type Cancelled = Pin<Box<dyn Future<Output = ()> + Send>>;

/// Why something was not brought to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum GivenUp {
    Late,
    Cancelled,
}

/// What the thread of a guest is about to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Thread {
    /// It sleeps, since the guest waits.
    Rests,
    /// It goes on with the guest.
    GoesOn,
}

/// Drives `future` to its end, unless `deadline`, which may move, passes first, or it is cancelled. Timers of
/// the future run on the caller's runtime, or on one made for this purpose when there is none. `told` hears
/// before the thread sleeps and before it goes on, for which it may have to wait.
pub(crate) fn until<F: Future>(
    deadline: impl Fn() -> Instant,
    mut cancelled: Option<Cancelled>,
    told: impl Fn(Thread),
    future: F,
) -> Result<F::Output, GivenUp> {
    wasmtime_wasi::runtime::with_ambient_tokio_runtime(|| {
        let waker = Waker::from(Arc::new(Unpark(std::thread::current())));
        let mut task = Context::from_waker(&waker);
        let mut future = pin!(future);
        loop {
            if let Poll::Ready(output) = future.as_mut().poll(&mut task) {
                return Ok(output);
            }
            if let Some(cancelled) = &mut cancelled
                && cancelled.as_mut().poll(&mut task).is_ready()
            {
                return Err(GivenUp::Cancelled);
            }
            let left = deadline().saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(GivenUp::Late);
            }
            told(Thread::Rests);
            std::thread::park_timeout(left);
            // What is late goes on with nothing.
            if deadline() <= Instant::now() {
                return Err(GivenUp::Late);
            }
            told(Thread::GoesOn);
        }
    })
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_future_that_never_ends_is_given_up() {
        let deadline = Instant::now() + Duration::from_millis(20);
        let given_up = until(|| deadline, None, |_| {}, std::future::pending::<()>());
        assert_eq!(given_up, Err(GivenUp::Late));
        assert!(Instant::now() >= deadline);
    }

    #[test]
    fn what_is_cancelled_is_given_up_at_once() {
        let deadline = Instant::now() + Duration::from_secs(60);
        let cancelled: Cancelled = Box::pin(async {
            tokio::time::sleep(Duration::from_millis(5)).await;
        });
        let never = std::future::pending::<()>();
        let given_up = until(|| deadline, Some(cancelled), |_| {}, never);
        assert_eq!(given_up, Err(GivenUp::Cancelled));
        assert!(Instant::now() < deadline);
    }

    #[test]
    fn a_timer_wakes_the_thread() {
        let deadline = Instant::now() + Duration::from_secs(60);
        let sleep = async {
            tokio::time::sleep(Duration::from_millis(5)).await;
            7
        };
        let told = std::cell::RefCell::new(Vec::new());
        let hears = |thread| told.borrow_mut().push(thread);
        assert_eq!(until(|| deadline, None, hears, sleep), Ok(7));
        let told = told.into_inner();
        assert_eq!(told[..2], [Thread::Rests, Thread::GoesOn]);
        assert_eq!(told.last(), Some(&Thread::GoesOn));
    }

    #[test]
    fn who_does_not_wait_is_told_nothing() {
        let deadline = Instant::now() + Duration::from_secs(60);
        let told = std::cell::Cell::new(0);
        let hears = |_| told.set(told.get() + 1);
        assert_eq!(until(|| deadline, None, hears, async { 7 }), Ok(7));
        assert_eq!(told.get(), 0);
    }
}

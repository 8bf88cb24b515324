//! A clock that stands still until a test moves it.

use std::collections::BTreeMap;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};
use std::time::Duration;

use futures::future::BoxFuture;
use jiff::{SignedDuration, Timestamp};
use tokio::sync::{Notify, oneshot};

use super::{Clock, SharedClock};
use crate::panics::lock;

/// Virtual time. Clones are the same clock. A sleeper is registered when `sleep` is called, not
/// when its future is first polled, so a test which sees it in [`sleepers`](Self::sleepers) can
/// advance without a race.
#[derive(Clone, Default)]
pub struct FakeClock {
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    registered: Notify,
}

#[derive(Default)]
struct State {
    elapsed: Duration,
    next_id: u64,
    /// In the order in which they wake: by deadline, and by age among equals.
    sleepers: BTreeMap<(Duration, u64), oneshot::Sender<()>>,
}

impl FakeClock {
    /// The wall clock's reading before the first advance: 2026-01-01T00:00:00Z.
    pub const EPOCH_SECONDS: i64 = 1_767_225_600;

    /// A clock at the epoch with no time elapsed.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// This clock in the form in which clocks are passed around.
    #[must_use]
    pub fn shared(&self) -> SharedClock {
        Arc::new(self.clone())
    }

    /// Moves time on and wakes, in order, everyone whose sleep is over. The woken tasks run when
    /// the caller next yields; one that sleeps again counts from the new time.
    pub fn advance(&self, by: Duration) {
        let mut state = lock(&self.shared.state);
        let target = state.elapsed + by;
        while let Some(entry) = state.sleepers.first_entry() {
            if entry.key().0 > target {
                break;
            }
            let wake = entry.remove();
            let _ = wake.send(());
        }
        state.elapsed = target;
    }

    /// Moves time on to the first deadline and wakes those who wait for exactly that; false when
    /// nobody sleeps.
    pub fn advance_to_next(&self) -> bool {
        match self.next_wake() {
            Some(wait) => {
                self.advance(wait);
                true
            }
            None => false,
        }
    }

    /// How long until the first sleeper wakes.
    #[must_use]
    pub fn next_wake(&self) -> Option<Duration> {
        let state = lock(&self.shared.state);
        let (deadline, _) = state.sleepers.keys().next()?;
        Some(deadline.saturating_sub(state.elapsed))
    }

    /// How many sleep now.
    #[must_use]
    pub fn sleepers(&self) -> usize {
        lock(&self.shared.state).sleepers.len()
    }

    /// Waits until at least `count` sleep at the same time.
    pub async fn wait_sleepers(&self, count: usize) {
        loop {
            let mut registered = std::pin::pin!(self.shared.registered.notified());
            registered.as_mut().enable();
            if self.sleepers() >= count {
                return;
            }
            registered.await;
        }
    }
}

impl Clock for FakeClock {
    fn now(&self) -> Timestamp {
        let epoch = Timestamp::constant(Self::EPOCH_SECONDS, 0);
        SignedDuration::try_from(self.monotonic())
            .ok()
            .and_then(|elapsed| epoch.checked_add(elapsed).ok())
            .unwrap_or(Timestamp::MAX)
    }

    fn monotonic(&self) -> Duration {
        lock(&self.shared.state).elapsed
    }

    fn sleep(&self, duration: Duration) -> BoxFuture<'static, ()> {
        if duration.is_zero() {
            return Box::pin(std::future::ready(()));
        }
        let (wake, woken) = oneshot::channel();
        let mut state = lock(&self.shared.state);
        let key = (state.elapsed.saturating_add(duration), state.next_id);
        state.next_id += 1;
        state.sleepers.insert(key, wake);
        drop(state);
        self.shared.registered.notify_waiters();
        Box::pin(Sleep {
            key,
            woken,
            shared: Arc::clone(&self.shared),
        })
    }
}

struct Sleep {
    key: (Duration, u64),
    woken: oneshot::Receiver<()>,
    shared: Arc<Shared>,
}

impl Future for Sleep {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        Pin::new(&mut self.woken).poll(context).map(|_| ())
    }
}

impl Drop for Sleep {
    fn drop(&mut self) {
        lock(&self.shared.state).sleepers.remove(&self.key);
    }
}

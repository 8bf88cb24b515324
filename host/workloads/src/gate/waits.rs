//! How long something has not come: that a client takes what is there for it, or anything at all.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock};
use std::time::{Duration, Instant};

/// Of one answer. It is told of each part of it, so it is no more than a number.
#[derive(Clone, Default)]
pub struct Waits(Arc<AtomicU64>);

impl Waits {
    /// A part was handed over, or may be fetched from now on.
    pub fn begin(&self) {
        self.0.store(now(), Ordering::Relaxed);
    }

    /// The next part was asked for.
    pub fn end(&self) {
        self.0.store(0, Ordering::Relaxed);
    }

    /// Returns once nothing has begun for so long.
    pub async fn nothing(&self, most: Duration) {
        while !self.last(most) {
            tokio::time::sleep(most / 4).await;
        }
    }

    /// Whether it is the client that has been waited for, so long at least.
    pub fn last(&self, most: Duration) -> bool {
        let since = self.0.load(Ordering::Relaxed);
        since != 0 && u128::from(now().saturating_sub(since)) >= most.as_millis()
    }
}

/// Milliseconds, never 0.
fn now() -> u64 {
    static BEGUN: LazyLock<Instant> = LazyLock::new(Instant::now);
    let passed = BEGUN.elapsed().as_millis();
    u64::try_from(passed).unwrap_or(u64::MAX - 1) + 1
}

//! **secretexpire** and **secretrotate**: when the hooks of a unit's secrets come due.
//!
//! Trigger: the time that the controller names with everything it says of a unit, of the next revision that
//! expires or the next secret that is to be rotated. Action: has the unit look again at that time, since nobody
//! tells of a time that comes. Effect: `secret-expired` and `secret-rotate` run when they are due, and again
//! where the charm leaves things as they are.
//!
//! Both are one timer of the unit's remote state, as they are children of it in Juju; a unit of whose secrets
//! nothing comes due has none.

use std::time::Duration;

use futures::future::BoxFuture;
use periapt_engine::SharedClock;

/// A controller whose clock is behind does not call due what is due here; it is asked again after that long.
const AGAIN: Duration = Duration::from_secs(1);

/// See the module.
#[derive(Default)]
pub(crate) struct SecretTimer {
    /// Microseconds UTC.
    next: Option<i64>,
    sleep: Option<BoxFuture<'static, ()>>,
}

impl SecretTimer {
    /// Sets it to what the controller says; one that is set to it goes on.
    pub fn set(&mut self, next: Option<i64>, clock: &SharedClock) {
        if self.next == next && self.sleep.is_some() == next.is_some() {
            return;
        }
        let late = self.next == next;
        self.next = next;
        self.sleep = next.map(|next| {
            let wait = next.saturating_sub(clock.now().as_microsecond());
            let wait = Duration::from_micros(u64::try_from(wait).unwrap_or_default());
            clock.sleep(if late { wait.max(AGAIN) } else { wait })
        });
    }

    /// Waits until it goes off, which it does once for each time it is set.
    pub async fn due(&mut self) {
        match &mut self.sleep {
            Some(sleep) => sleep.await,
            None => std::future::pending().await,
        }
        self.sleep = None;
    }
}

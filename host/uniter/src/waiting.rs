//! Waiting for a turn, or for a place in it, and when that is worth a word.

use std::time::Duration;

use periapt_engine::SharedClock;

use crate::turns::Turn;

/// How long a hook waits before the unit's status says so, and how often what it says is brought
/// up to date.
const SHOWN: Duration = Duration::from_secs(1);
const SHOWN_AGAIN: Duration = Duration::from_secs(5);

/// One wait.
pub(crate) struct Waiting {
    clock: SharedClock,
    show_at: Duration,
}

impl Waiting {
    /// It begins now.
    pub fn begin(clock: &SharedClock) -> Self {
        Self {
            show_at: clock.monotonic() + SHOWN,
            clock: clock.clone(),
        }
    }

    /// Ends when the hook may compute, true, or when what it waits for is to be shown. May be
    /// dropped and called again.
    pub async fn ends(&self, turn: &Turn) -> bool {
        if turn.has_come() {
            return true;
        }
        let now = self.clock.monotonic();
        if now < self.show_at {
            tokio::select! {
                biased;
                () = turn.comes() => return true,
                () = self.clock.sleep(self.show_at - now) => {}
            }
        }
        turn.comes_or_moves().await
    }

    /// It has been shown.
    pub fn shown(&mut self) {
        self.show_at = self.clock.monotonic() + SHOWN_AGAIN;
    }
}

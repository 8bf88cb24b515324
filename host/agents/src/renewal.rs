//! When leases are renewed: those of one process together.
//!
//! Renewals that come at times of their own wake the agent and the controller once each, and each is
//! a transaction. So they wait for the process's next turn, which is never later than they may be.

use std::time::Duration;

/// From one turn of this process to the next.
pub const TURNS: Duration = Duration::from_secs(30);

/// How long a lease claimed at `claimed`, of the process's monotonic clock, waits for its renewal:
/// more than nothing, and at most `within`.
pub fn wait(claimed: Duration, within: Duration) -> Duration {
    let since_turn = claimed.as_nanos() % TURNS.as_nanos();
    let since_turn = Duration::from_nanos(u64::try_from(since_turn).unwrap_or_default());
    TURNS.saturating_sub(since_turn).min(within)
}

#[cfg(test)]
mod tests;

//! When leases are renewed: those of one machine together.
//!
//! Renewals that come at times of their own wake their agent and the controller once each, and each is
//! a transaction. So they wait for the next turn, which the wall clock tells all processes alike and which is never
//! later than they may be. A clock that is wrong or jumps moves the turn, within the same bounds.

use std::time::Duration;

use jiff::Timestamp;

/// From one turn to the next.
pub const TURNS: Duration = Duration::from_secs(30);

/// How long a lease that was claimed at `claimed` waits for its renewal: more than nothing, and at most `within`.
pub fn wait(claimed: Timestamp, within: Duration) -> Duration {
    let turns = i128::try_from(TURNS.as_nanos()).unwrap_or(i128::MAX);
    let since_turn = claimed.as_nanosecond().rem_euclid(turns);
    let since_turn = Duration::from_nanos(u64::try_from(since_turn).unwrap_or_default());
    TURNS.saturating_sub(since_turn).min(within)
}

#[cfg(test)]
mod tests;

//! How slowly a client may send: a grace to begin with, and as much time again as its bytes take
//! at the least rate; and never long without a single one.

use std::time::Duration;

/// Time before anything has to have come, and all there is for whoever has proven nothing.
pub(super) const GRACE: Duration = Duration::from_secs(10);
/// Time without a byte, however many came before.
pub(super) const STALL: Duration = Duration::from_secs(20);
/// Bytes of a second, at least.
const RATE: u64 = 16 << 10;
/// However much comes.
const LONGEST: Duration = Duration::from_secs(3600 * 3);

/// Time in which to have sent this much.
pub(super) fn allowance(bytes: u64) -> Duration {
    (GRACE + Duration::from_millis(bytes.saturating_mul(1000) / RATE)).min(LONGEST)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whoever_sends_at_the_least_rate_is_never_late_and_an_upload_has_an_end() {
        assert_eq!(allowance(0), GRACE);
        assert_eq!(allowance(RATE * 60), GRACE + Duration::from_secs(60));
        assert_eq!(allowance(u64::MAX), LONGEST);
        let largest = crate::rest::ARCHIVE_BYTES;
        assert!(allowance(largest) < LONGEST);
    }
}

use std::time::Duration;

use super::*;

#[test]
fn times_are_dates() {
    for (seconds, text) in [
        (0, "1970-01-01T00:00:00Z"),
        (951_782_399, "2000-02-28T23:59:59Z"),
        (951_782_400, "2000-02-29T00:00:00Z"),
        (951_868_800, "2000-03-01T00:00:00Z"),
        (1_769_846_709, "2026-01-31T08:05:09Z"),
        (4_107_542_400, "2100-03-01T00:00:00Z"),
    ] {
        assert_eq!(rfc3339(UNIX_EPOCH + Duration::from_secs(seconds)), text);
    }
}

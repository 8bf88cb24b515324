use proptest::prelude::*;

use super::*;

/// Milliseconds after a turn.
fn at(milliseconds: u64) -> Timestamp {
    let turn = 1_790_000_010_000_i64;
    Timestamp::from_millisecond(turn + i64::try_from(milliseconds).unwrap()).unwrap()
}

#[test]
fn leases_of_one_machine_are_renewed_together() {
    let within = TURNS;
    let renewed = |claimed: u64| Duration::from_millis(claimed) + wait(at(claimed), within);
    assert_eq!(renewed(0), TURNS);
    assert_eq!(renewed(1), TURNS);
    assert_eq!(renewed(29_999), TURNS);
    // A renewal is late by what the one before it took, and is not renewed once more for that.
    assert_eq!(renewed(30_001), 2 * TURNS);
}

proptest! {
    #[test]
    fn a_renewal_comes_in_time_and_not_at_once(claimed in 0_u64..10_000_000, within in 1_u64..300_000) {
        let within = Duration::from_millis(within);
        let wait = wait(at(claimed), within);
        let claimed = Duration::from_millis(claimed);
        prop_assert!(!wait.is_zero());
        prop_assert!(wait <= within);
        let turn = (claimed + wait)
            .as_millis()
            .is_multiple_of(TURNS.as_millis());
        prop_assert!(turn || wait == within);
    }
}

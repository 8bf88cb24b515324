//! What units computed lately, and who is behind others for it.
//!
//! It counts half after ten seconds, so a unit that computed without end is behind for a minute or so
//! and never for good. The time of a hook that is too short to matter is not written down, so most hooks
//! cost nothing here, and units for whom it no longer counts are forgotten.

use std::collections::BTreeMap;
use std::time::Duration;

use super::LITTLE;
use crate::UnitName;

/// What a unit computed counts half after so long.
const HALF_LIFE: Duration = Duration::from_secs(10);
/// A shorter time is not written down, unless the unit is known.
const NOTED: Duration = Duration::from_millis(10);
/// Units that are known, before those are forgotten for whom it no longer counts.
const KNOWN: usize = 64;

/// Of all units of a process.
#[derive(Debug)]
pub(super) struct Used {
    now: Duration,
    units: BTreeMap<UnitName, Computed>,
    /// How many units there may be before some are forgotten.
    known: usize,
}

/// What the hooks of one unit computed, as it counted at a time.
#[derive(Clone, Copy, Debug)]
struct Computed {
    time: Duration,
    at: Duration,
}

impl Computed {
    fn counts(self, now: Duration) -> Duration {
        let halvings = now.saturating_sub(self.at).as_secs_f64() / HALF_LIFE.as_secs_f64();
        self.time.mul_f64(0.5_f64.powf(halvings))
    }
}

impl Used {
    pub fn new() -> Self {
        Self {
            now: Duration::ZERO,
            units: BTreeMap::new(),
            known: KNOWN,
        }
    }

    /// Says what time it is, on a clock that never goes back.
    pub fn pass(&mut self, now: Duration) {
        self.now = self.now.max(now);
    }

    /// Writes down what a hook of a unit has just computed; false where that is too short to be.
    pub fn charge(&mut self, unit: &UnitName, time: Duration) -> bool {
        let now = self.now;
        if let Some(computed) = self.units.get_mut(unit) {
            let time = computed.counts(now) + time;
            *computed = Computed { time, at: now };
        } else if time >= NOTED {
            self.units.insert(unit.clone(), Computed { time, at: now });
        } else {
            return false;
        }
        if self.units.len() > self.known {
            self.units
                .retain(|_, computed| computed.counts(now) >= NOTED);
            self.known = KNOWN.max(2 * self.units.len());
        }
        true
    }

    /// What counts of it now; nothing if that is little.
    pub fn behind(&self, unit: &UnitName) -> Duration {
        let computed = self.units.get(unit);
        let counts = computed.map_or(Duration::ZERO, |computed| computed.counts(self.now));
        match counts > LITTLE {
            true => counts,
            false => Duration::ZERO,
        }
    }

    pub fn is_empty(&self) -> bool {
        self.units.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unit(name: &str) -> UnitName {
        name.parse().unwrap()
    }

    #[test]
    fn what_a_unit_computed_counts_half_after_ten_seconds_and_nothing_after_a_while() {
        let mut used = Used::new();
        let hog = unit("hog/0");
        used.charge(&hog, Duration::from_secs(8));
        assert_eq!(used.behind(&hog), Duration::from_secs(8));
        used.pass(HALF_LIFE);
        assert_eq!(used.behind(&hog), Duration::from_secs(4));
        used.pass(Duration::ZERO);
        assert_eq!(used.behind(&hog), Duration::from_secs(4));
        used.pass(9 * HALF_LIFE);
        assert_eq!(used.behind(&hog), Duration::ZERO);
    }

    #[test]
    fn quick_hooks_put_nobody_behind_and_are_not_written_down() {
        let mut used = Used::new();
        for number in 0..1000 {
            let quick = unit(&format!("quick/{number}"));
            assert!(!used.charge(&quick, NOTED / 2));
            assert_eq!(used.behind(&quick), Duration::ZERO);
        }
        assert!(used.is_empty());
    }

    #[test]
    fn units_for_whom_it_no_longer_counts_are_forgotten() {
        let mut used = Used::new();
        for number in 0..10_000_u32 {
            used.pass(number * HALF_LIFE);
            used.charge(&unit(&format!("long/{number}")), Duration::from_secs(1));
        }
        assert!(used.units.len() <= KNOWN + 1, "{}", used.units.len());
    }
}

//! Chance as a value that is handed in, for the same reason as the clock: a test that fails must
//! fail again.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use rand::RngCore;

/// A source of random numbers for delays, ids and the like. Not for keys: those come from the
/// operating system alone.
pub trait Randomness: Send + Sync + 'static {
    /// The next number, uniform over all of `u64`.
    fn next_u64(&self) -> u64;

    /// A factor in [0.9, 1.1), by which delays are multiplied so that workers that failed
    /// together do not come back together.
    fn jitter(&self) -> f64 {
        // The upper 53 bits are a uniform fraction in [0, 1) that an f64 holds exactly.
        let fraction = (self.next_u64() >> 11) as f64 / (1_u64 << 53) as f64;
        0.9 + 0.2 * fraction
    }
}

/// Bytes of a secret: nobody guesses one.
const SECRET_BYTES: usize = 32;

/// A secret that a program keeps, in hexadecimal digits. It comes from no source that is handed in: one that a
/// seed could repeat would be none.
#[must_use]
pub fn secret() -> String {
    let mut bytes = [0; SECRET_BYTES];
    rand::rng().fill_bytes(&mut bytes);
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The form in which a source is passed around.
pub type SharedRandomness = Arc<dyn Randomness>;

/// The thread's generator, seeded by the operating system.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemRandomness;

impl Randomness for SystemRandomness {
    fn next_u64(&self) -> u64 {
        rand::rng().next_u64()
    }
}

/// The same numbers for the same seed (SplitMix64: eight bytes of state, good enough to spread
/// delays).
#[derive(Debug)]
pub struct Seeded {
    state: AtomicU64,
}

impl Seeded {
    /// A source that starts at `seed`.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self {
            state: AtomicU64::new(seed),
        }
    }

    /// The same, ready to be passed around.
    #[must_use]
    pub fn shared(seed: u64) -> SharedRandomness {
        Arc::new(Self::new(seed))
    }
}

impl Randomness for Seeded {
    fn next_u64(&self) -> u64 {
        const STEP: u64 = 0x9E37_79B9_7F4A_7C15;
        let mut mixed = self
            .state
            .fetch_add(STEP, Ordering::Relaxed)
            .wrapping_add(STEP);
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }
}

#[cfg(test)]
mod tests {
    use super::{Randomness, SECRET_BYTES, Seeded, SystemRandomness, secret};

    #[test]
    fn jitter_stays_within_a_tenth() {
        let seeded = Seeded::new(7);
        for _ in 0..10_000 {
            for factor in [seeded.jitter(), SystemRandomness.jitter()] {
                assert!((0.9..1.1).contains(&factor), "{factor}");
            }
        }
    }

    #[test]
    fn the_same_seed_gives_the_same_numbers() {
        let (one, two, other) = (Seeded::new(1), Seeded::new(1), Seeded::new(2));
        let first: Vec<u64> = (0..8).map(|_| one.next_u64()).collect();
        assert_eq!(first, (0..8).map(|_| two.next_u64()).collect::<Vec<_>>());
        assert_ne!(first, (0..8).map(|_| other.next_u64()).collect::<Vec<_>>());
    }

    #[test]
    fn no_secret_comes_twice() {
        let (one, other) = (secret(), secret());
        assert_eq!(one.len(), 2 * SECRET_BYTES);
        assert_ne!(one, other);
    }
}

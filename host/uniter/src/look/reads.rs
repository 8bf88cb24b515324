//! Generations of which somebody reads a file part by part.
//!
//! Each part is a question of its own, so between two of them nobody has the generation open. It is held here until
//! nothing was asked of it for [`BETWEEN`], so that a file is read to its end however many hooks are committed
//! meanwhile. At most [`AT_ONCE`] are held for that; beyond it the one that was asked for least lately is let go.
//! No timer lets go of one: whoever removes generations does so first.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use periapt_files::Hold;

/// How long a reader may take from one part to the next.
const BETWEEN: Duration = Duration::from_secs(30);
/// Of all units of the process.
const AT_ONCE: usize = 16;

/// Those of one process.
#[derive(Default)]
pub(crate) struct Reads {
    /// Asked for least lately first.
    held: Mutex<Vec<Read>>,
}

struct Read {
    generation: PathBuf,
    hold: Hold,
    asked: Duration,
}

impl Reads {
    fn held(&self) -> MutexGuard<'_, Vec<Read>> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A part of a file in this generation was read, and others follow. Times are the clock's monotonic ones.
    pub fn goes_on(&self, generation: &Path, now: Duration) {
        let mut held = self.held();
        let known = held.iter().position(|read| read.generation == generation);
        let known = known.map(|at| held.remove(at).hold);
        let hold = match known.filter(Hold::is_in_place) {
            Some(hold) => hold,
            None => match Hold::take(generation) {
                Ok(hold) => hold,
                // The next part is refused if it goes meanwhile.
                Err(_) => return,
            },
        };
        if held.len() >= AT_ONCE {
            held.remove(0);
        }
        held.push(Read {
            generation: generation.to_owned(),
            hold,
            asked: now,
        });
    }

    /// Lets go of generations of which nothing was asked for too long.
    pub fn end_late(&self, now: Duration) {
        let mut held = self.held();
        held.retain(|read| now.saturating_sub(read.asked) <= BETWEEN);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_held(generation: &Path) -> bool {
        let gone = periapt_files::remove_unheld(generation).unwrap();
        // It is as it was for whoever reads it next.
        std::fs::create_dir_all(generation).unwrap();
        !gone
    }

    #[test]
    fn a_generation_stays_for_30_seconds_after_each_part() {
        let home = tempfile::tempdir().unwrap();
        let generation = home.path().join("1");
        std::fs::create_dir(&generation).unwrap();
        let reads = Reads::default();
        for seconds in [0, 30, 60] {
            let now = Duration::from_secs(seconds);
            reads.end_late(now);
            assert!(seconds == 0 || is_held(&generation), "{seconds}");
            reads.goes_on(&generation, now);
        }
        reads.end_late(Duration::from_secs(90));
        assert!(is_held(&generation));
        reads.end_late(Duration::from_millis(90_001));
        assert!(!is_held(&generation));
    }

    #[test]
    fn of_too_many_the_one_asked_for_least_lately_is_let_go() {
        let home = tempfile::tempdir().unwrap();
        let generations: Vec<PathBuf> = (0..=AT_ONCE)
            .map(|number| home.path().join(number.to_string()))
            .collect();
        let reads = Reads::default();
        for generation in &generations {
            std::fs::create_dir(generation).unwrap();
            reads.goes_on(generation, Duration::ZERO);
            reads.goes_on(&generations[0], Duration::ZERO);
        }
        let held: Vec<bool> = generations.iter().map(|one| is_held(one)).collect();
        assert!(held[0] && !held[1]);
        assert!(held[2..].iter().all(|is| *is), "{held:?}");
    }

    #[test]
    fn what_is_gone_is_not_held() {
        let home = tempfile::tempdir().unwrap();
        let generation = home.path().join("1");
        let reads = Reads::default();
        reads.goes_on(&generation, Duration::ZERO);
        std::fs::create_dir(&generation).unwrap();
        assert!(!is_held(&generation));
        reads.goes_on(&generation, Duration::ZERO);
        // Another takes its name, as after a restore.
        std::fs::rename(&generation, home.path().join("aside")).unwrap();
        std::fs::create_dir(&generation).unwrap();
        reads.goes_on(&generation, Duration::ZERO);
        assert!(is_held(&generation));
    }
}

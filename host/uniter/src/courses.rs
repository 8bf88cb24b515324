//! How long the parts of recent hooks took, of all units of a process, for who looks into it.
//!
//! When a hook is committed is known only after its report was sent, so that no report says how long
//! that took.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use periapt_wire::rest::HookPart;

/// Hooks that are remembered.
const RECENT: usize = 2_000;

/// The moments of a hook that was committed, on the clock's monotonic time.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Course {
    /// Its turn had come, and a place to compute.
    pub begun: Duration,
    /// Its thread ran.
    pub entered: Duration,
    /// The guest had returned, and its files were durable.
    pub left: Duration,
    /// Its commit was handed to the connection.
    pub sent: Duration,
    pub committed: Duration,
}

const PARTS: [&str; 5] = ["to-thread", "guest", "to-commit", "commit", "all"];

/// Microseconds of each part.
type Parts = [u32; PARTS.len()];

/// The recent hooks of a process.
#[derive(Debug, Default)]
pub struct Courses {
    recent: Mutex<VecDeque<(String, Parts)>>,
}

impl Courses {
    pub(crate) fn add(&self, hook: String, course: Course) {
        let Course {
            begun,
            entered,
            left,
            sent,
            committed,
        } = course;
        let part = |from: Duration, to: Duration| {
            u32::try_from(to.saturating_sub(from).as_micros()).unwrap_or(u32::MAX)
        };
        let parts = [
            part(begun, entered),
            part(entered, left),
            part(left, sent),
            part(sent, committed),
            part(begun, committed),
        ];
        let mut recent = self.recent.lock().unwrap_or_else(PoisonError::into_inner);
        if recent.len() == RECENT {
            recent.pop_front();
        }
        recent.push_back((hook, parts));
    }

    /// For each hook its parts, in the order in which they follow one another, and all together.
    pub fn report(&self) -> Vec<HookPart> {
        let recent = self.recent.lock().unwrap_or_else(PoisonError::into_inner);
        let mut hooks: BTreeMap<String, Vec<Parts>> = BTreeMap::new();
        for (hook, parts) in recent.iter() {
            hooks.entry(hook.clone()).or_default().push(*parts);
        }
        drop(recent);
        let of = |(hook, courses): (String, Vec<Parts>)| {
            PARTS.iter().enumerate().map(move |(number, part)| {
                let mut times: Vec<u32> = courses.iter().map(|parts| parts[number]).collect();
                times.sort_unstable();
                let percent = |percent: usize| {
                    let rank = (times.len() * percent).div_ceil(100).max(1);
                    times.get(rank - 1).copied().map_or(0, i64::from)
                };
                HookPart {
                    model: String::new(),
                    hook: hook.clone(),
                    part: (*part).to_owned(),
                    hooks: times.len() as u64,
                    p50: percent(50),
                    p99: percent(99),
                }
            })
        };
        hooks.into_iter().flat_map(of).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_add_up_and_the_oldest_hooks_are_forgotten() {
        let courses = Courses::default();
        assert_eq!(courses.report(), []);
        let micros = Duration::from_micros;
        let course = |begun: Duration, commit: u64| Course {
            begun,
            entered: begun + micros(10),
            left: begun + micros(30),
            sent: begun + micros(60),
            committed: begun + micros(60 + commit),
        };
        courses.add("install".to_owned(), course(micros(7), 5_000));
        for number in 0..RECENT as u64 {
            let commit = if number % 50 == 0 { 900 } else { 40 };
            let begun = micros(1_000 * number);
            courses.add("config-changed".to_owned(), course(begun, commit));
        }
        let of = |part: &HookPart| (part.part.clone(), part.p50, part.p99);
        let report = courses.report();
        assert!(report.iter().all(|part| part.hook == "config-changed"));
        let expected = [
            ("to-thread", 10, 10),
            ("guest", 20, 20),
            ("to-commit", 30, 30),
            ("commit", 40, 900),
            ("all", 100, 960),
        ];
        let expected = expected.map(|(part, p50, p99)| (part.to_owned(), p50, p99));
        assert_eq!(report.iter().map(of).collect::<Vec<_>>(), expected);
        assert_eq!(report[0].hooks, RECENT as u64);
    }
}

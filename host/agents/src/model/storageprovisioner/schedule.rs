//! What is to be done about which storage, and when.
//!
//! Making begins at once. Taking back waits for a second, since the last of several words on how a storage goes
//! counts. What failed waits 30 s, then twice as long each time, up to 30 minutes; only when something else is
//! wanted of it, it does not wait.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use periapt_model::storage::StorageId;
use periapt_wire::agent::storage_provisioner::{StorageWork, Wanted};

pub const SETTLE: Duration = Duration::from_secs(1);
pub const FIRST: Duration = Duration::from_secs(30);
pub const LONGEST: Duration = Duration::from_secs(30 * 60);

#[derive(Debug)]
struct Job {
    work: StorageWork,
    /// On the clock's monotonic time.
    due: Duration,
    /// How long it waits after its last failure.
    wait: Option<Duration>,
}

#[derive(Debug, Default)]
pub struct Schedule {
    jobs: BTreeMap<StorageId, Job>,
    /// Made, or found, since this began.
    there: BTreeSet<StorageId>,
}

impl Schedule {
    /// What is wanted now of the storage in `about`: nothing of what is not in `work`.
    pub fn heard(&mut self, about: &[StorageId], work: Vec<StorageWork>, now: Duration) {
        let mut rest: BTreeSet<&StorageId> = about.iter().collect();
        for work in work {
            rest.remove(&work.id);
            let is_done = work.wanted == Wanted::There && work.provisioned;
            if is_done && self.there.contains(&work.id) {
                self.jobs.remove(&work.id);
                continue;
            }
            match self.jobs.get_mut(&work.id) {
                Some(job) if job.work.wanted == work.wanted => job.work = work,
                _ => {
                    let due = match work.wanted {
                        Wanted::There | Wanted::Imported => now,
                        Wanted::Destroyed | Wanted::Released => now + SETTLE,
                    };
                    let job = Job {
                        due,
                        wait: None,
                        work,
                    };
                    self.jobs.insert(job.work.id.clone(), job);
                }
            }
        }
        for id in rest {
            self.jobs.remove(id);
        }
    }

    /// When something is to be done next.
    pub fn next(&self) -> Option<Duration> {
        self.jobs.values().map(|job| job.due).min()
    }

    /// Of which something is to be done now.
    pub fn due(&self, now: Duration) -> Vec<StorageId> {
        let due = self.jobs.iter().filter(|(_, job)| job.due <= now);
        due.map(|(id, _)| id.clone()).collect()
    }

    /// Something to be done now. Whoever does it says how it went.
    pub fn take(&self, now: Duration) -> Option<StorageWork> {
        let mut jobs = self.jobs.values();
        let due = jobs.find(|job| job.due <= now);
        due.map(|job| job.work.clone())
    }

    /// Whether this is what is to be done of its storage, as far as was heard.
    pub fn wants(&self, work: &StorageWork) -> bool {
        let job = self.jobs.get(&work.id);
        job.is_some_and(|job| job.work.wanted == work.wanted)
    }

    pub fn is_there(&mut self, id: &StorageId) {
        self.jobs.remove(id);
        self.there.insert(id.clone());
    }

    pub fn is_gone(&mut self, id: &StorageId) {
        self.jobs.remove(id);
        self.there.remove(id);
    }

    pub fn failed(&mut self, work: &StorageWork, now: Duration) {
        if let Some(job) = self.jobs.get_mut(&work.id) {
            let wait = job.wait.map_or(FIRST, |wait| (wait * 2).min(LONGEST));
            job.wait = Some(wait);
            job.due = now + wait;
        }
    }

    /// How many are there.
    pub fn there(&self) -> usize {
        self.there.len()
    }

    /// How many have something to be done.
    pub fn waiting(&self) -> usize {
        self.jobs.len()
    }

    /// How many of these failed.
    pub fn failing(&self) -> usize {
        let failing = self.jobs.values().filter(|job| job.wait.is_some());
        failing.count()
    }
}

#[cfg(test)]
mod tests {
    use periapt_model::storage::PoolKind;

    use super::*;

    fn work(wanted: Wanted, provisioned: bool) -> StorageWork {
        StorageWork {
            id: "data/0".parse().unwrap(),
            wanted,
            provider: PoolKind::Rootfs,
            attributes: BTreeMap::new(),
            size: 1024,
            directory: "data-0".to_owned(),
            agent: "host".parse().unwrap(),
            provisioned,
            failure: String::new(),
        }
    }

    fn hear(schedule: &mut Schedule, work: StorageWork, now: Duration) {
        let id = work.id.clone();
        schedule.heard(&[id], vec![work], now);
    }

    #[test]
    fn what_fails_waits_ever_longer_unless_something_else_is_wanted() {
        let (mut schedule, mut now) = (Schedule::default(), Duration::from_secs(100));
        let there = work(Wanted::There, false);
        hear(&mut schedule, there.clone(), now);
        let mut waits = Vec::new();
        for _ in 0..8 {
            assert!(schedule.take(now).is_some());
            schedule.failed(&there, now);
            // Its own failure is a change.
            hear(&mut schedule, there.clone(), now);
            let next = schedule.next().unwrap();
            waits.push((next - now).as_secs());
            assert!(schedule.due(next - Duration::from_millis(1)).is_empty());
            now = next;
        }
        assert_eq!(waits, [30, 60, 120, 240, 480, 960, 1800, 1800]);
        schedule.failed(&there, now);
        hear(&mut schedule, work(Wanted::Destroyed, false), now);
        assert_eq!(schedule.next(), Some(now + SETTLE));
    }

    #[test]
    fn the_last_word_on_how_a_storage_goes_counts_and_waits_again() {
        let (mut schedule, now) = (Schedule::default(), Duration::from_secs(100));
        let destroyed = work(Wanted::Destroyed, true);
        hear(&mut schedule, destroyed.clone(), now);
        let due = now + SETTLE;
        assert_eq!(schedule.take(due), Some(destroyed.clone()));
        hear(&mut schedule, destroyed.clone(), due);
        assert!(schedule.wants(&destroyed));
        let released = work(Wanted::Released, true);
        hear(&mut schedule, released.clone(), due);
        assert!(!schedule.wants(&destroyed) && schedule.wants(&released));
        assert_eq!(
            (schedule.take(due), schedule.next()),
            (None, Some(due + SETTLE))
        );
        schedule.heard(std::slice::from_ref(&released.id), Vec::new(), due);
        assert!(!schedule.wants(&released), "it is gone");
    }

    #[test]
    fn what_is_there_is_looked_for_once_in_a_life() {
        let (mut schedule, now) = (Schedule::default(), Duration::from_secs(100));
        let there = work(Wanted::There, true);
        hear(&mut schedule, there.clone(), now);
        assert_eq!(schedule.take(now), Some(there.clone()));
        schedule.is_there(&there.id);
        hear(&mut schedule, there.clone(), now);
        assert_eq!((schedule.next(), schedule.there()), (None, 1));
        schedule.heard(&[there.id], Vec::new(), now);
        assert_eq!(schedule.next(), None);
    }
}

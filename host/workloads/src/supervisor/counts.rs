//! How many requests the services of a unit answered, in a file for the agent.
//!
//! The file has counters that only grow, and is gone on with by the next supervisor. What was counted since it was
//! written last goes with a supervisor that is killed: ten seconds at most.

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use periapt_model::UnitName;
use periapt_model::workload::desired::file_name;
use periapt_model::workload::traffic::{Counted, Requests};

use super::below::Below;

/// The file is written so often at most.
const WRITES: Duration = Duration::from_secs(10);
/// The largest that is read.
const BYTES: u64 = 1 << 20;
/// Services of a unit that have counters; those of more than this a plan had one after the other.
const SERVICES: usize = 64;

pub struct Counts {
    counted: Counted,
    /// There is something that was not written.
    news: bool,
    written_at: Option<Instant>,
}

impl Counts {
    /// Goes on with what is in the file, or begins at zero.
    pub fn begin(unit: &UnitName, folder: Option<&Below>) -> Self {
        let read = folder.and_then(|folder| folder.read(&file_name(unit.as_str()), BYTES).ok()?);
        let read = read.and_then(|bytes| serde_json::from_slice::<Counted>(&bytes).ok());
        let own =
            |counted: &Counted| counted.unit == unit.as_str() && counted.services.len() <= SERVICES;
        Self {
            counted: read.filter(own).unwrap_or_else(|| Counted {
                unit: unit.to_string(),
                begun: now(),
                ..Counted::default()
            }),
            news: false,
            written_at: None,
        }
    }

    pub fn add(&mut self, container: &str, service: &str, requests: &Requests) {
        let name = format!("{container}/{service}");
        let services = &mut self.counted.services;
        if services.len() >= SERVICES && !services.contains_key(&name) {
            return;
        }
        services.entry(name).or_default().add(requests);
        self.news = true;
    }

    /// Writes what is new; when to do so, if it is too early and nothing hurries.
    pub fn write(&mut self, folder: &Below, hurry: bool) -> Option<Instant> {
        if !self.news {
            return None;
        }
        if let Some(at) = self.written_at.map(|at| at + WRITES)
            && at > Instant::now()
            && !hurry
        {
            return Some(at);
        }
        self.written_at = Some(Instant::now());
        let bytes = serde_json::to_vec(&self.counted).unwrap_or_default();
        if let Err(error) = folder.replace(&file_name(&self.counted.unit), &bytes) {
            tracing::warn!(unit = self.counted.unit, %error, "what was counted cannot be written");
            return Some(Instant::now() + WRITES);
        }
        self.news = false;
        None
    }

    /// What was written lies elsewhere.
    pub fn begin_file(&mut self) {
        self.news = !self.counted.services.is_empty();
        self.written_at = None;
    }
}

/// Milliseconds since the epoch.
fn now() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    now.map_or(0, |now| u64::try_from(now.as_millis()).unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests {
    use periapt_model::workload::traffic::Class;

    use super::*;

    fn one() -> Requests {
        let mut one = Requests::default();
        one.count(Class::Success, Duration::from_millis(3), 7);
        one
    }

    #[test]
    fn the_next_supervisor_goes_on_and_writes_are_rare() {
        let home = tempfile::tempdir().unwrap();
        let folder = Below::open(home.path(), None).unwrap();
        let unit: UnitName = "docs/0".parse().unwrap();
        let read = || -> Counted {
            let bytes = folder.read("docs-0.json", BYTES).unwrap().unwrap();
            serde_json::from_slice(&bytes).unwrap()
        };
        let mut counts = Counts::begin(&unit, Some(&folder));
        assert_eq!(counts.write(&folder, true), None);
        assert_eq!(
            folder.read("docs-0.json", BYTES).unwrap(),
            None,
            "nobody asked"
        );
        counts.add("web", "site", &one());
        assert_eq!(counts.write(&folder, false), None);
        let first = read();
        assert_eq!(first.services["web/site"].successes, 1);
        counts.add("web", "site", &one());
        assert!(counts.write(&folder, false).is_some(), "too early");
        assert_eq!(read(), first);
        assert_eq!(counts.write(&folder, true), None);
        assert_eq!(read().services["web/site"].successes, 2);

        let mut next = Counts::begin(&unit, Some(&folder));
        next.add("web", "site", &one());
        next.write(&folder, false);
        let third = read();
        assert_eq!(
            (third.services["web/site"].successes, third.begun),
            (3, first.begun)
        );
        // A file of somebody else's, or none, is not gone on with.
        folder.replace("docs-0.json", b"{}").unwrap();
        let mut anew = Counts::begin(&unit, Some(&folder));
        anew.add("web", "site", &one());
        anew.write(&folder, false);
        assert_eq!(read().services["web/site"].successes, 1);
        assert!(read().begun >= first.begun);
    }

    #[test]
    fn counters_are_bounded_in_number() {
        let mut counts = Counts::begin(&"docs/0".parse().unwrap(), None);
        for number in 0..2 * SERVICES {
            counts.add("web", &format!("site{number}"), &one());
        }
        counts.add("web", "site0", &one());
        assert_eq!(counts.counted.services.len(), SERVICES);
        assert_eq!(counts.counted.services["web/site0"].successes, 2);
    }
}

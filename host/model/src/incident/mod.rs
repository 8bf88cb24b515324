//! Incidents: what is wrong in a model, as few things instead of many rows.
//!
//! Units of one application that fail in the same hook for the same reason are one incident. It is told
//! by whatever was read of each ([`Trouble`]); this module groups them, gives each incident an id that
//! stays the same while the cause is the same, says whether a silence still holds, and which of the
//! changes before it belong to it. It reads nothing and knows no clock.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::{ApplicationName, Digest, MachineId, UnitName};

#[cfg(test)]
mod tests;

/// Digits at the end of an incident's id: enough that two causes of one hook do not meet.
const ID_DIGITS: usize = 8;

/// What changed longer before the first failure is not shown with it, microseconds.
pub const BEFORE: i64 = 3_600_000_000;

/// Changes shown with an incident.
pub const CHANGES: usize = 3;

/// What something in trouble belongs to.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub enum About {
    Application(ApplicationName),
    Machine(MachineId),
}

impl About {
    /// As a person calls it: `front`, `machine 3`.
    pub fn words(&self) -> String {
        match self {
            About::Application(name) => name.to_string(),
            About::Machine(id) => format!("machine {id}"),
        }
    }
}

/// One unit, application or machine that needs a person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trouble {
    pub about: About,
    /// None where it is the application or the machine itself.
    pub unit: Option<UnitName>,
    /// `error`, `lost`, `blocked`, `provisioning error`, `down`.
    pub status: String,
    /// The hook that failed.
    pub hook: Option<String>,
    pub reason: String,
    /// When it first came to this, microseconds UTC.
    pub since: i64,
    /// How often it was tried.
    pub attempts: u64,
    /// When it is tried again by itself.
    pub next_retry: Option<i64>,
    /// What the next try waits for.
    pub waiting_for: Option<String>,
}

/// Troubles that are one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Incident {
    pub id: String,
    pub about: About,
    pub status: String,
    pub hook: Option<String>,
    /// Of the first of its units.
    pub reason: String,
    pub units: Vec<UnitName>,
    /// Of the first of them.
    pub since: i64,
    /// Of all of them together.
    pub attempts: u64,
    /// The earliest.
    pub next_retry: Option<i64>,
    pub waiting_for: Option<String>,
}

impl Incident {
    /// Whether there is a failed hook that can be retried or skipped.
    pub fn is_failed_hook(&self) -> bool {
        self.status == "error" && !self.units.is_empty()
    }
}

/// Groups troubles by what they are about, status, hook and reason: the worst first, of those the
/// oldest. The order in which troubles come makes no difference.
pub fn grouped(troubles: impl IntoIterator<Item = Trouble>) -> Vec<Incident> {
    let mut groups: BTreeMap<String, Vec<Trouble>> = BTreeMap::new();
    for trouble in troubles {
        groups.entry(id(&trouble)).or_default().push(trouble);
    }
    let mut incidents: Vec<Incident> = groups
        .into_iter()
        .filter_map(|(id, group)| one(id, group))
        .collect();
    incidents.sort_by(|a, b| {
        let key = |incident: &Incident| (severity(&incident.status), incident.since);
        key(a).cmp(&key(b)).then_with(|| a.id.cmp(&b.id))
    });
    incidents
}

/// The same for all units that fail for the same reason, also where the reason names the unit:
/// `front-start-1b2c3d4e`, which a person can read in an address and in the audit log.
fn id(trouble: &Trouble) -> String {
    let reason = match &trouble.unit {
        Some(unit) => trouble.reason.replace(unit.as_str(), "UNIT"),
        None => trouble.reason.clone(),
    };
    let reason = without_numbers(&reason);
    let about = trouble.about.words();
    let hook = trouble.hook.as_deref().unwrap_or_default();
    let key = format!("{about}\n{}\n{hook}\n{reason}", trouble.status);
    let digits = Digest::of(key).to_string();
    let what = match hook.split_whitespace().next() {
        Some(hook) => hook,
        None => &trouble.status,
    };
    let words: String = format!("{about}-{what}")
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { c } else { '-' })
        .collect();
    format!("{words}-{}", &digits[..ID_DIGITS])
}

/// Attempts, ports and process ids differ from one failure to the next and are no other cause.
fn without_numbers(reason: &str) -> String {
    let parts = reason.split(|c: char| c.is_ascii_digit());
    let parts: Vec<&str> = parts.filter(|part| !part.is_empty()).collect();
    parts.join("#")
}

fn one(id: String, mut group: Vec<Trouble>) -> Option<Incident> {
    group.sort_by(|a, b| {
        let number = |trouble: &Trouble| trouble.unit.as_ref().map(UnitName::number);
        number(a).cmp(&number(b))
    });
    let first = group.first()?.clone();
    Some(Incident {
        id,
        about: first.about,
        status: first.status,
        hook: first.hook,
        reason: first.reason,
        units: group.iter().filter_map(|one| one.unit.clone()).collect(),
        since: group
            .iter()
            .map(|one| one.since)
            .min()
            .unwrap_or(first.since),
        attempts: group.iter().map(|one| one.attempts).sum(),
        next_retry: group.iter().filter_map(|one| one.next_retry).min(),
        waiting_for: group.iter().find_map(|one| one.waiting_for.clone()),
    })
}

/// What a person should look at first.
fn severity(status: &str) -> u8 {
    match status {
        "error" => 0,
        "lost" | "down" => 1,
        "provisioning error" => 2,
        "blocked" => 3,
        _ => 4,
    }
}

/// That nobody wants to hear of an incident: until a moment, or until it changes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Silence {
    /// When it began, microseconds UTC.
    pub at: i64,
    /// None: until the incident changes.
    pub until: Option<i64>,
    /// The units that the incident had then.
    pub units: BTreeSet<UnitName>,
}

impl Silence {
    /// Whether it still holds. An incident has changed when it has a unit that it did not have, or when
    /// one of its units got well since, `recovered` last: whatever it has now is new.
    pub fn holds(&self, incident: &Incident, now: i64, recovered: Option<i64>) -> bool {
        match self.until {
            Some(until) => now < until,
            None => {
                let known = incident.units.iter().all(|unit| self.units.contains(unit));
                known && recovered.is_none_or(|at| at <= self.at)
            }
        }
    }
}

/// When something in the model was changed, and which applications it was about; none for the model.
pub trait Change {
    fn time(&self) -> i64;
    fn is_about(&self, application: &ApplicationName) -> bool;
    /// Whether it is about no application in particular.
    fn is_general(&self) -> bool;
}

impl<C: Change + ?Sized> Change for &C {
    fn time(&self) -> i64 {
        (**self).time()
    }

    fn is_about(&self, application: &ApplicationName) -> bool {
        (**self).is_about(application)
    }

    fn is_general(&self) -> bool {
        (**self).is_general()
    }
}

/// Which of the changes, newest first, happened right before an incident and may have caused it: those
/// of its own application before those of the whole model.
pub fn before<C: Change>(changes: Vec<C>, incident: &Incident) -> Vec<C> {
    let soon = |change: &C| {
        let earlier = incident.since - change.time();
        (0..=BEFORE).contains(&earlier)
    };
    let (mut own, mut general) = (Vec::new(), Vec::new());
    for change in changes.into_iter().filter(soon) {
        match &incident.about {
            About::Application(name) if change.is_about(name) => own.push(change),
            _ if change.is_general() => general.push(change),
            _ => {}
        }
    }
    own.append(&mut general);
    own.truncate(CHANGES);
    own
}

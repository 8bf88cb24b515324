//! What a new plan asks of services that run by the old one.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::Plan;
use crate::layer::{Reload, Service, Signal};

/// What a change means for one service.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Change {
    Added,
    Removed,
    /// What runs was started otherwise: stop it, start it.
    Restart,
    /// Its files changed, and this signal makes it read them.
    Reload(Signal),
    /// The supervisor goes by other values from now on, and what runs goes on.
    InPlace,
}

impl Plan {
    /// What becomes of each service when `new` follows this plan, and whether the files that it
    /// reads changed with it (`files`). Services of which nothing is asked are left out.
    pub fn changes(&self, new: &Plan, files: bool) -> BTreeMap<String, Change> {
        let mut changes = BTreeMap::new();
        for name in self.services.keys() {
            if !new.services.contains_key(name) {
                changes.insert(name.clone(), Change::Removed);
            }
        }
        for (name, service) in &new.services {
            let change = match self.services.get(name) {
                None => Some(Change::Added),
                Some(before) => changed(before, service, files),
            };
            changes.extend(change.map(|change| (name.clone(), change)));
        }
        changes
    }

    /// Checks that begin anew when `new` follows this plan: added, removed, or different.
    pub fn changed_checks(&self, new: &Plan) -> BTreeSet<String> {
        let names = self.checks.keys().chain(new.checks.keys());
        let differs = |name: &&String| self.checks.get(*name) != new.checks.get(*name);
        names.filter(differs).cloned().collect()
    }
}

fn changed(before: &Service, after: &Service, files: bool) -> Option<Change> {
    if !starts_alike(before, after) {
        return Some(Change::Restart);
    }
    match after.reload() {
        Reload::Restart if files => Some(Change::Restart),
        Reload::Signal(signal) if files => Some(Change::Reload(signal)),
        _ if before != after => Some(Change::InPlace),
        _ => None,
    }
}

/// Whether both are started in the same way. Everything else (order, backoff, checks, signals,
/// what is written for people) is the supervisor's, who goes by the newest.
fn starts_alike(one: &Service, other: &Service) -> bool {
    let process = |service: &Service| {
        (
            service.kind(),
            service.port,
            service.user_id,
            service.group_id,
        )
    };
    let serving = |service: &Service| {
        (
            service.reuse(),
            service.concurrency(),
            service.request_timeout(),
        )
    };
    process(one) == process(other)
        && serving(one) == serving(other)
        && one.command == other.command
        && one.component == other.component
        && one.environment == other.environment
        && one.user == other.user
        && one.group == other.group
        && one.working_dir == other.working_dir
}

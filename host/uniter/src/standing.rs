//! What of each unit's charm may be run beside its hooks, and what the unit is told of its quotas, as its uniter
//! knows it.
//!
//! The charm's directory says when ([`periapt_engine::Fortress`]), this says what. Those who run something beside hooks
//! are one worker each for the whole process, so that a unit costs an entry and no task. The entries outlive the
//! uniters when the connection is lost, since just then units are to hear that nobody counts.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use periapt_engine::Guest;
use periapt_model::charm::Capability;
use periapt_model::hook::Limits;
use periapt_model::proxy::ProxySettings;
use periapt_model::quota::Meter;
use periapt_model::{MachineId, UnitName};
use periapt_wire::ApiConnection;
use tokio::sync::{Notify, watch};

use crate::process::{ModelIdentity, Process};
use crate::restricted::Restricted;
use crate::worker::UniterConfig;

/// What a unit runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Standing {
    pub charm_url: String,
    /// Of its files, as they were committed last.
    pub generation: u64,
    pub principal: Option<UnitName>,
    /// What its application was not granted.
    pub withheld: Vec<Capability>,
}

/// Who runs something beside hooks. Each hears of every change by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Follower {
    Metrics,
    Meters,
}

/// All units of a process that run or, without a connection, ran last.
#[derive(Default)]
pub struct Standings {
    entries: Mutex<Entries>,
    news: [Notify; 2],
}

#[derive(Default)]
struct Entries {
    units: BTreeMap<UnitName, Entry>,
    /// Those of which something changed that the follower has not looked at.
    changed: [BTreeSet<UnitName>; 2],
    /// Since when the controller is out of reach, on the clock's monotonic time.
    isolated: Option<Duration>,
}

struct Entry {
    way: Way,
    standing: Option<Standing>,
    meter: Option<Meter>,
    /// Its charm's directory was closed as there was something to run.
    missed: bool,
}

/// How the charm of a unit is run.
enum Way {
    /// As its uniter does, which takes this away when it ends: it leads back to the process.
    Runs(Arc<UniterConfig>),
    /// As it did, of a uniter that ended with its connection.
    Ran(Box<Ran>),
}

#[derive(Clone)]
struct Ran {
    model: ModelIdentity,
    machine: MachineId,
    connection: ApiConnection,
    limits: Limits,
    proxies: watch::Receiver<ProxySettings>,
    charm_directory: Guest,
}

/// A unit whose charm may be run.
pub struct StandingUnit {
    pub of: Restricted,
    /// The way into its charm's directory.
    pub charm_directory: Guest,
    pub standing: Standing,
    /// What the controller says of its quotas.
    pub meter: Meter,
}

impl Standings {
    /// What a unit runs, and what the controller says of its quotas.
    pub(crate) fn stand(
        &self,
        config: &Arc<UniterConfig>,
        standing: Option<Standing>,
        meter: Option<&Meter>,
    ) {
        let mut entries = self.entries();
        let known = entries.units.get_mut(&config.unit);
        if let Some(known) = known.filter(|known| known.says(config, standing.as_ref(), meter)) {
            // Its files may have gone on.
            known.standing = standing;
            return;
        }
        let entry = Entry {
            way: Way::Runs(Arc::clone(config)),
            standing,
            meter: meter.cloned(),
            missed: false,
        };
        entries.units.insert(config.unit.clone(), entry);
        self.tell(entries, &config.unit);
    }

    /// The uniter of this configuration ends. Without a connection its unit is still to hear of that.
    pub(crate) fn leave(&self, config: &Arc<UniterConfig>) {
        let mut entries = self.entries();
        let Some(entry) = entries.units.get_mut(&config.unit) else {
            return;
        };
        // The next one may be there already.
        if !entry.way.is_of(config) {
            return;
        }
        if config.connection.broken().is_cancelled() {
            entry.way = Way::Ran(Box::new(Ran::of(config)));
            return;
        }
        entries.units.remove(&config.unit);
        self.tell(entries, &config.unit);
    }

    pub(crate) fn forget(&self, unit: &UnitName) {
        let mut entries = self.entries();
        if entries.units.remove(unit).is_some() {
            self.tell(entries, unit);
        }
    }

    fn tell(&self, mut entries: MutexGuard<'_, Entries>, unit: &UnitName) {
        for changed in &mut entries.changed {
            changed.insert(unit.clone());
        }
        drop(entries);
        self.news.iter().for_each(Notify::notify_one);
    }

    /// Nothing was run, since the charm's directory was closed: the unit is told of again with the next word of
    /// its uniter.
    pub fn missed(&self, unit: &UnitName) {
        if let Some(entry) = self.entries().units.get_mut(unit) {
            entry.missed = true;
        }
    }

    /// The controller is reached: units that no uniter has spoken of since are forgotten.
    pub fn connected(&self) {
        let mut entries = self.entries();
        entries.isolated = None;
        let lost = |entry: &Entry| entry.way.connection().broken().is_cancelled();
        entries.units.retain(|_, entry| !lost(entry));
    }

    /// The controller is not reached at `now`; since when it is not.
    pub fn isolated(&self, now: Duration) -> Duration {
        *self.entries().isolated.get_or_insert(now)
    }

    /// All units that there are, from which on a follower hears of changes.
    pub fn all(&self, follower: Follower) -> BTreeSet<UnitName> {
        let mut entries = self.entries();
        entries.changed[follower as usize].clear();
        entries.units.keys().cloned().collect()
    }

    /// Waits for units that run something else or are told something else than before, or are gone.
    pub async fn changed(&self, follower: Follower) -> BTreeSet<UnitName> {
        loop {
            self.news[follower as usize].notified().await;
            let changed = std::mem::take(&mut self.entries().changed[follower as usize]);
            if !changed.is_empty() {
                return changed;
            }
        }
    }

    /// Whether a unit is there, though its charm may just be put in place.
    pub fn has(&self, unit: &UnitName) -> bool {
        self.entries().units.contains_key(unit)
    }

    /// A unit of the process as it stands now; none while its charm may not be run.
    pub(crate) fn unit(&self, process: &Process, unit: &UnitName) -> Option<StandingUnit> {
        let entries = self.entries();
        let (unit, entry) = entries.units.get_key_value(unit)?;
        let standing = entry.standing.clone()?;
        let ran = match &entry.way {
            Way::Runs(config) => Ran::of(config),
            Way::Ran(ran) => Ran::clone(ran),
        };
        Some(StandingUnit {
            standing,
            meter: entry.meter.clone().unwrap_or_default(),
            charm_directory: ran.charm_directory,
            of: Restricted {
                unit: unit.clone(),
                model: ran.model,
                machine: ran.machine,
                process: process.clone(),
                connection: ran.connection,
                limits: ran.limits,
                proxies: ran.proxies,
            },
        })
    }

    fn entries(&self) -> MutexGuard<'_, Entries> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Entry {
    /// Whether there is nothing new for those who follow.
    fn says(
        &self,
        config: &Arc<UniterConfig>,
        standing: Option<&Standing>,
        meter: Option<&Meter>,
    ) -> bool {
        let same_charm = match (&self.standing, standing) {
            (Some(known), Some(now)) => known.charm_url == now.charm_url,
            (known, now) => known.is_none() && now.is_none(),
        };
        let same_meter = self.meter.as_ref() == meter;
        !self.missed && same_charm && same_meter && self.way.is_of(config)
    }
}

impl Way {
    fn is_of(&self, config: &Arc<UniterConfig>) -> bool {
        matches!(self, Way::Runs(known) if Arc::ptr_eq(known, config))
    }

    fn connection(&self) -> &ApiConnection {
        match self {
            Way::Runs(config) => &config.connection,
            Way::Ran(ran) => &ran.connection,
        }
    }
}

impl Ran {
    fn of(config: &UniterConfig) -> Self {
        Self {
            model: config.model.clone(),
            machine: config.machine.clone(),
            connection: config.connection.clone(),
            limits: config.limits.clone(),
            proxies: config.proxies.clone(),
            charm_directory: config.charm_directory.guest(),
        }
    }
}

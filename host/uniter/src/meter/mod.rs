//! Meter statuses of the units of a process: which unit is told what, and the hook that tells its charm.
//!
//! A uniter says here what its unit runs and what the controller says of its quotas; one worker of the whole
//! process hears of it, so that a unit costs an entry and no task. The entries outlive the uniters when the
//! connection is lost, since just then units are to be told that nobody counts. What a charm was told last is
//! a file of the unit's directory, so the same is not said twice, also not by another process.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use periapt_engine::Guest;
use periapt_model::UnitName;
use periapt_model::quota::{METER_STATUS_CHANGED, Meter};
use tokio::sync::Notify;

use crate::environment;
use crate::error::UniterError;
use crate::files::blocking;
use crate::restricted::{Occasion, Restricted};
use crate::standing::Standing;
use crate::worker::UniterConfig;

mod told;

use told::Told;

/// All units of a process that run or, without a connection, ran last.
#[derive(Default)]
pub struct Meters {
    entries: Mutex<Entries>,
    news: Notify,
}

#[derive(Default)]
struct Entries {
    units: BTreeMap<UnitName, Entry>,
    /// Those of which something changed that nobody has looked at.
    changed: BTreeSet<UnitName>,
    /// Since when the controller is out of reach, on the clock's monotonic time.
    isolated: Option<Duration>,
}

struct Entry {
    config: Arc<UniterConfig>,
    standing: Option<Standing>,
    meter: Option<Meter>,
    /// Its charm's directory was closed as there was something to tell.
    missed: bool,
}

/// A unit with what it runs and what it is to be told.
pub struct Metered {
    pub of: Restricted,
    /// The way into its charm's directory.
    pub charm_directory: Guest,
    standing: Standing,
    /// What the controller says.
    pub meter: Meter,
}

impl Meters {
    /// What a unit runs, and what the controller says of its quotas.
    pub(crate) fn stand(
        &self,
        config: &Arc<UniterConfig>,
        standing: Option<&Standing>,
        meter: Option<&Meter>,
    ) {
        let mut entries = self.entries();
        let known = entries.units.get_mut(&config.unit);
        if let Some(known) = known.filter(|known| known.says(config, standing, meter)) {
            // Its files may have gone on.
            if known.standing.as_ref() != standing {
                known.standing = standing.cloned();
            }
            return;
        }
        let entry = Entry {
            config: Arc::clone(config),
            standing: standing.cloned(),
            meter: meter.cloned(),
            missed: false,
        };
        entries.units.insert(config.unit.clone(), entry);
        entries.changed.insert(config.unit.clone());
        drop(entries);
        self.news.notify_one();
    }

    pub(crate) fn forget(&self, unit: &UnitName) {
        let mut entries = self.entries();
        entries.units.remove(unit);
        entries.changed.remove(unit);
    }

    /// The unit was not told, since its charm's directory was closed: it is looked at again with the next word
    /// of its uniter.
    pub fn missed(&self, unit: &UnitName) {
        if let Some(entry) = self.entries().units.get_mut(unit) {
            entry.missed = true;
        }
    }

    /// The controller is reached: units that no uniter has spoken of since are forgotten.
    pub fn connected(&self) {
        let mut entries = self.entries();
        entries.isolated = None;
        let lost = |entry: &Entry| entry.config.connection.broken().is_cancelled();
        entries.units.retain(|_, entry| !lost(entry));
    }

    /// The controller is not reached at `now`; since when it was not.
    pub fn isolated(&self, now: Duration) -> Duration {
        *self.entries().isolated.get_or_insert(now)
    }

    /// All units whose charm is in place.
    pub fn all(&self) -> Vec<Metered> {
        let mut entries = self.entries();
        entries.changed.clear();
        entries.units.values().filter_map(Entry::metered).collect()
    }

    /// Waits for units that run something else or are told something else than before.
    pub async fn changed(&self) -> Vec<Metered> {
        loop {
            self.news.notified().await;
            let mut entries = self.entries();
            let changed = std::mem::take(&mut entries.changed);
            let found: Vec<Metered> = changed
                .iter()
                .filter_map(|unit| entries.units.get(unit)?.metered())
                .collect();
            if !found.is_empty() {
                return found;
            }
        }
    }

    fn entries(&self) -> MutexGuard<'_, Entries> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Entry {
    /// Whether there is nothing new for whoever tells the charm.
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
        !self.missed && same_charm && same_meter && Arc::ptr_eq(&self.config, config)
    }

    fn metered(&self) -> Option<Metered> {
        let config = &self.config;
        Some(Metered {
            standing: self.standing.clone()?,
            meter: self.meter.clone().unwrap_or_default(),
            charm_directory: config.charm_directory.guest(),
            of: Restricted {
                unit: config.unit.clone(),
                model: config.model.clone(),
                machine: config.machine.clone(),
                process: config.process.clone(),
                connection: config.connection.clone(),
                limits: config.limits.clone(),
                proxies: config.proxies.clone(),
            },
        })
    }
}

impl Metered {
    /// Whether its charm is to be told this: it has the hook, and was told something else last.
    ///
    /// # Errors
    /// The charm, or the file, cannot be had.
    pub async fn has_to_hear(&self, meter: &Meter) -> Result<bool, UniterError> {
        let charm = self.of.charm(&self.standing.charm_url).await?;
        if !charm.implements(METER_STATUS_CHANGED) {
            return Ok(false);
        }
        let told = self.told();
        let last = blocking(move || told.read()).await?;
        Ok(last != *meter)
    }

    /// Tells its charm. To be called within a visit of the charm's directory, unless no uniter runs.
    ///
    /// # Errors
    /// The charm cannot be had, or what it was told not be kept. That the hook failed is no error.
    pub async fn tell(&self, meter: &Meter) -> Result<(), UniterError> {
        let charm = self.of.charm(&self.standing.charm_url).await?;
        let occasion = Occasion {
            hook: METER_STATUS_CHANGED,
            attributes: vec![
                ("code".to_owned(), meter.code.to_string()),
                ("info".to_owned(), meter.info.clone()),
            ],
            variables: environment::of_meter(meter).into(),
            collected: None,
        };
        if let Err(reason) = self.of.run(&charm, &self.standing, occasion).await {
            self.log(&format!("hook \"{METER_STATUS_CHANGED}\" failed: {reason}"));
        }
        // A hook that failed is not run again for the same: it would fail for ever.
        let (told, meter) = (self.told(), meter.clone());
        blocking(move || told.write(&meter)).await
    }

    /// Says something of it in the unit's log.
    pub fn log(&self, message: &str) {
        self.of.log("meterstatus", message);
    }

    fn told(&self) -> Told {
        Told::new(&self.of.process.unit_directory(&self.of.unit))
    }
}

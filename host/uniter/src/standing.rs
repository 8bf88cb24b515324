//! What of each unit's charm may be run beside its hooks, as its uniter knows it.
//!
//! The charm's directory says when ([`periapt_engine::Fortress`]), this says what. It costs a unit an
//! entry, and nobody is woken while it does not change.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use periapt_model::UnitName;
use tokio::sync::watch;

/// What a unit runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Standing {
    pub charm_url: String,
    /// Of its files, as they were committed last.
    pub generation: u64,
    pub principal: Option<UnitName>,
}

#[derive(Default)]
pub(crate) struct Standings {
    units: Mutex<BTreeMap<UnitName, watch::Sender<Option<Standing>>>>,
}

impl Standings {
    /// As it changes; none while nothing may be run.
    pub fn of(&self, unit: &UnitName) -> watch::Receiver<Option<Standing>> {
        self.units().entry(unit.clone()).or_default().subscribe()
    }

    pub fn set(&self, unit: &UnitName, standing: Option<Standing>) {
        let mut units = self.units();
        let known = units.entry(unit.clone()).or_default();
        known.send_if_modified(|known| {
            let differs = *known != standing;
            *known = standing;
            differs
        });
    }

    pub fn forget(&self, unit: &UnitName) {
        self.units().remove(unit);
    }

    fn units(&self) -> MutexGuard<'_, BTreeMap<UnitName, watch::Sender<Option<Standing>>>> {
        self.units.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

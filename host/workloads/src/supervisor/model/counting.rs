//! How many requests were answered, written for the agent: once in ten seconds at most, and when a process that
//! served ends. While nobody asks anything nothing is written.

use periapt_model::workload::traffic::Requests;

use super::Model;
use crate::frames::Place;

impl Model {
    /// Requests that ended; whether something is due earlier than before.
    pub fn count(&mut self, place: &Place, requests: &Requests) -> bool {
        let Some(unit) = self.units.get_mut(&place.unit) else {
            return false;
        };
        if !unit.plans(place) {
            return false;
        }
        unit.counts.add(&place.container, &place.service, requests);
        let Some(folders) = &self.folders else {
            return false;
        };
        let before = self.write_counts;
        let later = unit.counts.write(&folders.counted, false);
        self.write_counts = before.into_iter().chain(later).min();
        self.write_counts != before
    }

    /// Forgets what was counted of units that went while no supervisor ran.
    pub(super) fn forget_counts_of_others(&self, names: &[String]) {
        let Some(folders) = &self.folders else {
            return;
        };
        for name in folders.counted.names().unwrap_or_default() {
            if !names.contains(&name) {
                // It is tried again by the next one.
                let _ = folders.counted.remove(&name);
            }
        }
    }

    /// Writes what is not written yet, as far as it is time or hurries.
    pub(super) fn write_counts(&mut self, hurry: bool) {
        self.write_counts = None;
        let Some(folders) = &self.folders else {
            return;
        };
        let units = self.units.values_mut();
        let later = units.filter_map(|unit| unit.counts.write(&folders.counted, hurry));
        self.write_counts = later.min();
    }
}

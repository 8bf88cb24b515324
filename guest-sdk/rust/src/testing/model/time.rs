//! The clock of a model, and what falls due as it goes on.

use std::time::{Duration, SystemTime};

use periapt_contract::secret::SecretId;

use super::Model;
use super::hooks::Due;
use super::secrets::secret_due;
use crate::{Hook, Result};

/// Between two `update-status` of a unit, as a controller has it if nobody says otherwise.
const UPDATE_STATUS: Duration = Duration::from_secs(5 * 60);

/// A secret that was to be given a new value and was not is due again.
const AGAIN: Duration = Duration::from_secs(5 * 60);

impl Model {
    /// The time of the model.
    pub fn now(&self) -> SystemTime {
        self.now
    }

    /// Moves the clock on, and runs what falls due in between, each at its time: `update-status` every five
    /// minutes, secrets that rotate and that expire.
    pub fn advance(&mut self, time: Duration) -> Result<()> {
        let end = self.now.checked_add(time).unwrap_or(self.now);
        while let Some(next) = self.next_due().filter(|next| *next <= end) {
            self.now = self.now.max(next);
            self.fall_due();
            self.settle()?;
        }
        self.now = end;
        Ok(())
    }

    /// Has a unit's `update-status` come.
    pub(super) fn await_update(&mut self, unit: &str) {
        if let Some(next) = self.now.checked_add(UPDATE_STATUS) {
            self.updates.insert(unit.to_owned(), next);
        }
    }

    fn next_due(&self) -> Option<SystemTime> {
        let updates = self.updates.values().copied();
        let secrets = self.secrets.values().flat_map(|held| {
            let expires = held.expires().filter(|_| held.told != Some(held.newest()));
            [held.rotates, expires].into_iter().flatten()
        });
        updates.chain(secrets).min()
    }

    fn fall_due(&mut self) {
        let now = self.now;
        let due = self.updates.iter().filter(|(_, time)| **time <= now);
        let units: Vec<String> = due.map(|(unit, _)| unit.clone()).collect();
        for unit in units {
            self.await_update(&unit);
            self.then(&unit, Due::Hook(Hook::UpdateStatus));
        }
        let ids: Vec<SecretId> = self.secrets.keys().cloned().collect();
        for id in ids {
            let Some(held) = self.secrets.get(&id) else {
                continue;
            };
            let (owner, newest) = (self.acts_for(held), held.newest());
            let rotates = held.rotates.is_some_and(|time| time <= now);
            let expired = held.expires().is_some_and(|time| time <= now);
            let expired = expired && held.told != Some(newest);
            if let Some(held) = self.secrets.get_mut(&id) {
                if rotates {
                    held.rotates = now.checked_add(AGAIN);
                }
                if expired {
                    held.told = Some(newest);
                }
            }
            let Some(owner) = owner else {
                continue;
            };
            if rotates {
                self.then(&owner, secret_due(Hook::SecretRotate, &id, None));
            }
            if expired {
                self.then(&owner, secret_due(Hook::SecretExpired, &id, Some(newest)));
            }
        }
    }
}

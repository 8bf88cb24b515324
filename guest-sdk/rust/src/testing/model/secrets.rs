//! Secrets of a model: who owns them, who may read them, and who is on which revision.

use std::collections::BTreeMap;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use periapt_contract::secret::{Owner, Reader, RotatePolicy, SecretId};

use super::super::host::{TestHost, TestSecret};
use super::Model;
use super::hooks::Due;
use super::relations::application_of;
use crate::Hook;

const HOUR: u64 = 60 * 60;
const DAY: u64 = 24 * HOUR;

/// One secret, as its owner has it.
pub(super) struct HeldSecret {
    /// A unit, or an application.
    owner: String,
    secret: TestSecret,
    readers: BTreeMap<String, Reader>,
    /// When it is to be given a new value.
    pub rotates: Option<SystemTime>,
    /// Whether its owner was told that the newest revision has expired.
    pub told: Option<u32>,
}

impl HeldSecret {
    /// By which a unit knows it.
    pub fn label_for(&self, unit: &str) -> String {
        match self.is_of(unit) {
            true => self.secret.label.clone(),
            false => {
                let reader = self.readers.get(unit);
                reader
                    .map(|reader| reader.label.clone())
                    .unwrap_or_default()
            }
        }
    }

    pub fn newest(&self) -> u32 {
        self.secret.newest()
    }

    /// When the newest revision expires.
    pub fn expires(&self) -> Option<SystemTime> {
        let microseconds = u64::try_from(self.secret.expires?).ok()?;
        UNIX_EPOCH.checked_add(Duration::from_micros(microseconds))
    }

    /// So long after its value was given, the next one is due.
    pub fn period(&self) -> Option<Duration> {
        let seconds = match self.secret.rotate {
            RotatePolicy::Never => return None,
            RotatePolicy::Hourly => HOUR,
            RotatePolicy::Daily => DAY,
            RotatePolicy::Weekly => 7 * DAY,
            RotatePolicy::Monthly => 30 * DAY,
            RotatePolicy::Quarterly => 90 * DAY,
            RotatePolicy::Yearly => 365 * DAY,
        };
        Some(Duration::from_secs(seconds))
    }

    fn is_of(&self, unit: &str) -> bool {
        self.owner == unit || self.owner == application_of(unit)
    }

    fn is_granted_to(&self, unit: &str) -> bool {
        let mut grants = self.secret.grants.iter();
        grants.any(|grant| grant.to == unit || grant.to == application_of(unit))
    }
}

impl Model {
    /// The unit that acts for a secret.
    pub(super) fn acts_for(&self, secret: &HeldSecret) -> Option<String> {
        match secret.owner.contains('/') {
            true => Some(secret.owner.clone()),
            false => {
                let application = self.applications.get(&secret.owner);
                application.and_then(|held| held.leader.clone())
            }
        }
    }

    pub(super) fn show_secrets(&mut self, unit: &str, host: &mut TestHost) {
        host.made_secrets = host.made_secrets.max(self.made_secrets);
        // What a test gave this unit alone stays.
        host.secrets
            .retain(|id, secret| secret.owner.is_none() && !self.secrets.contains_key(id));
        for (id, held) in &self.secrets {
            let reader = held.readers.get(unit);
            let mut shown = held.secret.clone();
            if held.is_of(unit) {
                shown.owner = Some(match held.owner == unit {
                    true => Owner::Unit,
                    false => Owner::Application,
                });
                shown.reader = None;
            } else if held.is_granted_to(unit) || reader.is_some() {
                shown.owner = None;
                shown.granted = held.is_granted_to(unit);
                shown.reader = reader.cloned();
                shown.label.clear();
                shown.grants.clear();
            } else {
                continue;
            }
            host.secrets.insert(id.clone(), shown);
        }
    }

    pub(super) fn take_secrets(&mut self, unit: &str, host: &TestHost) {
        self.made_secrets = host.made_secrets;
        let mut due = Vec::new();
        let gone =
            |id: &SecretId, held: &HeldSecret| held.is_of(unit) && !host.secrets.contains_key(id);
        self.secrets.retain(|id, held| !gone(id, held));
        for (id, shown) in &host.secrets {
            match (shown.owner, self.secrets.get_mut(id)) {
                (Some(owner), None) => {
                    let owner = match owner {
                        Owner::Unit => unit.to_owned(),
                        Owner::Application => application_of(unit).to_owned(),
                    };
                    let mut held = HeldSecret {
                        owner,
                        secret: shown.clone(),
                        readers: BTreeMap::new(),
                        rotates: None,
                        told: None,
                    };
                    held.rotates = held
                        .period()
                        .and_then(|period| self.now.checked_add(period));
                    self.secrets.insert(id.clone(), held);
                }
                (Some(_), Some(held)) => {
                    let (before, policy) = (held.newest(), held.secret.rotate);
                    held.secret = shown.clone();
                    if held.newest() > before {
                        let behind = held.readers.iter();
                        let behind = behind.filter(|(_, reader)| reader.revision < held.newest());
                        due.extend(behind.map(|(reader, _)| {
                            (reader.clone(), secret_due(Hook::SecretChanged, id, None))
                        }));
                        // A revision on which nobody is when a newer one comes may go.
                        let unread = held.readers.values().all(|one| one.revision != before);
                        if unread && held.secret.contents.contains_key(&before) {
                            due.push((
                                unit.to_owned(),
                                secret_due(Hook::SecretRemove, id, Some(before)),
                            ));
                        }
                    }
                    if held.newest() > before || held.secret.rotate != policy {
                        held.rotates = held
                            .period()
                            .and_then(|period| self.now.checked_add(period));
                    }
                }
                (None, Some(held)) => {
                    let Some(reader) = &shown.reader else {
                        continue;
                    };
                    let before = held.readers.insert(unit.to_owned(), reader.clone());
                    let left = before.filter(|before| before.revision < reader.revision);
                    let Some(left) = left.map(|before| before.revision) else {
                        continue;
                    };
                    let empty = held.readers.values().all(|one| one.revision != left);
                    if empty && held.secret.contents.contains_key(&left) {
                        let owner = match held.owner.contains('/') {
                            true => Some(held.owner.clone()),
                            false => {
                                let application = self.applications.get(&held.owner);
                                application.and_then(|held| held.leader.clone())
                            }
                        };
                        due.extend(
                            owner.map(|owner| {
                                (owner, secret_due(Hook::SecretRemove, id, Some(left)))
                            }),
                        );
                    }
                }
                (None, None) => {}
            }
        }
        for (other, due) in due {
            self.then(&other, due);
        }
    }

    /// What was granted for a relation ends for a unit that leaves it, and for an application with the last one.
    pub(super) fn end_grants(&mut self, number: u64, unit: &str) {
        let name = application_of(unit);
        let members = self.relations.get(&number).map(|held| held.members());
        let members = members.unwrap_or_default();
        let last = members.iter().all(|member| application_of(member) != name);
        for held in self.secrets.values_mut() {
            held.secret.grants.retain(|grant| {
                let ends = grant.to == unit || last && grant.to == name;
                grant.relation != number || !ends
            });
        }
    }

    /// A unit's secrets go with it.
    pub(super) fn forget_secrets_of(&mut self, unit: &str) {
        self.secrets.retain(|_, held| held.owner != unit);
        for held in self.secrets.values_mut() {
            held.readers.remove(unit);
        }
    }
}

pub(super) fn secret_due(hook: Hook, id: &SecretId, revision: Option<u32>) -> Due {
    Due::Secret {
        hook,
        id: id.clone(),
        revision,
    }
}

//! Secrets of the controller in memory: who owns and who reads which, and which of their hooks are due.

use std::collections::{BTreeMap, BTreeSet};

use periapt_engine::SharedClock;
use periapt_model::UnitName;
use periapt_model::hook::{Info, Kind, SecretEvent};
use periapt_model::secret::{
    Changes, CharmOwner, Content, DUE_AGAIN, DueSecret, DueSecrets, Grant, OwnedSecret, ReadSecret,
    Reader, RotatePolicy, SecretId, next_rotate, obsolete, rescheduled, rotated,
};
use periapt_wire::CallError;
use periapt_wire::agent::secrets::{NamedSecret, ReadUnitSecret};
use periapt_wire::rpc::code;

use super::{Controller, Inner, refused};

/// A secret with everything recorded about it.
#[derive(Clone, Debug)]
pub struct SecretRecord {
    /// A unit, or an application.
    pub owner: String,
    pub label: String,
    pub description: String,
    pub rotate: RotatePolicy,
    /// When it is to be rotated next, microseconds UTC as all times here.
    pub rotate_at: Option<i64>,
    /// When each revision expires.
    pub expires: BTreeMap<u32, i64>,
    /// When its owner was last told that a revision has expired.
    pub expired_told: BTreeMap<u32, i64>,
    pub contents: BTreeMap<u32, Content>,
    pub grants: BTreeSet<Grant>,
    pub readers: BTreeMap<UnitName, Reader>,
    /// The newest of which each reader was told.
    pub told: BTreeMap<UnitName, u32>,
    /// Revisions that nobody is on and of which the owner was told.
    pub obsolete_told: BTreeSet<u32>,
}

impl SecretRecord {
    fn newest(&self) -> u32 {
        self.contents.keys().next_back().copied().unwrap_or(0)
    }

    fn is_owned_by(&self, unit: &UnitName) -> bool {
        self.owner == unit.to_string() || self.owner == unit.application().to_string()
    }

    fn is_readable_by(&self, unit: &UnitName) -> bool {
        let application = unit.application().to_string();
        let granted = |grant: &Grant| grant.to == unit.to_string() || grant.to == application;
        self.is_owned_by(unit) || self.grants.iter().any(granted)
    }

    fn labelled(&self, unit: &UnitName) -> String {
        match self.readers.get(unit) {
            Some(reader) if !self.is_owned_by(unit) => reader.label.clone(),
            _ => self.label.clone(),
        }
    }
}

impl Controller {
    /// A secret that a unit or an application owns, granted to these; its first revision.
    pub fn add_secret(&self, owner: &str, content: Content, to: &[&str]) -> SecretId {
        let mut inner = self.lock();
        let number = u8::try_from(inner.secrets.len() + 1).unwrap_or(u8::MAX);
        let id = SecretId::of_random([number; 12]);
        let grants = to.iter().map(|to| Grant {
            relation: 0,
            to: (*to).to_owned(),
        });
        let record = SecretRecord {
            owner: owner.to_owned(),
            label: String::new(),
            description: String::new(),
            rotate: RotatePolicy::Never,
            rotate_at: None,
            expires: BTreeMap::new(),
            expired_told: BTreeMap::new(),
            contents: [(1, content)].into(),
            grants: grants.collect(),
            readers: BTreeMap::new(),
            told: BTreeMap::new(),
            obsolete_told: BTreeSet::new(),
        };
        inner.secrets.insert(id.clone(), record);
        id
    }

    /// What is due follows this clock from now on; before, nothing is due by time.
    pub fn keep_time(&self, clock: SharedClock) {
        self.lock().clock = Some(clock);
    }

    /// Changes a secret, and wakes all units.
    pub fn change_secret(&self, id: &SecretId, change: impl FnOnce(&mut SecretRecord)) {
        let units = {
            let mut inner = self.lock();
            if let Some(record) = inner.secrets.get_mut(id) {
                change(record);
            }
            let units = inner.units.keys();
            units.map(|unit| format!("unit:{unit}")).collect::<Vec<_>>()
        };
        self.touch(&units);
    }

    pub fn secret(&self, id: &SecretId) -> Option<SecretRecord> {
        self.lock().secrets.get(id).cloned()
    }

    /// All of them.
    pub fn secrets(&self) -> BTreeMap<SecretId, SecretRecord> {
        self.lock().secrets.clone()
    }
}

impl Inner {
    pub(super) fn owned_secrets(&self, unit: &UnitName) -> Vec<OwnedSecret> {
        let owned = self.secrets.iter();
        let owned = owned.filter(|(_, record)| record.is_owned_by(unit));
        let owned = owned.map(|(id, record)| OwnedSecret {
            id: id.clone(),
            owner: match record.owner.contains('/') {
                true => CharmOwner::Unit,
                false => CharmOwner::Application,
            },
            label: record.label.clone(),
            description: record.description.clone(),
            rotate: record.rotate,
            next_rotate: record.rotate_at,
            expires: record.expires.get(&record.newest()).copied(),
            revisions: record.contents.keys().copied().collect(),
            grants: record.grants.clone(),
        });
        owned.collect()
    }

    pub(super) fn read_secret(
        &self,
        unit: &UnitName,
        call: &ReadUnitSecret,
    ) -> Result<ReadSecret, CallError> {
        let meant = |id: &SecretId, record: &SecretRecord| match &call.of {
            NamedSecret {
                id: Some(named), ..
            } => named == id,
            NamedSecret { label, .. } => {
                let known = record.is_owned_by(unit) || record.readers.contains_key(unit);
                known && label.as_deref() == Some(record.labelled(unit).as_str())
            }
        };
        let mut found = self.secrets.iter();
        let found = found.find(|(id, record)| meant(id, record));
        let (id, record) = found.ok_or_else(|| refused(code::NOT_FOUND, "no such secret"))?;
        if !record.is_readable_by(unit) {
            return Err(refused(code::UNAUTHORIZED, "it was not granted"));
        }
        let owned = record.is_owned_by(unit);
        let reader = record.readers.get(unit).filter(|_| !owned).cloned();
        let revision = match &reader {
            Some(reader) if !call.newest => reader.revision,
            _ => record.newest(),
        };
        let content = record.contents.get(&revision).cloned();
        Ok(ReadSecret {
            id: id.clone(),
            revision,
            content: content.ok_or_else(|| refused(code::NOT_FOUND, "the revision is gone"))?,
            owned,
            reader,
        })
    }

    /// Hooks that are due, whether the unit's charm has them or not: charms of these tests say what they have.
    pub(super) fn due_secrets(&self, unit: &UnitName) -> DueSecrets {
        let charm = self.units.get(unit).map(|record| &record.remote.charm_url);
        let charm = charm.and_then(|url| self.charms.get(url));
        let has = |kind: Kind| charm.is_some_and(|charm| charm.hooks.contains(&kind.to_string()));
        let now = self.now();
        let mut due = DueSecrets::default();
        let mut later = Vec::new();
        for (id, record) in &self.secrets {
            let one = |revision: u32| DueSecret {
                event: SecretEvent {
                    id: id.clone(),
                    label: record.labelled(unit),
                    revision,
                },
                leaders: !record.owner.contains('/') && record.is_owned_by(unit),
            };
            if !record.is_owned_by(unit) {
                let newest = record.newest();
                let reads = record.readers.contains_key(unit) && record.is_readable_by(unit);
                let told = record.told.get(unit).is_some_and(|told| *told == newest);
                if reads && !told && has(Kind::SecretChanged) {
                    due.changed.push(one(newest));
                }
                continue;
            }
            for (revision, expires) in &record.expires {
                let told = record.expired_told.get(revision);
                let at = told.map_or(*expires, |told| (*expires).max(told + DUE_AGAIN));
                match at <= now {
                    _ if !has(Kind::SecretExpired) => {}
                    true => due.expired.push(one(*revision)),
                    false => later.push(at),
                }
            }
            match record.rotate_at {
                Some(at) if at <= now && has(Kind::SecretRotate) => {
                    due.rotate.push(one(record.newest()));
                }
                Some(at) if has(Kind::SecretRotate) => later.push(at),
                _ => {}
            }
            let revisions: Vec<u32> = record.contents.keys().copied().collect();
            let readers = record.readers.iter();
            let readers = readers.map(|(unit, reader)| (unit.to_string(), reader.revision));
            let unread = obsolete(&revisions, &readers.collect());
            let unread = unread.into_iter();
            let unread = unread.filter(|revision| !record.obsolete_told.contains(revision));
            if has(Kind::SecretRemove) {
                due.remove.extend(unread.map(one));
            }
        }
        due.next = later.into_iter().min();
        due
    }

    /// Of the clock that the controller keeps; the beginning of time where it keeps none.
    fn now(&self) -> i64 {
        let clock = self.clock.as_ref();
        clock.map_or(0, |clock| clock.now().as_microsecond())
    }

    pub(super) fn change_secrets(
        &mut self,
        unit: &UnitName,
        hook: Option<&Info>,
        changes: &Changes,
    ) -> Result<(), CallError> {
        let gone = || refused(code::NOT_FOUND, "no such secret");
        let now = self.now();
        for (id, new) in &changes.added {
            let described = new.described.clone();
            let record = SecretRecord {
                owner: match new.owner {
                    CharmOwner::Unit => unit.to_string(),
                    CharmOwner::Application => unit.application().to_string(),
                },
                label: described.label.unwrap_or_default(),
                description: described.description.unwrap_or_default(),
                rotate: described.rotate.unwrap_or_default(),
                rotate_at: next_rotate(described.rotate.unwrap_or_default(), now),
                expires: described.expires.map(|at| (1, at)).into_iter().collect(),
                expired_told: BTreeMap::new(),
                contents: [(1, new.content.clone())].into(),
                grants: BTreeSet::new(),
                readers: BTreeMap::new(),
                told: BTreeMap::new(),
                obsolete_told: BTreeSet::new(),
            };
            self.secrets.insert(id.clone(), record);
        }
        for (id, changed) in &changes.changed {
            let record = self.secrets.get_mut(id).ok_or_else(gone)?;
            let described = changed.described.clone();
            record.label = described.label.unwrap_or_else(|| record.label.clone());
            let before = record.description.clone();
            record.description = described.description.unwrap_or(before);
            if let Some(rotate) = described.rotate {
                record.rotate = rotate;
                record.rotate_at = rescheduled(record.rotate_at, rotate, now);
            }
            if let Some(content) = &changed.content {
                let revision = record.newest() + 1;
                record.contents.insert(revision, content.clone());
            }
            if let Some(expires) = described.expires {
                record.expires.insert(record.newest(), expires);
            }
        }
        for (id, changed) in &changes.grants {
            let record = self.secrets.get_mut(id).ok_or_else(gone)?;
            record.grants.extend(changed.granted.iter().cloned());
            record
                .grants
                .retain(|grant| !changed.revoked.contains(grant));
        }
        for (id, removed) in &changes.removed {
            match removed.revisions.is_empty() {
                true => {
                    self.secrets.remove(id);
                }
                false => {
                    let record = self.secrets.get_mut(id).ok_or_else(gone)?;
                    for revision in &removed.revisions {
                        record.contents.remove(revision);
                        record.expires.remove(revision);
                    }
                }
            }
        }
        for (id, reader) in &changes.read {
            let record = self.secrets.get_mut(id).ok_or_else(gone)?;
            record.readers.insert(unit.clone(), reader.clone());
            let told = record.told.entry(unit.clone()).or_default();
            *told = reader.revision.max(*told);
        }
        let event = hook.and_then(|hook| Some((hook.kind, hook.secret.as_ref()?)));
        let Some((kind, event)) = event else {
            return Ok(());
        };
        if let Some(record) = self.secrets.get_mut(&event.id) {
            match kind {
                Kind::SecretChanged => {
                    record.told.insert(unit.clone(), event.revision);
                }
                Kind::SecretRotate => {
                    let new_value = changes.changed.get(&event.id);
                    let new_value = new_value.is_some_and(|one| one.content.is_some());
                    record.rotate_at = rotated(record.rotate, new_value, now);
                }
                Kind::SecretExpired => {
                    record.expired_told.insert(event.revision, now);
                }
                Kind::SecretRemove => {
                    record.obsolete_told.insert(event.revision);
                }
                _ => {}
            }
        }
        Ok(())
    }
}

//! A status that is kept and brought up to date, at a cost in proportion to what changed.
//!
//! It is true up to a place of the change log. Brought up to date, it reads in one snapshot the rows
//! that the log names since, and writes their texts anew with those of whatever else shows them: a
//! unit has its machine's address, its application's charm and who leads, an application is what its
//! units say, a machine that goes names its units, a relation says which of its ends is subordinate.
//! An answer is all texts, one after the other.
//!
//! Rows change in one transaction with the log, whichever process writes them, so nothing is shown that
//! is not so. Where the log does not say enough, everything is read again.

use std::collections::{BTreeMap, BTreeSet};

use periapt_model::{MachineId, ModelUuid};

use super::Presence;
use super::assemble::lost;
use super::news::{Names, News};
use super::rfc3339;
use super::rows::Rows;
use super::shown::View;
use super::texts::{Stale, Texts};
use crate::{Result, Store};

/// With more changes, or more names in them, everything is read again.
const CHANGES: usize = 4_096;
const NAMES: usize = 768;

/// The status of a model as of a moment, to be kept.
pub struct StatusPicture {
    model: ModelUuid,
    /// In the change log.
    position: i64,
    /// When it was read.
    now: i64,
    rows: Rows,
    /// The machines whose agent was away.
    lost: BTreeSet<MachineId>,
    texts: Texts,
}

impl Store {
    /// The status of a model, read whole.
    pub async fn status_picture(
        &self,
        model: &ModelUuid,
        presence: Presence<'_>,
    ) -> Result<StatusPicture> {
        let mut db = self.snapshot().await?;
        let position = crate::db::position(&mut db).await?;
        let rows = Rows::load(&mut db, model).await?;
        drop(db);
        StatusPicture::new(model, rows, position, self.now(), presence)
    }

    /// Brings a status up to date. One for which that fails is as it was.
    pub async fn refresh_status(
        &self,
        picture: &mut StatusPicture,
        presence: Presence<'_>,
    ) -> Result<()> {
        let mut db = self.snapshot().await?;
        let (model, after) = (picture.model.clone(), picture.position);
        let since = self.database.changes_since(&mut db, &model, after, CHANGES);
        let since = since.await?;
        let names = since.changes.as_deref().and_then(Names::of);
        let Some(names) = names.filter(|names| names.len() <= NAMES) else {
            let rows = Rows::load(&mut db, &model).await?;
            drop(db);
            *picture = StatusPicture::new(&model, rows, since.position, self.now(), presence)?;
            return Ok(());
        };
        let news = News::read(&mut db, &model, names).await?;
        drop(db);
        picture.put(news, presence)?;
        picture.position = since.position;
        picture.now = self.now();
        Ok(())
    }
}

impl StatusPicture {
    fn new(
        model: &ModelUuid,
        rows: Rows,
        position: i64,
        now: i64,
        presence: Presence<'_>,
    ) -> Result<Self> {
        let units = rows.units.values().flat_map(BTreeMap::values);
        let all = Stale {
            units: units.map(|row| row.name.clone()).collect(),
            applications: rows.applications.keys().cloned().collect(),
            machines: rows.machines.keys().cloned().collect(),
            relations: rows.relations.keys().copied().collect(),
        };
        let mut picture = Self {
            model: model.clone(),
            position,
            now,
            lost: lost(&rows, presence),
            rows,
            texts: Texts::default(),
        };
        picture.write(all)?;
        Ok(picture)
    }

    /// When it was read, as the answer has it.
    pub fn time(&self) -> String {
        rfc3339(self.now)
    }

    /// [`FullStatus`](periapt_wire::status::FullStatus) as JSON.
    pub fn to_json(&mut self) -> Result<Vec<u8>> {
        let (time, view) = (self.time(), View::new(&self.rows, &self.lost));
        self.texts.answer(&view, time)
    }

    /// Puts in what was read, and writes what shows it.
    fn put(&mut self, news: News, presence: Presence<'_>) -> Result<()> {
        let mut stale = Stale::default();
        if let Some(model) = news.model {
            self.rows.model = model;
        }
        let (rows, names) = (&mut self.rows, news.names);
        let mut found = news.applications;
        for name in names.applications {
            for relation in rows.relations_of(&name) {
                stale.relations.insert(relation.id);
                stale.ends(relation);
            }
            let units = rows.units_of(&name);
            stale.units.extend(units.map(|unit| unit.name.clone()));
            put(&mut rows.applications, &name, found.remove(&name));
            stale.applications.insert(name);
        }
        let mut found = news.units;
        for name in names.units {
            let now = found.remove(&name);
            stale.unit(&name, now.as_ref());
            let before = match now {
                Some(row) => rows.put_unit(row),
                None => rows.take_unit(&name),
            };
            stale.unit(&name, before.as_ref());
        }
        let mut found = news.machines;
        for id in names.machines {
            stale.units.extend(rows.units_on(&id));
            put(&mut rows.machines, &id, found.remove(&id));
            stale.machines.insert(id);
        }
        let mut found = news.relations;
        for id in names.relations {
            let now = found.remove(&id);
            if let Some(relation) = &now {
                stale.ends(relation);
            }
            let before = match now {
                Some(relation) => rows.put_relation(relation),
                None => rows.take_relation(id),
            };
            if let Some(relation) = &before {
                stale.ends(relation);
            }
            stale.relations.insert(id);
        }
        let mut found = news.leaders;
        for application in names.leaders {
            let now = found.remove(&application);
            let leads = [now.clone(), put(&mut rows.leaders, &application, now)];
            let units = leads.iter().flatten().filter_map(|unit| unit.parse().ok());
            stale.units.extend(units);
        }
        let lost = lost(rows, presence);
        for machine in lost.symmetric_difference(&self.lost) {
            stale.units.extend(rows.units_on(machine));
            stale.machines.insert(machine.clone());
        }
        self.lost = lost;
        self.write(stale)
    }

    fn write(&mut self, stale: Stale) -> Result<()> {
        let view = View::new(&self.rows, &self.lost);
        self.texts.write(&view, stale)
    }
}

/// Puts what there is now in the place of what was there, which is returned.
fn put<K: Ord + Clone, V>(rows: &mut BTreeMap<K, V>, key: &K, now: Option<V>) -> Option<V> {
    match now {
        Some(now) => rows.insert(key.clone(), now),
        None => rows.remove(key),
    }
}

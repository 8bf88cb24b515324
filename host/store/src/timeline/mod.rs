//! The timeline of a model: the audit log, what settings and charms were before, runs of hooks and lines of
//! the status history, read as one list.
//!
//! All of them take their ids from one sequence, in the order in which they were committed. So the list is
//! in the order of ids, and an id is where a page goes on: however many are written meanwhile, none is told
//! twice and none is left out. Nothing is written here.

use periapt_model::incident::Change;
use periapt_model::{ApplicationName, ModelUuid, time};
use periapt_wire::rest::{Page, TimelineEntry, TimelineKind, TimelineQuery};

use crate::db::Session;
use crate::error::StoreError;
use crate::page::{Paging, before};
use crate::{Result, Store, require_model};

mod rows;
#[cfg(test)]
mod tests;

/// What is wanted of a timeline.
#[derive(Clone, Debug)]
pub(crate) struct Wanted {
    pub kinds: Vec<TimelineKind>,
    pub from: i64,
    pub to: i64,
    pub application: Option<ApplicationName>,
    /// Only what has a smaller id.
    pub before: i64,
    pub limit: u64,
}

/// An entry with what it is ordered by and told apart by.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub id: i64,
    pub time: i64,
    pub shown: TimelineEntry,
}

impl Change for Entry {
    fn time(&self) -> i64 {
        self.time
    }

    fn is_about(&self, application: &ApplicationName) -> bool {
        let mut about = self.shown.about.iter();
        about.any(|name| name.split('/').next() == Some(application.as_str()))
    }

    fn is_general(&self) -> bool {
        self.shown.about.is_empty()
    }
}

impl Store {
    /// A page of what changed in a model, newest first. `audit` says whether whoever asks may read the
    /// audit log.
    pub async fn timeline(
        &self,
        model: &ModelUuid,
        query: &TimelineQuery,
        audit: bool,
    ) -> Result<Page<TimelineEntry>> {
        let paging = Paging::of(query.limit)?;
        let wanted = wanted(query, audit, paging.rows())?;
        let mut db = self.snapshot().await?;
        require_model(&mut db, model).await?;
        let mut entries = entries(&mut db, model, &wanted).await?;
        let next = paging.cut(&mut entries, |last| last.id.to_string());
        Ok(Page {
            items: entries.into_iter().map(|entry| entry.shown).collect(),
            next,
        })
    }
}

/// The newest of each wanted kind, as one list, newest first.
pub(crate) async fn entries(
    db: &mut Session,
    model: &ModelUuid,
    wanted: &Wanted,
) -> Result<Vec<Entry>> {
    let mut all = Vec::new();
    for kind in &wanted.kinds {
        all.extend(rows::read(db, model, *kind, wanted).await?);
    }
    all.sort_by_key(|entry: &Entry| std::cmp::Reverse(entry.id));
    all.truncate(usize::try_from(wanted.limit).unwrap_or(usize::MAX));
    Ok(all)
}

fn wanted(query: &TimelineQuery, audit: bool, limit: u64) -> Result<Wanted> {
    let mut kinds = Vec::new();
    let named = query.kinds.as_deref().unwrap_or_default().split(',');
    for kind in named.map(str::trim).filter(|kind| !kind.is_empty()) {
        let kind: TimelineKind = kind.parse().map_err(StoreError::bad_request)?;
        if !kinds.contains(&kind) {
            kinds.push(kind);
        }
    }
    if kinds.is_empty() {
        kinds.extend(TimelineKind::ALL);
    }
    kinds.retain(|kind| audit || *kind != TimelineKind::Audit);
    let before = before(query.after.as_deref())?;
    let application = query.application.as_deref().map(str::parse).transpose()?;
    Ok(Wanted {
        kinds,
        from: moment("from", query.from.as_deref())?.unwrap_or(i64::MIN),
        to: moment("to", query.to.as_deref())?.unwrap_or(i64::MAX),
        application,
        before,
        limit,
    })
}

/// A moment as people and scripts write it, in microseconds.
pub(crate) fn moment(name: &str, text: Option<&str>) -> Result<Option<i64>> {
    let Some(text) = text.filter(|text| !text.is_empty()) else {
        return Ok(None);
    };
    match time::parse(text) {
        Some(time) => Ok(Some(time)),
        None => Err(StoreError::bad_request(format!(
            "{name} is \"{text}\", which is not a time: write it as 2026-11-27T14:30:00Z"
        ))),
    }
}

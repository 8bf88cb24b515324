//! Incidents: what is wrong in a model, read from what its units, applications and machines show.
//!
//! An incident is no row. It is made of the views that everything else shows, grouped by
//! `periapt_model::incident`, so it agrees with them and is gone when they are well. Only that somebody
//! silenced one is kept. Retry and skip answer all of its failed hooks in one transaction.

use std::collections::BTreeSet;

use periapt_model::incident::{Incident, Silence, grouped};
use periapt_model::refusal::Subject;
use periapt_model::{ApplicationName, ModelUuid, Refusal, UnitName};
use periapt_wire::rest::{
    IncidentAnswer, IncidentInfo, IncidentQuery, Page, SilenceIncident, SilenceInfo,
};

use crate::changes::namespace;
use crate::db::{PART, Session, columns, json, names, params, part_params, to_json};
use crate::error::StoreError;
use crate::full_status::rfc3339;
use crate::page::Paging;
use crate::tables::{Table, tables};
use crate::{Presence, Result, Store, require_model, why};

mod shown;
#[cfg(test)]
mod tests;
mod troubles;

use troubles::Recoveries;

pub(crate) const TABLES: &[Table] = tables! {
    "silence";
};

/// Seconds for which an incident can be silenced.
const LONGEST_SILENCE: u64 = 366 * 24 * 3600;

/// Silences of a model that are kept.
const SILENCES: usize = 500;

columns! {
    struct Silenced {
        incident: String = "incident",
        silence: Silence = "silence" as json,
    }
    const OF_MODEL = "FROM silence WHERE model_uuid = $1";
}

impl Store {
    /// A page of what is wrong in a model, the worst first. `audit` says whether whoever asks may hear
    /// who changed something before.
    pub async fn incidents(
        &self,
        model: &ModelUuid,
        query: &IncidentQuery,
        presence: Presence<'_>,
        audit: bool,
    ) -> Result<Page<IncidentInfo>> {
        let application: Option<ApplicationName> =
            query.application.as_deref().map(str::parse).transpose()?;
        let paging = Paging::of(query.limit)?;
        let now = self.now();
        let mut db = self.snapshot().await?;
        let (incidents, runs) = current(&mut db, model, presence).await?;
        let silenced = holding(&mut db, model, &incidents, now).await?;
        let wanted = incidents.into_iter().filter(|incident| {
            let about = application.as_ref().is_none_or(|name| {
                incident.about == periapt_model::incident::About::Application(name.clone())
            });
            let is_silenced = silenced.iter().any(|one| one.incident == incident.id);
            about && query.silenced.is_none_or(|wanted| wanted == is_silenced)
        });
        let mut page: Vec<Incident> = match query.after.as_deref() {
            None => wanted.collect(),
            Some(after) => {
                let mut all: Vec<Incident> = wanted.collect();
                // One that was mended meanwhile is where nothing more is known: from the beginning.
                let place = all.iter().position(|incident| incident.id == after);
                all.drain(..place.map_or(0, |place| place + 1));
                all
            }
        };
        let next = paging.cut(&mut page, |last| last.id.clone());
        let items = shown::all(&mut db, model, page, &runs, &silenced, audit).await?;
        Ok(Page { items, next })
    }

    /// Retries, or skips, the failed hook of every unit of an incident that waits for an answer. The
    /// units that were told.
    pub async fn answer_incident(
        &self,
        model: &ModelUuid,
        id: &str,
        retry: bool,
        presence: Presence<'_>,
    ) -> Result<IncidentAnswer> {
        let incident = self.incident(model, id, presence).await?;
        if !incident.is_failed_hook() {
            return Err(StoreError::Refused {
                refusal: Refusal::UnitNotInError,
                message: format!(
                    "{} is {}: no hook failed that could be answered",
                    incident.about.words(),
                    incident.status
                ),
            });
        }
        let (model, wanted) = (
            model.clone(),
            if retry { "retry-hooks" } else { "no-hooks" },
        );
        self.write(move |tx| {
            Box::pin(async move {
                // One that was answered before, or got well meanwhile, is left alone.
                let sql = names!(
                    "UPDATE unit SET resolved = $18, resolved_cause = $19
                    WHERE model_uuid = $1 AND resolved = 'none' AND EXISTS (
                        SELECT 1 FROM status WHERE status.model_uuid = $1
                            AND status.kind = 'juju-unit' AND status.entity = unit.name
                            AND status.status = 'error')
                    AND name IN",
                    "RETURNING name"
                );
                let mut told: BTreeSet<UnitName> = BTreeSet::new();
                for part in incident.units.chunks(PART) {
                    let part: Vec<&str> = part.iter().map(UnitName::as_str).collect();
                    let mut values = part_params(&model, &part);
                    values.push(wanted.into());
                    values.push(why::cause(tx).into());
                    told.extend(tx.db.words::<UnitName>("unit", sql, values).await?);
                }
                let mut units = incident.units;
                units.retain(|unit| told.contains(unit));
                for unit in &units {
                    tx.touch(&model, namespace::RESOLVED, unit.as_str());
                }
                Ok(IncidentAnswer { units })
            })
        })
        .await
    }

    /// Keeps an incident quiet: for a time, or until it changes.
    pub async fn silence_incident(
        &self,
        model: &ModelUuid,
        id: &str,
        request: &SilenceIncident,
        presence: Presence<'_>,
    ) -> Result<SilenceInfo> {
        if request.seconds == Some(0) || request.seconds > Some(LONGEST_SILENCE) {
            return Err(StoreError::bad_request(format!(
                "an incident is silenced for 1 to {LONGEST_SILENCE} seconds, or until it changes"
            )));
        }
        let incident = self.incident(model, id, presence).await?;
        let (model, seconds) = (model.clone(), request.seconds);
        self.write(move |tx| {
            Box::pin(async move {
                require_model(&mut tx.db, &model).await?;
                let lasts = seconds.map(|seconds| {
                    let micros = seconds.saturating_mul(1_000_000);
                    i64::try_from(micros).unwrap_or(i64::MAX)
                });
                let silence = Silence {
                    at: tx.now,
                    until: lasts.map(|lasts| tx.now.saturating_add(lasts)),
                    units: incident.units.into_iter().collect(),
                };
                // Those whose time is over are of no use to anybody, and of those until a change, which end unseen when
                // nothing fails any more, the newest are enough.
                let mut kept = tx.db.all(OF_MODEL, params![&model]).await?;
                kept.sort_by_key(|one| std::cmp::Reverse(one.silence.at));
                let mut room = SILENCES - 1;
                for old in kept.into_iter().filter(|old| old.incident != incident.id) {
                    if room > 0 && old.silence.until.is_none_or(|until| until > tx.now) {
                        room -= 1;
                        continue;
                    }
                    let sql = "DELETE FROM silence WHERE model_uuid = $1 AND incident = $2";
                    tx.db.execute(sql, params![&model, &old.incident]).await?;
                }
                let sql = "INSERT INTO silence (model_uuid, incident, silence) VALUES ($1, $2, $3)
                    ON CONFLICT (model_uuid, incident) DO UPDATE SET silence = excluded.silence";
                let row = params![&model, &incident.id, to_json(&silence)?];
                tx.db.execute(sql, row).await?;
                tx.touch(&model, namespace::INCIDENT, incident.id);
                Ok(info(&silence))
            })
        })
        .await
    }

    /// Has an incident heard of again.
    pub async fn end_silence(&self, model: &ModelUuid, id: &str) -> Result<()> {
        let (model, id) = (model.clone(), id.to_owned());
        self.write(move |tx| {
            Box::pin(async move {
                require_model(&mut tx.db, &model).await?;
                let sql = "DELETE FROM silence WHERE model_uuid = $1 AND incident = $2";
                if tx.db.execute(sql, params![&model, &id]).await? == 0 {
                    return Err(StoreError::not_found(Subject::Incident, id));
                }
                tx.touch(&model, namespace::INCIDENT, id);
                Ok(())
            })
        })
        .await
    }

    async fn incident(
        &self,
        model: &ModelUuid,
        id: &str,
        presence: Presence<'_>,
    ) -> Result<Incident> {
        let mut db = self.snapshot().await?;
        let (incidents, _) = current(&mut db, model, presence).await?;
        let found = incidents.into_iter().find(|incident| incident.id == id);
        found.ok_or_else(|| StoreError::not_found(Subject::Incident, id))
    }
}

/// What is wrong now, and the last run of each unit that failed in a hook.
async fn current(
    db: &mut Session,
    model: &ModelUuid,
    presence: Presence<'_>,
) -> Result<(Vec<Incident>, troubles::LastRuns)> {
    require_model(db, model).await?;
    let (troubles, runs) = troubles::read(db, model, presence).await?;
    Ok((grouped(troubles), runs))
}

/// The silences that hold now.
async fn holding(
    db: &mut Session,
    model: &ModelUuid,
    incidents: &[Incident],
    now: i64,
) -> Result<Vec<Silenced>> {
    let mut known: Vec<(Silenced, &Incident)> = Vec::new();
    for silenced in db.all(OF_MODEL, params![model]).await? {
        let mut incidents = incidents.iter();
        let found = incidents.find(|incident| incident.id == silenced.incident);
        known.extend(found.map(|incident| (silenced, incident)));
    }
    let until_changed = known.iter().filter(|(one, _)| one.silence.until.is_none());
    let (began, lasting): (Vec<i64>, Vec<&Incident>) = until_changed
        .map(|(one, incident)| (one.silence.at, *incident))
        .unzip();
    let recoveries = match began.into_iter().min() {
        None => None,
        Some(began) => Some(Recoveries::read(db, model, &lasting, began).await?),
    };
    known.retain(|(one, incident)| {
        let recovered = recoveries.as_ref().and_then(|all| all.of(incident));
        one.silence.holds(incident, now, recovered)
    });
    Ok(known.into_iter().map(|(one, _)| one).collect())
}

fn info(silence: &Silence) -> SilenceInfo {
    SilenceInfo {
        since: rfc3339(silence.at),
        until: silence.until.map(rfc3339),
    }
}

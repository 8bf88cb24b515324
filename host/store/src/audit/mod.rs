//! The audit log: who changed what, from where, and how it ended.
//!
//! Rows are only ever added; what goes is what is older than [`AUDIT_AGE`] or beyond the newest
//! [`AUDIT_ROWS`]. They outlive the model they are about: who removed it stays known. The row of a
//! request is written with its change, and only its result is completed where that write cannot say it.

use std::sync::atomic::Ordering;
use std::time::Duration;

use futures::future::BoxFuture;
use periapt_database::{Guard, RequestRow};
use periapt_model::cause::Cause;
use periapt_model::{ModelUuid, bounds};
use periapt_wire::rest::{AuditKind, AuditQuery, AuditRecord, Page};

use crate::db::{Cells, Param, Session, Tx, columns, json, optional_word, params, to_json, word};
use crate::error::StoreError;
use crate::page::{Paging, before};
use crate::{DatabaseError, Result, Store};

mod ended;
#[cfg(test)]
mod tests;

pub use ended::told;
pub(crate) use ended::{fine, outcome};

/// How long a record is kept.
pub const AUDIT_AGE: Duration = Duration::from_secs(366 * 24 * 3600);
/// Records kept at most; at about 400 bytes each some 200 MB.
pub const AUDIT_ROWS: u64 = bounds::AUDIT_ROWS.most;
/// Old records go once per so many written.
const PRUNE_EVERY: u64 = 1_000;

/// The result of a request whose end nobody recorded.
const INTERRUPTED: &str = "interrupted";

columns! {
    struct Record -> AuditRecord {
        id = "id",
        time = "time",
        who = "who",
        from = "peer",
        model = "NULLIF(model_uuid, '')" as optional_word,
        what = "what",
        target = "target",
        result = "result",
        arguments = "arguments" as json,
        kind = "kind" as word,
        verb = "verb",
        object = "object",
        about = "about" as names,
    }
    // Of one model or, with an empty `$1`, of all. The empty text and the extreme numbers stand
    // for filters that are not there.
    const RECORDS = "FROM audit
        WHERE ($1 = '' OR model_uuid = $1) AND id < $2 AND time >= $3 AND time <= $4
        AND ($5 = '' OR who = $5 OR who = $6)
        AND ($7 = '' OR LOWER(what) LIKE $7 ESCAPE '!' OR LOWER(target) LIKE $7 ESCAPE '!'
            OR LOWER(verb || ' ' || object) LIKE $7 ESCAPE '!')
        AND ($8 = '' OR ($8 = 'ok') = (result = 'ok' OR result LIKE '2__'))
        AND ($10 = '' OR $10 LIKE '%' || kind || '%')
        ORDER BY id DESC LIMIT $9";
}

/// Between the names that a record is about, and around them, so that each can be looked for.
pub(crate) const BAR: char = '|';

/// The names that a record is about.
pub(crate) fn names(cells: &mut Cells<'_>) -> std::result::Result<Vec<String>, DatabaseError> {
    let names = cells.str()?.split(BAR).filter(|name| !name.is_empty());
    Ok(names.map(str::to_owned).collect())
}

fn barred(names: &[String]) -> String {
    match names {
        [] => String::new(),
        names => format!("{BAR}{}{BAR}", names.join("|")),
    }
}

impl Store {
    /// Appends records in their order; their `id` is given here.
    pub async fn write_audit(&self, records: Vec<AuditRecord>) -> Result<()> {
        if records.is_empty() {
            return Ok(());
        }
        let prune = self.audit_is_full(records.len() as u64);
        self.write(move |tx| {
            Box::pin(async move {
                insert(tx, records).await?;
                prune_when(prune, tx).await?;
                Ok(())
            })
        })
        .await
    }

    /// A guard that leaves the record with the request's first change. Its result is what the change
    /// says of the request, or that it was interrupted.
    pub fn recording(&self, record: AuditRecord) -> Guard {
        let prune = self.audit_is_full(1);
        Guard::default().leaving(OfRequest { record, prune })
    }

    /// Whether, with so many more, it is time to drop old records. The first after a start do so too:
    /// a controller that starts often still drops them.
    fn audit_is_full(&self, written: u64) -> bool {
        let before = self.inner.audit_rows.fetch_add(written, Ordering::Relaxed);
        before == 0 || before / PRUNE_EVERY != (before + written) / PRUNE_EVERY
    }

    /// Records that match the query, newest first; of one model, or of the controller and all
    /// its models.
    pub async fn audit(
        &self,
        model: Option<&ModelUuid>,
        query: &AuditQuery,
    ) -> Result<Page<AuditRecord>> {
        let before = before(query.after.as_deref())?;
        let result = query.result.as_deref().unwrap_or_default();
        if !["", "ok", "refused"].contains(&result) {
            return Err(StoreError::bad_request(format!(
                "\"{result}\" is not a result to look for; there are ok and refused"
            )));
        }
        let kinds = kinds(query.kind.as_deref().unwrap_or_default())?;
        let paging = Paging::of(query.limit)?;
        let user = query.user.as_deref().unwrap_or_default();
        let matching = match query.matching.as_deref().unwrap_or_default() {
            "" => String::new(),
            text => format!("%{}%", literally(text)),
        };
        let values = params![
            model.map(ModelUuid::as_str).unwrap_or_default(),
            before,
            query.since.unwrap_or(i64::MIN),
            query.until.unwrap_or(i64::MAX),
            user,
            format!("user-{user}"),
            matching,
            result,
            paging.rows(),
            kinds
        ];
        let mut items: Vec<AuditRecord> = self.glance().await?.all(RECORDS, values).await?;
        for record in &mut items {
            record.verb = told(&record.verb, &record.result);
        }
        Ok(paging.page(items, |last| last.id.to_string()))
    }
}

/// The kinds that are asked for, in one text; no word of one kind is a part of another's.
fn kinds(asked: &str) -> Result<String> {
    let named = asked.split(',').map(str::trim);
    for kind in named.filter(|kind| !kind.is_empty()) {
        kind.parse::<AuditKind>().map_err(StoreError::bad_request)?;
    }
    Ok(asked.to_owned())
}

/// The record of a request.
struct OfRequest {
    record: AuditRecord,
    prune: bool,
}

impl RequestRow for OfRequest {
    fn cause(&self, id: i64) -> String {
        Cause::Deed(id).to_string()
    }

    fn write<'t>(
        &'t self,
        tx: &'t mut Tx,
        id: i64,
        is_there: bool,
        result: Option<&'t str>,
    ) -> BoxFuture<'t, std::result::Result<(), DatabaseError>> {
        let result = result.unwrap_or(INTERRUPTED);
        Box::pin(async move {
            if is_there {
                let sql = "UPDATE audit SET result = $2 WHERE id = $1";
                tx.db.execute(sql, params![id, result]).await?;
                return Ok(());
            }
            let mut record = self.record.clone();
            record.result = result.to_owned();
            tx.db
                .insert_many(INTO, "", vec![cells(id, record)?])
                .await?;
            prune_when(self.prune, tx).await
        })
    }
}

/// Leaves a record that a restore gave up messages of alerts, in its transaction.
pub(crate) async fn gave_up_messages(db: &mut Session, now: i64, count: u64) -> Result<()> {
    let sql = "UPDATE sequence SET value = value + 1 WHERE model_uuid = '' AND name = 'row'
        RETURNING value";
    let id: Option<i64> = db.scalar(sql, vec![]).await?;
    let id = id.ok_or_else(|| StoreError::internal("the sequence of rows is missing"))?;
    let messages = match count {
        1 => "1 message".to_owned(),
        count => format!("{count} messages"),
    };
    let record = AuditRecord {
        time: now,
        who: "controller".to_owned(),
        what: "restore-backup".to_owned(),
        result: "ok".to_owned(),
        verb: "gave up".to_owned(),
        object: format!("{messages} of alerts that waited when the backup was made"),
        ..AuditRecord::default()
    };
    Ok(db.insert_many(INTO, "", vec![cells(id, record)?]).await?)
}

const INTO: &str = "INSERT INTO audit (id, time, who, peer, model_uuid, what, target, result, arguments, kind, verb, object, about)";

fn cells(id: i64, record: AuditRecord) -> std::result::Result<Vec<Param>, DatabaseError> {
    let model = record
        .model
        .as_ref()
        .map(ModelUuid::as_str)
        .unwrap_or_default();
    Ok(params![
        id,
        record.time,
        record.who,
        record.from,
        model,
        record.what,
        record.target,
        record.result,
        to_json(&record.arguments)?,
        record.kind.as_str(),
        record.verb,
        record.object,
        barred(&record.about)
    ])
}

async fn insert(tx: &mut Tx, records: Vec<AuditRecord>) -> std::result::Result<(), DatabaseError> {
    let mut rows = Vec::with_capacity(records.len());
    for record in records {
        rows.push(cells(tx.next_id(), record)?);
    }
    tx.db.insert_many(INTO, "", rows).await
}

async fn prune_when(full: bool, tx: &mut Tx) -> std::result::Result<(), DatabaseError> {
    if full {
        let now = tx.now;
        prune_rows(tx, now, AUDIT_AGE, AUDIT_ROWS).await?;
    }
    Ok(())
}

async fn prune_rows(
    tx: &mut Tx,
    now: i64,
    age: Duration,
    rows: u64,
) -> std::result::Result<u64, DatabaseError> {
    let age = i64::try_from(age.as_micros()).unwrap_or(i64::MAX);
    let oldest = now.saturating_sub(age);
    let sql = "DELETE FROM audit WHERE time < $1";
    let mut gone = tx.db.execute(sql, params![oldest]).await?;
    let sql = "DELETE FROM audit WHERE id <= (
        SELECT id FROM audit ORDER BY id DESC LIMIT 1 OFFSET $1)";
    gone += tx.db.execute(sql, params![rows]).await?;
    Ok(gone)
}

/// A text as a part of a `LIKE` pattern, in lower case.
fn literally(text: &str) -> String {
    let mut pattern = String::with_capacity(text.len());
    for character in text.to_lowercase().chars() {
        if matches!(character, '%' | '_' | '!') {
            pattern.push('!');
        }
        pattern.push(character);
    }
    pattern
}

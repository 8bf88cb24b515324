//! The log that `debug-log` shows: bounded per model, what services write apart from everything else, and read in
//! pages.

use std::sync::atomic::Ordering;

use periapt_model::bounds::{LOG_LINE_BYTES, TEXT_BYTES};
use periapt_model::{ModelUuid, Tag};
use periapt_wire::agent::log_sink::LogRecord;
use periapt_wire::rest::LogQuery;

use crate::changes::namespace;
use crate::db::{Session, Tx, columns, params};
use crate::error::StoreError;
use crate::tables::{Table, tables};
use crate::{Result, Store};

mod filter;
mod forward;

use filter::Filter;

pub(crate) const TABLES: &[Table] = tables! {
    "log";
    "log_forward";
};

/// Levels in ascending order; the place is what is stored.
const LEVELS: &[&str] = &["TRACE", "DEBUG", "INFO", "WARNING", "ERROR"];
/// Lines of a page, and rows looked at by one statement.
const PAGE: usize = 5_000;
/// Lines of the past that a query begins with when it does not say.
const TAIL: u64 = 10;
/// A log is cut back once per so many lines written to all of them.
const PRUNE_EVERY: u64 = 1_000;

/// Lines of a log, in order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LogPage {
    pub records: Vec<LogRecord>,
    /// Where to go on reading after each of them.
    pub positions: Vec<i64>,
    /// Where to go on reading.
    pub position: i64,
    /// Whether this is all there is by now.
    pub complete: bool,
}

columns! {
    struct Line {
        id: i64 = "id",
        time: i64 = "time",
        entity: String = "entity",
        level: i64 = "level",
        module: String = "module",
        message: String = "message",
    }
    const BEFORE = "FROM log
        WHERE model_uuid = $1 AND level >= $2 AND id < $3 ORDER BY id DESC LIMIT $4";
    const AFTER = "FROM log
        WHERE model_uuid = $1 AND level >= $2 AND id > $3 ORDER BY id LIMIT $4";
    const WITHIN = "FROM log
        WHERE model_uuid = $1 AND entity = $2 AND time >= $3 AND time <= $4 ORDER BY id LIMIT $5";
}

macro_rules! cut {
    ($which:literal) => {
        concat!(
            "DELETE FROM log WHERE model_uuid = $1 AND ",
            $which,
            " AND id <= (SELECT id FROM log WHERE model_uuid = $1 AND ",
            $which,
            " ORDER BY id DESC LIMIT 1 OFFSET $2)"
        )
    };
}

/// Modules of services are called `workload.CONTAINER.SERVICE`.
const CUT_SERVICES: &str = cut!("substr(module, 1, 9) = 'workload.'");
const CUT_OTHERS: &str = cut!("substr(module, 1, 9) <> 'workload.'");

/// A message without control characters, whoever wrote it, and no longer than a line may be.
fn plain(message: &str) -> String {
    let shown = |c: &char| !c.is_control() || matches!(c, '\t' | '\n');
    let plain: String = message.chars().filter(shown).collect();
    LOG_LINE_BYTES.cut(&plain).into_owned()
}

/// Appends lines, in their order, and cuts the log back to as many as it is to `keep`: of what services wrote, and of
/// everything else, so that a server that says much pushes out no line of a hook.
pub(crate) async fn append(
    tx: &mut Tx,
    model: &ModelUuid,
    records: impl IntoIterator<Item = LogRecord>,
    keep: Option<u64>,
) -> Result<()> {
    let mut rows = Vec::new();
    for record in records {
        let id = tx.next_id();
        let level = level(&record.level)? as u64;
        let entity = record.entity.to_string();
        let message = plain(&record.message);
        let module = TEXT_BYTES.cut(&record.module).into_owned();
        rows.push(params![
            id,
            model,
            record.time,
            entity,
            level,
            module,
            message
        ]);
    }
    if rows.is_empty() {
        return Ok(());
    }
    let head = "INSERT INTO log (id, model_uuid, time, entity, level, module, message)";
    tx.db.insert_many(head, "", rows).await?;
    if let Some(keep) = keep {
        for sql in [CUT_SERVICES, CUT_OTHERS] {
            tx.db.execute(sql, params![model, keep]).await?;
        }
    }
    tx.touch(model, namespace::LOG, "");
    Ok(())
}

impl Store {
    /// Appends lines, in their order.
    pub async fn write_logs(&self, model: &ModelUuid, records: Vec<LogRecord>) -> Result<()> {
        if records.is_empty() {
            return Ok(());
        }
        let (model, keep) = (model.clone(), self.lines_kept(records.len()));
        self.write(move |tx| {
            Box::pin(async move {
                crate::require_model(&mut tx.db, &model).await?;
                append(tx, &model, records, keep).await
            })
        })
        .await
    }

    /// How many lines a log keeps, where it is to be cut back with the next ones, so many.
    pub(crate) fn lines_kept(&self, written: usize) -> Option<u64> {
        let written = written as u64;
        let before = self.inner.log_lines.fetch_add(written, Ordering::Relaxed);
        let prune = before / PRUNE_EVERY != (before + written) / PRUNE_EVERY;
        prune.then_some(self.inner.keep_lines)
    }

    /// Lines that match the query. Without `after` from where the query begins: the first line
    /// with `replay`, else so many lines of the past. With `after` from that position on.
    pub async fn logs(
        &self,
        model: &ModelUuid,
        query: &LogQuery,
        after: Option<i64>,
    ) -> Result<LogPage> {
        let mut db = self.snapshot().await?;
        crate::require_model(&mut db, model).await?;
        let filter = Filter::load(&mut db, model, query, after.is_none()).await?;
        let limit = query.limit.map_or(PAGE, |limit| {
            usize::try_from(limit).unwrap_or(PAGE).min(PAGE)
        });
        let mut position = match after {
            Some(position) => position,
            None if query.replay => 0,
            None => {
                // Backwards until the tail is found; forwards from there.
                let tail = usize::try_from(query.tail.unwrap_or(TAIL)).unwrap_or(usize::MAX);
                let (mut before, mut found) = (i64::MAX, 0);
                'scan: while found < tail {
                    let values = params![model, filter.level, before, PAGE as u64];
                    let lines = db.all(BEFORE, values).await?;
                    for line in &lines {
                        found += usize::from(filter.accepts(line.time, &line.entity, &line.module));
                        before = line.id;
                        if found == tail {
                            break 'scan;
                        }
                    }
                    if lines.len() < PAGE {
                        break;
                    }
                }
                before.saturating_sub(1)
            }
        };
        if position == i64::MAX - 1 {
            // No line of the past is wanted or none is there: begin at the end.
            let sql = "SELECT COALESCE(MAX(id), 0) FROM log WHERE model_uuid = $1";
            let last = db.scalar(sql, params![model]).await?;
            position = last.unwrap_or_default();
        }
        let mut page = LogPage {
            position,
            ..LogPage::default()
        };
        loop {
            let values = params![model, filter.level, page.position, PAGE as u64];
            let lines = db.all(AFTER, values).await?;
            let last = lines.len() < PAGE;
            for line in lines {
                if page.records.len() >= limit {
                    return Ok(page);
                }
                page.position = line.id;
                if filter.accepts(line.time, &line.entity, &line.module) {
                    page.records.push(shown(line)?);
                    page.positions.push(page.position);
                }
            }
            if last {
                page.complete = true;
                return Ok(page);
            }
        }
    }
}

/// The newest lines of a model that are worth a person's look, newest first: as many as one statement
/// looks at.
pub(crate) async fn newest(db: &mut Session, model: &ModelUuid) -> Result<Vec<LogRecord>> {
    let info = level("INFO")? as u64;
    let values = params![model, info, i64::MAX, PAGE as u64];
    let lines = db.all(BEFORE, values).await?;
    lines.into_iter().map(shown).collect()
}

/// What an entity logged within a time, oldest first, at most so many.
pub(crate) async fn between(
    db: &mut Session,
    model: &ModelUuid,
    entity: &Tag,
    (from, to): (i64, i64),
    most: u64,
) -> Result<Vec<LogRecord>> {
    let values = params![model, entity.to_string(), from, to, most];
    let lines = db.all(WITHIN, values).await?;
    lines.into_iter().map(shown).collect()
}

fn shown(line: Line) -> Result<LogRecord> {
    let level = usize::try_from(line.level).unwrap_or_default();
    let entity = line.entity.parse();
    Ok(LogRecord {
        time: line.time,
        entity: entity.map_err(|error| StoreError::corrupt("entity", error))?,
        level: LEVELS.get(level).copied().unwrap_or("ERROR").to_owned(),
        module: line.module,
        message: line.message,
    })
}

fn level(text: &str) -> Result<usize> {
    let upper = text.to_ascii_uppercase();
    let word = if upper == "WARN" {
        "WARNING"
    } else {
        upper.as_str()
    };
    LEVELS
        .iter()
        .position(|level| *level == word)
        .ok_or_else(|| {
            StoreError::bad_request(format!(
                "\"{text}\" is not a log level; there are {}",
                LEVELS.join(", ")
            ))
        })
}

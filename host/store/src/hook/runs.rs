//! The runs of hooks: written in the transaction that ends the hook, where the time they took is held against
//! their unit's quota, and read newest first.
//!
//! A run is a fact about the past and never changes; it goes with its unit, with its model, by
//! age, or when its unit has too many.

use std::time::Duration;

use periapt_model::bounds;
use periapt_model::cause::Cause;
use periapt_model::hook::remembered;
use periapt_model::refusal::Subject;
use periapt_model::{ApplicationName, ModelUuid, UnitName};
use periapt_wire::agent::uniter::HookReport;
use periapt_wire::rest::{HookQuery, HookRun, HookUsage, Page};

use crate::changes::namespace;
use crate::db::{self, Cells, Column, Tx, columns, json, names, params, to_json, word};
use crate::error::StoreError;
use crate::page::{Paging, before};
use crate::usage::meter;
use crate::{DatabaseError, Result, Store, require_model};

#[cfg(test)]
mod tests;

/// Runs kept of each unit: with a hook every five minutes, half a week.
const RUNS_OF_UNIT: u64 = bounds::RUNS_OF_UNIT.most;

const OK: &str = "ok";
const FAILED: &str = "failed";

impl Store {
    /// A page of the runs of a model's hooks, newest first.
    pub async fn hook_runs(&self, model: &ModelUuid, query: &HookQuery) -> Result<Page<HookRun>> {
        let unit: Option<UnitName> = query.unit.as_deref().map(str::parse).transpose()?;
        let application: Option<ApplicationName> =
            query.application.as_deref().map(str::parse).transpose()?;
        let result = match query.result.as_deref() {
            None => "",
            Some(result @ (OK | FAILED)) => result,
            Some(other) => {
                return Err(StoreError::bad_request(format!(
                    "a hook's result is \"ok\" or \"failed\", not \"{other}\""
                )));
            }
        };
        let before = before(query.after.as_deref())?;
        let paging = Paging::of(query.limit)?;
        // Whose runs decides which index is read.
        let (select, whose) = match (&unit, &application) {
            (Some(unit), _) => (OF_UNIT, unit.to_string()),
            (None, Some(application)) => (OF_APPLICATION, application.to_string()),
            (None, None) => (OF_MODEL, String::new()),
        };
        let application = application.map(|name| name.to_string()).unwrap_or_default();
        let hook = query.hook.clone().unwrap_or_default();
        let since = query.since.unwrap_or(i64::MIN);
        let mut db = self.snapshot().await?;
        require_model(&mut db, model).await?;
        let values = params![
            model,
            whose,
            before,
            application,
            hook,
            result,
            since,
            paging.rows(),
            query.until.unwrap_or(i64::MAX)
        ];
        let items = db.all(select, values).await?;
        Ok(paging.page(items, |last| last.id.to_string()))
    }

    /// One run.
    pub async fn hook_run(&self, model: &ModelUuid, id: i64) -> Result<HookRun> {
        let run = self.glance().await?.one(ONE, params![id, model]).await?;
        run.ok_or_else(|| StoreError::not_found(Subject::Hook, id))
    }
}

/// `$2` is whose runs are wanted; the filters that follow do nothing where they are empty.
macro_rules! page {
    ($whose:literal) => {
        concat!(
            "FROM hook_run WHERE model_uuid = $1 AND ",
            $whose,
            " AND id < $3 AND ($4 = '' OR application = $4) AND ($5 = '' OR hook = $5)
            AND ($6 = '' OR result = $6) AND started_at >= $7 AND started_at <= $9 ORDER BY id DESC LIMIT $8"
        )
    };
}

columns! {
    pub(crate) struct Run -> HookRun {
        id = "id",
        unit = "unit" as word,
        application = "application" as word,
        hook = "hook",
        about = "about",
        charm = "charm",
        started_at = "started_at",
        duration = "duration",
        result = "result",
        code = "code",
        message = "message",
        effects = "effects" as json,
        waited = "waited",
        cause = "cause",
        usage = ["memory_bytes, host_calls, output_bytes, state_directory_bytes"] as usage,
        ; limits: None
    }
    const ONE = "FROM hook_run WHERE id = $1 AND model_uuid = $2";
    const OF_UNIT = page!("unit = $2");
    const OF_APPLICATION = page!("application = $2");
    const OF_MODEL = page!("$2 = ''");
    const BY_ID = names!("FROM hook_run WHERE model_uuid = $1 AND id IN", "");
}

/// What a hook used, of one that ran.
fn usage(cells: &mut Cells<'_>) -> std::result::Result<Option<HookUsage>, DatabaseError> {
    db::optional(cells, 4, |cells| {
        Ok(HookUsage {
            memory_bytes: Column::read(cells)?,
            host_calls: Column::read(cells)?,
            output_bytes: Column::read(cells)?,
            state_directory_bytes: Column::read(cells)?,
        })
    })
}

/// Appends a run, in the transaction of what it did, under a number that was taken before: what it did names it
/// as its cause.
///
/// What the agent knows only by its place is looked up here: the run right before it, and how a unit left. That a unit
/// left is looked up only while it is gone; what became of it since is no cause of this.
pub(crate) async fn insert(
    tx: &mut Tx,
    model: &ModelUuid,
    unit: &UnitName,
    run: &HookReport,
    id: i64,
) -> Result<()> {
    let sql = "INSERT INTO hook_run
        (id, model_uuid, unit, application, hook, charm, started_at, duration, result, code, message, effects, waited,
        memory_bytes, host_calls, output_bytes, state_directory_bytes, about, cause)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18,
            CASE WHEN $19 = 'before' THEN COALESCE((SELECT 'run:' || MAX(earlier.id) FROM hook_run AS earlier
                    WHERE earlier.model_uuid = $2 AND earlier.unit = $3), $19)
                WHEN $21 <> '' THEN COALESCE((SELECT NULLIF(relation_unit.cause, '') FROM relation_unit
                    WHERE relation_unit.model_uuid = $2 AND relation_unit.relation_id = $20
                        AND relation_unit.unit = $21 AND relation_unit.in_scope = 0), $19)
                ELSE $19 END)
        RETURNING (SELECT COUNT(*) FROM model_config WHERE model_uuid = $2 AND key = 'unit-cpu-quota')
            + (SELECT COUNT(*) FROM model_default WHERE key = 'unit-cpu-quota')";
    let (relation, left) = match &run.cause {
        Cause::Left { relation, unit } => (*relation, unit.as_str()),
        _ => (0, ""),
    };
    let result = if run.code.is_empty() { OK } else { FAILED };
    let values = params![
        id,
        model,
        unit,
        &unit.application(),
        &run.hook,
        &run.charm,
        run.started_at,
        run.duration,
        result,
        &run.code,
        shortened(&run.message, bounds::TEXT_BYTES.length()),
        to_json(&remembered(&run.effects))?,
        run.waited,
        run.usage.map(|usage| usage.memory_bytes),
        run.usage.map(|usage| usage.host_calls),
        run.usage.map(|usage| usage.output_bytes),
        run.usage.map(|usage| usage.state_directory_bytes),
        shortened(&run.about, bounds::RUN_EFFECT_CHARACTERS.length()),
        shortened(
            &run.cause.to_string(),
            bounds::RUN_EFFECT_CHARACTERS.length()
        ),
        relation,
        left
    ];
    // Most models have no quota, and then a hook costs no statement more.
    let quotas: Option<u64> = tx.db.scalar(sql, values).await?;
    tx.touch(model, namespace::HOOK, id.to_string());
    if quotas.unwrap_or_default() == 0 {
        return Ok(());
    }
    let took = Duration::from_micros(u64::try_from(run.duration).unwrap_or_default());
    meter::spend_on_hook(tx, model, unit, took).await
}

/// Drops runs that began before `oldest`, and of each unit those beyond the newest. How many.
pub(crate) async fn prune(tx: &mut Tx, model: &ModelUuid, oldest: Option<i64>) -> Result<u64> {
    let mut gone = 0;
    if let Some(oldest) = oldest {
        let sql = "DELETE FROM hook_run WHERE model_uuid = $1 AND started_at < $2";
        gone += tx.db.execute(sql, params![model, oldest]).await?;
    }
    let sql = "DELETE FROM hook_run WHERE model_uuid = $1 AND id IN (
        SELECT id FROM (
            SELECT id, ROW_NUMBER() OVER (PARTITION BY unit ORDER BY id DESC) AS place
            FROM hook_run WHERE model_uuid = $1
        ) AS places WHERE place > $2)";
    gone += tx.db.execute(sql, params![model, RUNS_OF_UNIT]).await?;
    Ok(gone)
}

fn shortened(text: &str, characters: usize) -> String {
    match text.char_indices().nth(characters) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text.to_owned(),
    }
}

//! Bundles that were applied to a model: what each asked for, how far it came, and what the model is compared with
//! since.
//!
//! A row is written before the first step and after each, so whatever ends the process that takes them leaves how far
//! it came. Which rows nobody works on any more is known to the server, which asks its processes; here one apply at a
//! time is all that is held.

use periapt_model::bundle::AppliedBundle;
use periapt_model::refusal::Subject;
use periapt_model::{ModelUuid, Refusal, UserName};
use periapt_wire::rest::{BundleApply, BundleApplyState, BundleChange, BundleQuery, Page};

use crate::changes::namespace;
use crate::db::{Session, columns, json, params, to_json, word};
use crate::error::StoreError;
use crate::tables::{Table, tables};
use crate::{Result, Store, require_alive_model, require_model};

#[cfg(test)]
mod tests;

pub(crate) const TABLES: &[Table] = tables! {
    "bundle_apply";
};

/// Why an apply is over on which nobody works any more.
pub const ABANDONED: &str =
    "the controller stopped before the end; apply the bundle again to go on";

/// The sequence of which they have their numbers.
const NUMBERS: &str = "bundle";
/// How many of a model are remembered.
const KEPT: u64 = 20;
/// On a page without `?limit`, and at most.
const PAGE: u64 = 100;
const LARGEST_PAGE: u64 = 1_000;

/// An apply as its row has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnownApply {
    pub apply: BundleApply,
    /// The process of the controller that takes its steps.
    pub node: u32,
}

/// One that begins.
#[derive(Clone, Debug)]
pub struct NewApply {
    pub name: String,
    pub user: UserName,
    pub node: u32,
    pub changes: Vec<BundleChange>,
    pub applied: AppliedBundle,
}

/// How one ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApplyEnd {
    pub state: BundleApplyState,
    pub message: String,
}

columns! {
    struct ApplyRow {
        id: u64 = "id",
        user: String = "requested_by",
        node: u32 = "node",
        state: BundleApplyState = "state" as word,
        name: String = "name",
        changes: Vec<BundleChange> = "changes" as json,
        taken: u64 = "taken",
        message: String = "message",
        started_at: i64 = "started_at",
        ended_at: Option<i64> = "ended_at",
    }
    const APPLY = "FROM bundle_apply WHERE model_uuid = $1 AND id = $2";
    const NEWEST = "FROM bundle_apply WHERE model_uuid = $1 AND id < $2 ORDER BY id DESC LIMIT $3";
    const RUNNING = "FROM bundle_apply WHERE model_uuid = $1 AND state = 'running' ORDER BY id";
}

columns! {
    struct AppliedRow {
        applied: AppliedBundle = "applied" as json,
    }
    const APPLIED = "FROM bundle_apply WHERE model_uuid = $1 AND id = $2";
}

impl ApplyRow {
    fn known(self) -> KnownApply {
        KnownApply {
            node: self.node,
            apply: BundleApply {
                id: self.id,
                name: self.name,
                user: self.user,
                state: self.state,
                changes: self.changes,
                taken: self.taken,
                message: self.message,
                started_at: self.started_at,
                ended_at: self.ended_at,
            },
        }
    }
}

impl Store {
    /// Writes down that a bundle is applied. Those of `over` were running and nobody works on them any more: they are
    /// interrupted. Refused while another one runs.
    pub async fn begin_bundle(
        &self,
        model: &ModelUuid,
        new: NewApply,
        over: Vec<u64>,
    ) -> Result<BundleApply> {
        let model = model.clone();
        self.write(move |tx| {
            Box::pin(async move {
                require_alive_model(&mut tx.db, &model).await?;
                for row in tx.db.all(RUNNING, params![&model]).await? {
                    if !over.contains(&row.id) {
                        return Err(running(row.id, &row.user));
                    }
                    let sql = "UPDATE bundle_apply SET state = 'interrupted', message = $3, ended_at = $4
                        WHERE model_uuid = $1 AND id = $2";
                    let ended = params![&model, row.id, ABANDONED, tx.now];
                    tx.db.execute(sql, ended).await?;
                    tx.touch(&model, namespace::BUNDLE, row.id.to_string());
                }
                let id = tx.take_numbers(&model, NUMBERS, 1).await? + 1;
                let state = BundleApplyState::Running;
                let sql = "INSERT INTO bundle_apply (model_uuid, id, requested_by, node, state, name, changes,
                    taken, message, applied, started_at) VALUES ($1, $2, $3, $4, $5, $6, $7, 0, '', $8, $9)";
                let row = params![
                    &model,
                    id,
                    &new.user,
                    new.node,
                    state.as_str(),
                    &new.name,
                    to_json(&new.changes)?,
                    to_json(&new.applied)?,
                    tx.now
                ];
                tx.db.execute(sql, row).await?;
                let sql = "DELETE FROM bundle_apply WHERE model_uuid = $1 AND id <= $2";
                let old = id.saturating_sub(KEPT);
                tx.db.execute(sql, params![&model, old]).await?;
                tx.touch(&model, namespace::BUNDLE, id.to_string());
                Ok(BundleApply {
                    id,
                    name: new.name,
                    user: new.user.to_string(),
                    state,
                    changes: new.changes,
                    taken: 0,
                    message: String::new(),
                    started_at: tx.now,
                    ended_at: None,
                })
            })
        })
        .await
    }

    /// Writes down that so many steps were taken; whether it is still the apply that runs.
    pub async fn bundle_came_to(&self, model: &ModelUuid, id: u64, taken: u64) -> Result<bool> {
        let model = model.clone();
        self.write(move |tx| {
            Box::pin(async move {
                let sql = "UPDATE bundle_apply SET taken = $3
                    WHERE model_uuid = $1 AND id = $2 AND state = 'running'";
                let found = tx.db.execute(sql, params![&model, id, taken]).await?;
                if found > 0 {
                    tx.touch(&model, namespace::BUNDLE, id.to_string());
                }
                Ok(found > 0)
            })
        })
        .await
    }

    /// Writes down how it ended. One that ended already stays as it is.
    pub async fn end_bundle(&self, model: &ModelUuid, id: u64, end: ApplyEnd) -> Result<()> {
        let model = model.clone();
        self.write(move |tx| {
            Box::pin(async move {
                let sql = "UPDATE bundle_apply SET state = $3, message = $4, ended_at = $5
                    WHERE model_uuid = $1 AND id = $2 AND state = 'running'";
                let row = params![&model, id, end.state.as_str(), &end.message, tx.now];
                if tx.db.execute(sql, row).await? > 0 {
                    tx.touch(&model, namespace::BUNDLE, id.to_string());
                }
                Ok(())
            })
        })
        .await
    }

    /// One of them.
    pub async fn bundle(&self, model: &ModelUuid, id: u64) -> Result<KnownApply> {
        let mut db = self.snapshot().await?;
        require_model(&mut db, model).await?;
        let found = db.one(APPLY, params![model, id]).await?;
        let found = found.ok_or_else(|| StoreError::not_found(Subject::Bundle, id))?;
        Ok(found.known())
    }

    /// A page of them, newest first.
    pub async fn bundles(
        &self,
        model: &ModelUuid,
        query: &BundleQuery,
    ) -> Result<Page<KnownApply>> {
        let before = match query.after.as_deref().filter(|after| !after.is_empty()) {
            None => i64::MAX,
            Some(after) => after.parse().map_err(|_| {
                StoreError::bad_request(format!("\"{after}\" is not where a page begins"))
            })?,
        };
        let limit = query.limit.unwrap_or(PAGE).clamp(1, LARGEST_PAGE);
        let mut db = self.snapshot().await?;
        require_model(&mut db, model).await?;
        let rows = db.all(NEWEST, params![model, before, limit + 1]).await?;
        let mut items: Vec<KnownApply> = rows.into_iter().map(ApplyRow::known).collect();
        let more = items.len() as u64 > limit;
        items.truncate(usize::try_from(limit).unwrap_or(usize::MAX));
        let last = items.last().filter(|_| more);
        let next = last.map(|last| last.apply.id.to_string());
        Ok(Page { items, next })
    }

    /// Those that run, as far as they were not ended.
    pub async fn running_bundles(&self, model: &ModelUuid) -> Result<Vec<KnownApply>> {
        let rows = self.glance().await?.all(RUNNING, params![model]).await?;
        Ok(rows.into_iter().map(ApplyRow::known).collect())
    }

    /// The newest, with what the model is compared with.
    pub async fn last_bundle(
        &self,
        model: &ModelUuid,
    ) -> Result<Option<(KnownApply, AppliedBundle)>> {
        let mut db = self.snapshot().await?;
        require_model(&mut db, model).await?;
        newest(&mut db, model).await
    }
}

async fn newest(
    db: &mut Session,
    model: &ModelUuid,
) -> Result<Option<(KnownApply, AppliedBundle)>> {
    let Some(row) = db.one(NEWEST, params![model, i64::MAX, 1_u64]).await? else {
        return Ok(None);
    };
    let applied = db.one(APPLIED, params![model, row.id]).await?;
    Ok(applied.map(|applied| (row.known(), applied.applied)))
}

fn running(id: u64, user: &str) -> StoreError {
    StoreError::Refused {
        refusal: Refusal::BundleApplyRunning,
        message: format!("{user} is applying a bundle to the model (number {id})"),
    }
}

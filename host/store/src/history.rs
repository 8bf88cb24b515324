//! The status history: reading it, and keeping it within bounds.

use periapt_model::refusal::Subject;
use periapt_model::{ModelUuid, Tag};
use periapt_wire::rest::{HistoryEntry, Page, PageQuery};

use crate::db::{columns, params};
use crate::error::StoreError;
use crate::page::{Paging, before};
use crate::status::kind;
use crate::usage::prune_traffic;
use crate::{Result, Store, difference, hook};

columns! {
    struct Line -> HistoryEntry {
        id = "id",
        time = "time",
        kind = "kind",
        status = "status",
        message = "message",
    }
    const LINES = "FROM status_history
        WHERE model_uuid = $1 AND kind IN ($2, $3) AND entity = $4 AND id < $5 ORDER BY id DESC LIMIT $6";
}

impl Store {
    /// A page of the statuses that a unit, application, machine or model had, newest first.
    pub async fn history(
        &self,
        model: &ModelUuid,
        entity: &Tag,
        query: &PageQuery,
    ) -> Result<Page<HistoryEntry>> {
        let paging = Paging::of(query.limit)?;
        let before = before(query.after.as_deref())?;
        let (first, second, name) = match entity {
            Tag::Unit(unit) => (kind::WORKLOAD, kind::AGENT, unit.to_string()),
            Tag::Machine(machine) => (kind::INSTANCE, kind::MACHINE, machine.to_string()),
            Tag::Application(application) => (
                kind::APPLICATION,
                kind::APPLICATION,
                application.to_string(),
            ),
            Tag::Model(uuid) => (kind::MODEL, kind::MODEL, uuid.to_string()),
            other => {
                return Err(StoreError::bad_request(format!(
                    "{other} has no status history"
                )));
            }
        };
        let mut db = self.snapshot().await?;
        let exists = match entity {
            Tag::Unit(_) => "SELECT COUNT(*) FROM unit WHERE model_uuid = $1 AND name = $2",
            Tag::Machine(_) => "SELECT COUNT(*) FROM machine WHERE model_uuid = $1 AND id = $2",
            Tag::Application(_) => {
                "SELECT COUNT(*) FROM application WHERE model_uuid = $1 AND name = $2"
            }
            _ => "SELECT COUNT(*) FROM model WHERE uuid = $1 AND uuid = $2",
        };
        if db.count(exists, params![model, &name]).await? == 0 {
            let kind = match entity {
                Tag::Unit(_) => Subject::Unit,
                Tag::Machine(_) => Subject::Machine,
                Tag::Application(_) => Subject::Application,
                _ => Subject::Model,
            };
            return Err(StoreError::not_found(kind, name));
        }
        let params = params![model, first, second, name, before, paging.rows()];
        let lines = db.all(LINES, params).await?;
        Ok(paging.page(lines, |last| last.id.to_string()))
    }

    /// Drops lines older than `max_age_ms`, then the oldest until the rest fits
    /// `max_size_mb`; a bound of 0 does not bind. How many went. Current statuses stay. Runs of
    /// hooks are held to the same age, and to a number for each unit; what settings were before, likewise, to a
    /// number for the model; requests by the minute to the same age.
    pub async fn prune_status_history(
        &self,
        model: &ModelUuid,
        max_age_ms: u64,
        max_size_mb: u64,
    ) -> Result<u64> {
        let model = model.clone();
        self.write(move |tx| {
            Box::pin(async move {
                let mut gone = 0;
                let age = i64::try_from(max_age_ms.saturating_mul(1_000)).unwrap_or(i64::MAX);
                let oldest = (max_age_ms > 0).then(|| tx.now.saturating_sub(age));
                gone += hook::runs::prune(tx, &model, oldest).await?;
                gone += difference::prune(tx, &model, oldest).await?;
                if let Some(oldest) = oldest {
                    gone += prune_traffic(tx, &model, oldest).await?;
                    let sql = "DELETE FROM status_history WHERE model_uuid = $1 AND time < $2";
                    gone += tx.db.execute(sql, params![&model, oldest]).await?;
                }
                let bound = max_size_mb.saturating_mul(1 << 20);
                let sql = "SELECT CAST(COALESCE(SUM(size), 0) AS BIGINT) FROM status_history WHERE model_uuid = $1";
                if max_size_mb > 0 && tx.db.count(sql, params![&model]).await? > bound {
                    // The newest rows whose sizes add up to the bound stay.
                    let sql = "DELETE FROM status_history WHERE model_uuid = $1 AND id <= (
                        SELECT MAX(id) FROM (
                            SELECT id, SUM(size) OVER (ORDER BY id DESC) AS total
                            FROM status_history WHERE model_uuid = $1
                        ) AS sums WHERE total > $2)";
                    gone += tx.db.execute(sql, params![&model, bound]).await?;
                }
                Ok(gone)
            })
        })
        .await
    }
}

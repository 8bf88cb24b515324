//! How long operations are remembered.

use periapt_model::ModelUuid;

use crate::db::{Tx, params};
use crate::{Result, Store};

impl Store {
    /// Drops operations that ended more than `max_age_ms` ago, then the oldest that have ended until what
    /// is kept of all fits `max_size_mb`; a bound of 0 does not bind. How many went. One with a task that
    /// has not ended never does.
    pub async fn prune_operations(
        &self,
        model: &ModelUuid,
        max_age_ms: u64,
        max_size_mb: u64,
    ) -> Result<u64> {
        let model = model.clone();
        self.write(move |tx| {
            Box::pin(async move {
                let mut gone = 0;
                if max_age_ms > 0 {
                    let age = i64::try_from(max_age_ms.saturating_mul(1_000)).unwrap_or(i64::MAX);
                    let oldest = tx.now.saturating_sub(age);
                    let sql = "DELETE FROM operation WHERE model_uuid = $1
                        AND NOT EXISTS (SELECT 1 FROM task WHERE task.model_uuid = operation.model_uuid
                            AND task.operation = operation.id AND (task.ended = 0 OR task.completed_at >= $2))";
                    gone += tx.db.execute(sql, params![&model, oldest]).await?;
                    drop_orphans(tx, &model).await?;
                }
                if max_size_mb > 0 {
                    let bound = max_size_mb.saturating_mul(1 << 20);
                    // The newest whose sizes add up to the bound stay, and those that have yet to end.
                    let sql = "DELETE FROM operation WHERE model_uuid = $1
                        AND NOT EXISTS (SELECT 1 FROM task WHERE task.model_uuid = operation.model_uuid
                            AND task.operation = operation.id AND task.ended = 0)
                        AND id IN (
                            SELECT operation FROM (
                                SELECT operation, SUM(size) OVER (ORDER BY operation DESC) AS total FROM (
                                    SELECT task.operation AS operation,
                                        SUM(200 + LENGTH(parameters) + LENGTH(arguments) + LENGTH(results)
                                            + LENGTH(message) + COALESCE((
                                                SELECT SUM(50 + LENGTH(task_log.message)) FROM task_log
                                                WHERE task_log.model_uuid = task.model_uuid AND task_log.task = task.id
                                            ), 0)) AS size
                                    FROM task WHERE task.model_uuid = $1 GROUP BY task.operation
                                ) AS sizes
                            ) AS sums WHERE total > $2)";
                    gone += tx.db.execute(sql, params![&model, bound]).await?;
                    drop_orphans(tx, &model).await?;
                }
                Ok(gone)
            })
        })
        .await
    }
}

/// Tasks go with their operation, and their lines with them.
async fn drop_orphans(tx: &mut Tx, model: &ModelUuid) -> Result<()> {
    for sql in [
        "DELETE FROM task WHERE model_uuid = $1 AND NOT EXISTS (SELECT 1 FROM operation
            WHERE operation.model_uuid = task.model_uuid AND operation.id = task.operation)",
        "DELETE FROM task_log WHERE model_uuid = $1 AND NOT EXISTS (SELECT 1 FROM task
            WHERE task.model_uuid = task_log.model_uuid AND task.id = task_log.task)",
    ] {
        tx.db.execute(sql, params![model]).await?;
    }
    Ok(())
}

//! How far a model's log was forwarded to a place outside.

use periapt_model::ModelUuid;
use periapt_wire::rest::LogQuery;

use crate::db::params;
use crate::{LogPage, Result, Store, require_model};

impl Store {
    /// Position of the last line that `sink` was sent; none before the first.
    pub async fn log_forwarded(&self, model: &ModelUuid, sink: &str) -> Result<Option<i64>> {
        let sql = "SELECT position FROM log_forward WHERE model_uuid = $1 AND sink = $2";
        let mut db = self.glance().await?;
        Ok(db.scalar(sql, params![model, sink]).await?)
    }

    /// Records that everything up to `position` was sent to `sink`.
    pub async fn set_log_forwarded(
        &self,
        model: &ModelUuid,
        sink: &str,
        position: i64,
    ) -> Result<()> {
        let (model, sink) = (model.clone(), sink.to_owned());
        self.write(move |tx| {
            Box::pin(async move {
                require_model(&mut tx.db, &model).await?;
                let sql = "INSERT INTO log_forward (model_uuid, sink, position) VALUES ($1, $2, $3)
                    ON CONFLICT (model_uuid, sink) DO UPDATE SET position = excluded.position";
                let params = params![&model, sink, position];
                tx.db.execute(sql, params).await?;
                Ok(())
            })
        })
        .await
    }

    /// At most `limit` lines after a position, or else the last `tail` lines of the past.
    pub async fn log_lines(
        &self,
        model: &ModelUuid,
        after: Option<i64>,
        tail: u64,
        limit: u64,
    ) -> Result<LogPage> {
        let query = LogQuery {
            tail: Some(tail),
            limit: Some(limit),
            ..LogQuery::default()
        };
        self.logs(model, &query, after).await
    }
}

//! What is to be removed from back ends outside.
//!
//! A row is there before something is written outside, and goes in the transaction that names it; it comes in the
//! transaction after which nothing names it any more. So whatever crashes in between, what is there and what is
//! named never differ for long.
//!
//! What is named is never removed: who removes takes the row first, by making its time negative, and a commit that
//! finds the row of its content taken, or gone, fails.

use periapt_model::secret::INTERNAL_BACKEND;
use periapt_model::{ModelUuid, Refusal};

use super::Sealed;
use crate::changes::namespace;
use crate::db::{Tx, columns, params, word};
use crate::error::StoreError;
use crate::{Result, Store};

/// How long the commit that names what was written may take, microseconds.
const PATIENCE: i64 = 10 * 60 * 1_000_000;

/// How long one that could not be removed waits, microseconds.
const AGAIN: i64 = 60 * 1_000_000;

/// Something that no secret needs any more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Leftover {
    pub backend: String,
    pub content_id: String,
    pub model: ModelUuid,
}

columns! {
    struct Row -> Leftover {
        backend = "backend",
        content_id = "content_id",
        model = "model_uuid" as word,
    }
    const DUE = "FROM secret_leftover WHERE ABS(due) <= $1 ORDER BY ABS(due), content_id LIMIT 100";
}

/// A commit names the content.
pub(super) async fn named(tx: &mut Tx, content: &Sealed) -> Result<()> {
    if content.backend == INTERNAL_BACKEND {
        return Ok(());
    }
    let sql = "DELETE FROM secret_leftover WHERE backend = $1 AND content_id = $2 AND due >= 0";
    let key = params![&content.backend, &content.content_id];
    match tx.db.execute(sql, key).await? {
        0 => Err(StoreError::Refused {
            refusal: Refusal::TryAgain,
            message: "the values of the secret were not written in time".to_owned(),
        }),
        _ => Ok(()),
    }
}

/// Nothing names the content any more.
pub(super) async fn leave(
    tx: &mut Tx,
    model: &ModelUuid,
    backend: &str,
    content_id: &str,
) -> Result<()> {
    let due = tx.now;
    put(tx, model, backend, content_id, due).await
}

async fn put(
    tx: &mut Tx,
    model: &ModelUuid,
    backend: &str,
    content_id: &str,
    due: i64,
) -> Result<()> {
    if backend == INTERNAL_BACKEND {
        return Ok(());
    }
    // From a back end that was removed by force nothing can be removed.
    let sql = "INSERT INTO secret_leftover (backend, content_id, model_uuid, due)
        SELECT name, $2, $3, CAST($4 AS BIGINT) FROM secret_backend WHERE name = $1
        ON CONFLICT (backend, content_id) DO UPDATE SET due = excluded.due";
    let row = params![backend, content_id, model, due];
    tx.db.execute(sql, row).await?;
    tx.touch_controller(namespace::SECRET_BACKEND, backend);
    Ok(())
}

/// Nothing names any content of the model any more.
pub(super) async fn leave_all(tx: &mut Tx, model: &ModelUuid) -> Result<()> {
    let sql = "INSERT INTO secret_leftover (backend, content_id, model_uuid, due)
        SELECT backend, content_id, model_uuid, CAST($2 AS BIGINT) FROM secret_revision
        WHERE model_uuid = $1 AND backend <> $3 AND backend IN (SELECT name FROM secret_backend)
        ON CONFLICT (backend, content_id) DO UPDATE SET due = excluded.due";
    let values = params![model, tx.now, INTERNAL_BACKEND];
    if tx.db.execute(sql, values).await? > 0 {
        tx.touch_controller(namespace::SECRET_BACKEND, "");
    }
    Ok(())
}

/// Somebody removes it, and tries again after a while if it is still there then.
async fn put_off(tx: &mut Tx, leftover: &Leftover, wait: i64) -> Result<()> {
    let sql = "UPDATE secret_leftover SET due = $3 WHERE backend = $1 AND content_id = $2";
    let due = -tx.now.saturating_add(wait);
    let values = params![&leftover.backend, &leftover.content_id, due];
    tx.db.execute(sql, values).await?;
    Ok(())
}

impl Store {
    /// Says that a content is about to be written outside: unless a commit names it soon, it is removed.
    pub async fn expect_secret_content(
        &self,
        model: &ModelUuid,
        backend: &str,
        content_id: &str,
    ) -> Result<()> {
        let (model, backend, content_id) =
            (model.clone(), backend.to_owned(), content_id.to_owned());
        self.write_aside(move |tx| {
            Box::pin(async move {
                let due = tx.now.saturating_add(PATIENCE);
                put(tx, &model, &backend, &content_id, due).await
            })
        })
        .await
    }

    /// What is to be removed from back ends now, so many at a time; no commit names it any more.
    pub async fn take_secret_leftovers(&self) -> Result<Vec<Leftover>> {
        let now = self.now();
        if self
            .glance()
            .await?
            .all(DUE, params![now])
            .await?
            .is_empty()
        {
            return Ok(Vec::new());
        }
        self.write_aside(move |tx| {
            Box::pin(async move {
                let due = tx.db.all(DUE, params![tx.now]).await?;
                for leftover in &due {
                    put_off(tx, leftover, 0).await?;
                }
                Ok(due)
            })
        })
        .await
    }

    /// When the next is to be removed; none while there is nothing.
    pub async fn next_secret_leftover(&self) -> Result<Option<i64>> {
        let sql = "SELECT MIN(ABS(due)) FROM secret_leftover";
        let found: Option<Option<i64>> = self.glance().await?.scalar(sql, vec![]).await?;
        Ok(found.flatten())
    }

    /// It was removed.
    pub async fn secret_leftover_gone(&self, leftover: &Leftover) -> Result<()> {
        let leftover = leftover.clone();
        self.write_aside(move |tx| {
            Box::pin(async move {
                let sql = "DELETE FROM secret_leftover WHERE backend = $1 AND content_id = $2";
                let key = params![&leftover.backend, &leftover.content_id];
                tx.db.execute(sql, key).await?;
                Ok(())
            })
        })
        .await
    }

    /// It could not be removed, and is tried again later.
    pub async fn secret_leftover_stays(&self, leftover: &Leftover) -> Result<()> {
        let leftover = leftover.clone();
        self.write_aside(move |tx| Box::pin(async move { put_off(tx, &leftover, AGAIN).await }))
            .await
    }
}

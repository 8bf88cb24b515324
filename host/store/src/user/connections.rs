//! When people last used a model.
//!
//! One row for each model and user. What is asked of a model names it with every request, so the row is written at
//! most once a minute, and nobody who watches hears of it.

use periapt_model::{ModelUuid, UserName};

use super::tokens::noted;
use crate::db::{Tx, params};
use crate::{Result, Store};

impl Store {
    /// Takes note that a user used a model, at most once a minute. Nothing is kept of a model or a user who is gone.
    pub async fn note_model_use(&self, user: &UserName, model: &ModelUuid) -> Result<()> {
        let (user, model) = (user.clone(), model.clone());
        self.write_aside(move |tx| {
            Box::pin(async move {
                let sql = "SELECT COUNT(*) FROM model JOIN account ON account.name = $2 WHERE model.uuid = $1";
                if tx.db.count(sql, params![&model, &user]).await? == 0 {
                    return Ok(());
                }
                let sql =
                    "INSERT INTO model_connection (model_uuid, account, connected_at) VALUES ($1, $2, $3)
                    ON CONFLICT (model_uuid, account) DO UPDATE SET connected_at = excluded.connected_at
                    WHERE model_connection.connected_at <= $4";
                let before = tx.now.saturating_sub(noted());
                let params = params![&model, &user, tx.now, before];
                tx.db.execute(sql, params).await?;
                Ok(())
            })
        })
        .await
    }
}

/// Deletes what is known of a user who goes: the next of that name never used anything.
pub(super) async fn forget(tx: &mut Tx, user: &UserName) -> Result<()> {
    let sql = "DELETE FROM model_connection WHERE account = $1";
    tx.db.execute(sql, params![user]).await?;
    Ok(())
}

//! What one process of the controller asks another, until that one takes it.
//!
//! The store is what only the controller's processes write, so a question that stands here comes from one of
//! them. The other process is shown the secret by which it finds the question, and takes it: once, and soon,
//! since whoever asked does not wait for long. What is asked is never said anywhere else, so a secret is good for
//! nothing but the question that it was made for. Answers do not come here: they may be long, and hold
//! credentials of charms. A row here is no change that a person asked for, so the record of what they asked is not
//! written with it.

use std::time::Duration;

use crate::db::params;
use crate::user::tokens::{digest, random_secret};
use crate::{Result, Store};

#[cfg(test)]
mod tests;

/// A question that was not taken by then is void.
pub const TAKEN_WITHIN: Duration = Duration::from_secs(10);

impl Store {
    /// Leaves a question for another node. The secret by which that one takes it is not to be had again.
    pub async fn leave_question(&self, node: u32, question: &str) -> Result<String> {
        let secret = random_secret();
        let (key, question) = (digest(&secret), question.to_owned());
        self.write_aside(move |tx| {
            Box::pin(async move {
                let now = tx.lease_now().await?;
                let sql = "DELETE FROM node_question WHERE asked_at <= $1";
                tx.db.execute(sql, params![void_since(now)]).await?;
                let sql = "INSERT INTO node_question (digest, node, question, asked_at)
                    VALUES ($1, $2, $3, $4)";
                let params = params![key, node, question, now];
                tx.db.execute(sql, params).await?;
                Ok(())
            })
        })
        .await?;
        Ok(secret)
    }

    /// What the holder of a secret asks of a node. Nothing, if it was taken before, is too old, is for another node,
    /// or was never asked.
    pub async fn take_question(&self, node: u32, secret: &str) -> Result<Option<String>> {
        let key = digest(secret);
        // A stranger who guesses costs a look and no write.
        let sql = "SELECT asked_at FROM node_question WHERE digest = $1 AND node = $2";
        let mut db = self.glance().await?;
        let asked: Option<i64> = db.scalar(sql, params![&key, node]).await?;
        drop(db);
        if asked.is_none() {
            return Ok(None);
        }
        self.write_aside(move |tx| {
            Box::pin(async move {
                let now = tx.lease_now().await?;
                let sql = "DELETE FROM node_question
                    WHERE digest = $1 AND node = $2 AND asked_at > $3 RETURNING question";
                let params = params![key, node, void_since(now)];
                Ok(tx.db.scalar(sql, params).await?)
            })
        })
        .await
    }
}

/// What was asked by then is void at `now`.
fn void_since(now: i64) -> i64 {
    let bound = i64::try_from(TAKEN_WITHIN.as_micros()).unwrap_or(i64::MAX);
    now.saturating_sub(bound)
}

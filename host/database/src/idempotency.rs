//! Requests that were carried out, so that one sent again is answered and not done again.
//!
//! The mark of a request is written in the transaction of its first change, and its answer in that of
//! its last, as far as that write gives it. A mark without an answer says that a change stands and that
//! nobody knows any more what was said of it.

use std::time::Duration;

use bytes::Bytes;

use crate::error::Error;
use crate::tx::Tx;
use crate::{OpenDatabase, params};

/// How long a request is remembered.
pub const REMEMBERED: Duration = Duration::from_secs(24 * 3600);

/// Who sent which request under which key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequestMark {
    /// Name of an account.
    pub account: String,
    /// As the client chose it.
    pub key: String,
    /// Digest of everything that makes the request what it is.
    pub request: String,
}

/// An answer as it was given.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KeptAnswer {
    /// HTTP status; 0 of one that is not known.
    pub status: u16,
    pub content_type: String,
    /// Empty when the answer had none.
    pub etag: String,
    pub body: Bytes,
}

/// What is known of a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Remembered {
    /// Nothing: the request may be carried out.
    Nothing,
    /// The key belongs to another request.
    Other,
    /// The request was carried out and answered.
    Answered(KeptAnswer),
    /// The request has made its change, at this time (microseconds UTC); its answer is not known.
    Unanswered { at: i64 },
}

impl RequestMark {
    /// Part of the transaction of the request's first change.
    pub(crate) async fn insert(&self, tx: &mut Tx) -> Result<(), Error> {
        let sql = "DELETE FROM idempotency WHERE created_at < $1";
        tx.db.execute(sql, params![oldest(tx.now)]).await?;
        let sql = "INSERT INTO idempotency (account, key, request, status, content_type, etag, body, created_at)
            VALUES ($1, $2, $3, 0, '', '', $4, $5) ON CONFLICT (account, key) DO NOTHING";
        let values = params![
            &self.account,
            &self.key,
            &self.request,
            Vec::<u8>::new(),
            tx.now
        ];
        if tx.db.execute(sql, values).await? == 0 {
            return Err(Error::KeyTaken);
        }
        Ok(())
    }

    /// Says what was answered.
    pub(crate) async fn keep(&self, tx: &mut Tx, answer: KeptAnswer) -> Result<(), Error> {
        let sql = "UPDATE idempotency SET status = $3, content_type = $4, etag = $5, body = $6
            WHERE account = $1 AND key = $2";
        let values = params![
            &self.account,
            &self.key,
            u32::from(answer.status),
            answer.content_type,
            answer.etag,
            answer.body.to_vec()
        ];
        tx.db.execute(sql, values).await.map(|_| ())
    }
}

impl OpenDatabase {
    /// What is known of the request's key.
    pub async fn remembered(&self, mark: &RequestMark) -> Result<Remembered, Error> {
        let sql = "SELECT request, status, content_type, etag, body, created_at FROM idempotency
            WHERE account = $1 AND key = $2 AND created_at >= $3";
        let values = params![&mark.account, &mark.key, oldest(self.now())];
        let Some(row) = self.glance().await?.fetch_optional(sql, values).await? else {
            return Ok(Remembered::Nothing);
        };
        if row.str(0)? != mark.request {
            return Ok(Remembered::Other);
        }
        Ok(match u16::try_from(row.int(1)?).unwrap_or(0) {
            0 => Remembered::Unanswered { at: row.int(5)? },
            status => Remembered::Answered(KeptAnswer {
                status,
                content_type: row.text(2)?,
                etag: row.text(3)?,
                body: row.bytes(4)?.into(),
            }),
        })
    }
}

fn oldest(now: i64) -> i64 {
    now - i64::try_from(REMEMBERED.as_micros()).unwrap_or(i64::MAX)
}

//! Requests that were carried out, so that one sent again is answered and not done again.
//!
//! The mark of a request is written in the transaction of its first change, and its answer in that of
//! its last, as far as that write gives it. A mark without an answer says that a change stands and that
//! nobody knows any more what was said of it.

use std::time::Duration;

use bytes::Bytes;
use periapt_model::UserName;

use crate::db::params;
use crate::error::StoreError;
use crate::tx::Tx;
use crate::{Result, Store};

/// How long a request is remembered.
pub const REMEMBERED: Duration = Duration::from_secs(24 * 3600);

/// Who sent which request under which key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequestMark {
    pub account: UserName,
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
    pub(crate) async fn insert(&self, tx: &mut Tx) -> Result<()> {
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
            return Err(StoreError::Invalid {
                code: "idempotency-key-taken",
                message: "a request with this Idempotency-Key was carried out just now".to_owned(),
            });
        }
        Ok(())
    }

    /// Says what was answered.
    pub(crate) async fn keep(&self, tx: &mut Tx, answer: KeptAnswer) -> Result<()> {
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

impl Store {
    /// What is known of the request's key.
    pub async fn remembered(&self, mark: &RequestMark) -> Result<Remembered> {
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

    /// Keeps the answer to a request that has made its change.
    pub async fn keep_answer(&self, mark: &RequestMark, answer: KeptAnswer) -> Result<()> {
        let mark = mark.clone();
        self.write_aside(move |tx| Box::pin(async move { mark.keep(tx, answer).await }))
            .await
    }
}

fn oldest(now: i64) -> i64 {
    now - i64::try_from(REMEMBERED.as_micros()).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Guard;
    use crate::testing::{application, fixtures};

    fn mark(request: &str) -> RequestMark {
        RequestMark {
            account: "admin".parse().unwrap(),
            key: "k1".to_owned(),
            request: request.to_owned(),
        }
    }

    fn answer() -> KeptAnswer {
        KeptAnswer {
            status: 200,
            content_type: "application/json".to_owned(),
            etag: "\"3\"".to_owned(),
            body: Bytes::from_static(b"{}"),
        }
    }

    #[tokio::test]
    async fn a_request_is_carried_out_once_and_remembered_for_a_day() {
        for mut fixture in fixtures().await {
            let model = fixture.site(1).await;
            let site = application("site");
            assert_eq!(
                fixture.store.remembered(&mark("a")).await.unwrap(),
                Remembered::Nothing
            );
            let add = |store: Store, request: &'static str| {
                let (model, site) = (model.clone(), site.clone());
                async move {
                    Guard::default()
                        .once(mark(request), true)
                        .around(store.add_units(&model, &site, 1))
                        .await
                }
            };
            add(fixture.store.clone(), "a").await.unwrap();
            let error = add(fixture.store.clone(), "a").await.unwrap_err();
            assert_eq!(error.code(), "idempotency-key-taken");
            let units = fixture.store.application(&model, &site).await.unwrap();
            assert_eq!(units.units.len(), 2, "the second time nothing was done");

            // A crash here: the change stands, the answer was never given.
            fixture.reopen().await;
            let store = fixture.store.clone();
            assert!(matches!(
                store.remembered(&mark("a")).await.unwrap(),
                Remembered::Unanswered { .. }
            ));
            assert_eq!(
                store.remembered(&mark("b")).await.unwrap(),
                Remembered::Other
            );
            store.keep_answer(&mark("a"), answer()).await.unwrap();
            assert_eq!(
                store.remembered(&mark("a")).await.unwrap(),
                Remembered::Answered(answer())
            );

            fixture.clock.advance(REMEMBERED + Duration::from_secs(1));
            assert_eq!(
                store.remembered(&mark("a")).await.unwrap(),
                Remembered::Nothing
            );
            add(store.clone(), "b").await.unwrap();
            drop(store);
            fixture.end().await;
        }
    }

    #[tokio::test]
    async fn a_request_that_fails_may_be_sent_again() {
        for fixture in fixtures().await {
            let model = fixture.site(1).await;
            let guard = || Guard::default().once(mark("a"), true);
            let nobody = application("nobody");
            let refused = guard();
            let result = refused
                .around(fixture.store.add_units(&model, &nobody, 1))
                .await;
            assert!(result.is_err() && !refused.written());
            assert_eq!(
                fixture.store.remembered(&mark("a")).await.unwrap(),
                Remembered::Nothing
            );
            let site = application("site");
            let made = guard();
            made.around(fixture.store.add_units(&model, &site, 1))
                .await
                .unwrap();
            assert!(made.written());
            fixture.end().await;
        }
    }
}

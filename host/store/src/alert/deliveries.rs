//! Messages on their way to receivers.

use periapt_model::alert::{Message, retry_after};
use periapt_wire::rest::{AlertDelivery, AlertDeliveryQuery, Page};

use super::{FAILED, SENT, page};
use crate::changes::namespace;
use crate::db::{Session, columns, json, params, to_json};
use crate::full_status::rfc3339;
use crate::{Result, Store};

/// Messages that are sent at once.
const AT_ONCE: u64 = 8;

columns! {
    /// A message that is due.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct DueDelivery {
        id: i64 = "id",
        receiver: String = "receiver",
        message: Message = "message" as json,
        /// Tries before this one.
        tried: u64 = "tried",
    }
    const DUE = "FROM alert_delivery WHERE state = 'waiting' AND next_at <= $1 ORDER BY next_at, id LIMIT $2";
}

columns! {
    struct Row {
        id: i64 = "id",
        rule: String = "rule",
        receiver: String = "receiver",
        message: Message = "message" as json,
        state: String = "state",
        tried: u64 = "tried",
        answer: String = "answer",
        created_at: i64 = "created_at",
        ended_at: Option<i64> = "ended_at",
        next_at: Option<i64> = "next_at",
    }
    const PAGE = "FROM alert_delivery WHERE id < $1 AND ($2 = '' OR receiver = $2) ORDER BY id DESC LIMIT $3";
    const ONE = "FROM alert_delivery WHERE id = $1";
}

impl From<Row> for AlertDelivery {
    fn from(row: Row) -> Self {
        Self {
            id: row.id,
            rule: row.rule,
            receiver: row.receiver,
            firing: row.message.firing,
            resolved: row.message.resolved,
            state: row.state,
            tried: row.tried,
            answer: row.answer,
            created_at: rfc3339(row.created_at),
            ended_at: row.ended_at.map(rfc3339),
            next_at: row.next_at.map(rfc3339),
        }
    }
}

async fn one(db: &mut Session, id: i64) -> Result<Option<AlertDelivery>> {
    Ok(db.one(ONE, params![id]).await?.map(AlertDelivery::from))
}

impl Store {
    /// The messages that are due now, some of them. Each counts as tried from here on, so that a process that dies
    /// while it sends one does not send it again at once.
    pub async fn take_alert_deliveries(&self) -> Result<Vec<DueDelivery>> {
        let now = self.now();
        let waiting = self.glance().await?.all(DUE, params![now, 1_u64]).await?;
        if waiting.is_empty() {
            return Ok(waiting);
        }
        self.write_aside(move |tx| {
            Box::pin(async move {
                let due = tx.db.all(DUE, params![tx.now, AT_ONCE]).await?;
                for one in &due {
                    let tried = u32::try_from(one.tried)
                        .unwrap_or(u32::MAX)
                        .saturating_add(1);
                    // After the last try it stays due until what became of it is written down.
                    let wait = retry_after(tried).unwrap_or(60 * periapt_model::alert::SECOND);
                    let sql = "UPDATE alert_delivery SET tried = $2, next_at = $3 WHERE id = $1";
                    let values = params![one.id, tried, tx.now.saturating_add(wait)];
                    tx.db.execute(sql, values).await?;
                }
                Ok(due)
            })
        })
        .await
    }

    /// Writes down what became of a try: it was taken, or why not. One that was tried often enough has failed.
    pub async fn alert_delivery_tried(
        &self,
        id: i64,
        answer: std::result::Result<String, String>,
    ) -> Result<()> {
        self.write_aside(move |tx| {
            Box::pin(async move {
                let sql = "SELECT tried FROM alert_delivery WHERE id = $1";
                let Some(tried) = tx.db.scalar::<u32>(sql, params![id]).await? else {
                    return Ok(());
                };
                let (state, text) = match answer {
                    Ok(text) => (Some(SENT), text),
                    Err(text) if retry_after(tried).is_none() => (Some(FAILED), text),
                    Err(text) => (None, text),
                };
                let text: String = text.chars().take(500).collect();
                match state {
                    None => {
                        let sql = "UPDATE alert_delivery SET answer = $2 WHERE id = $1 AND state = 'waiting'";
                        tx.db.execute(sql, params![id, &text]).await?;
                    }
                    Some(state) => {
                        let sql = "UPDATE alert_delivery
                            SET answer = $2, state = $3, ended_at = $4, next_at = NULL
                            WHERE id = $1 AND state = 'waiting'";
                        tx.db.execute(sql, params![id, &text, state, tx.now]).await?;
                    }
                }
                Ok(())
            })
        })
        .await
    }

    /// When the next message is due; none while nothing waits.
    pub async fn next_alert_delivery(&self) -> Result<Option<i64>> {
        let sql = "SELECT MIN(next_at) FROM alert_delivery WHERE state = 'waiting'";
        let next: Option<Option<i64>> = self.glance().await?.scalar(sql, vec![]).await?;
        Ok(next.flatten())
    }

    /// Records a message that a person asked for, which was sent already.
    pub async fn alert_receiver_tested(
        &self,
        receiver: &str,
        message: &Message,
        answer: std::result::Result<String, String>,
    ) -> Result<AlertDelivery> {
        let (receiver, message) = (receiver.to_owned(), message.clone());
        self.write(move |tx| {
            Box::pin(async move {
                let id = tx.next_id();
                let (state, text) = match answer {
                    Ok(text) => (SENT, text),
                    Err(text) => (FAILED, text),
                };
                let text: String = text.chars().take(500).collect();
                let sql = "INSERT INTO alert_delivery
                    (id, rule, receiver, message, state, tried, answer, created_at, ended_at)
                    VALUES ($1, 'test', $2, $3, $4, 1, $5, $6, $6)";
                let row = params![id, &receiver, to_json(&message)?, state, &text, tx.now];
                tx.db.execute(sql, row).await?;
                tx.touch_controller(namespace::ALERT_RULE, receiver.as_str());
                let found = one(&mut tx.db, id).await?;
                found.ok_or_else(|| crate::StoreError::internal("what was written is gone"))
            })
        })
        .await
    }

    /// A page of what was sent, newest first.
    pub async fn alert_deliveries(
        &self,
        query: &AlertDeliveryQuery,
    ) -> Result<Page<AlertDelivery>> {
        let (limit, before) = page(query.limit, query.after.as_deref())?;
        let receiver = query.receiver.as_deref().unwrap_or_default();
        let values = params![before, receiver, limit + 1];
        let rows = self.glance().await?.all(PAGE, values).await?;
        let more = rows.len() as u64 > limit;
        let items: Vec<AlertDelivery> = rows
            .into_iter()
            .take(usize::try_from(limit).unwrap_or(usize::MAX))
            .map(AlertDelivery::from)
            .collect();
        let next = items
            .last()
            .filter(|_| more)
            .map(|last| last.id.to_string());
        Ok(Page { items, next })
    }
}

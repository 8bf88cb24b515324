//! Messages on their way to receivers.

use periapt_model::alert::{Message, SECOND, TRIES, retry_after};
use periapt_wire::agent::alerts::WaitingReceiver;
use periapt_wire::rest::{AlertDelivery, AlertDeliveryQuery, Page};

use super::telling::prune;
use super::{FAILED, SENT};
use crate::changes::namespace;
use crate::db::{Session, columns, json, params, to_json};
use crate::full_status::rfc3339;
use crate::page::{Paging, before};
use crate::{Result, Store};

/// Messages that a receiver is sent at once.
const AT_ONCE: u64 = 8;

/// How long it may take until what became of a try is written down. A process that dies while it sends a message
/// leaves it due after that, so it is longer than any try.
const UNTIL_KNOWN: i64 = 60 * SECOND;

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
    // A rule that is silent tells nothing, not even what it began to tell before.
    const DUE = "FROM alert_delivery WHERE state = 'waiting' AND receiver = $1 AND next_at <= $2
        AND NOT EXISTS (SELECT 1 FROM alert_rule
            WHERE alert_rule.name = alert_delivery.rule AND alert_rule.silenced_until > $2)
        ORDER BY next_at, id LIMIT $3";
}

columns! {
    struct Waiting -> WaitingReceiver {
        receiver = "alert_delivery.receiver",
        next = "MIN(CASE WHEN alert_rule.silenced_until > alert_delivery.next_at
            THEN alert_rule.silenced_until ELSE alert_delivery.next_at END)",
    }
    const WAIT = "FROM alert_delivery LEFT JOIN alert_rule ON alert_rule.name = alert_delivery.rule
        WHERE alert_delivery.state = 'waiting' GROUP BY alert_delivery.receiver";
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
    /// The messages for a receiver that are due now, some of them. Each counts as tried from here on, so that a process
    /// that dies while it sends one does not send it again at once, nor more often than any other.
    pub async fn take_alert_deliveries(&self, receiver: &str) -> Result<Vec<DueDelivery>> {
        let now = self.now();
        let first = params![receiver, now, 1_u64];
        let waiting = self.glance().await?.all(DUE, first).await?;
        if waiting.is_empty() {
            return Ok(waiting);
        }
        let receiver = receiver.to_owned();
        self.write_aside(move |tx| {
            Box::pin(async move {
                let values = params![&receiver, tx.now, AT_ONCE];
                let due = tx.db.all(DUE, values).await?;
                let (spent, due): (Vec<_>, Vec<_>) = due
                    .into_iter()
                    .partition(|one| one.tried >= u64::from(TRIES));
                for one in &spent {
                    let sql = "UPDATE alert_delivery
                        SET state = 'failed', next_at = NULL, ended_at = $2,
                            answer = 'what became of the last try is not known' WHERE id = $1";
                    tx.db.execute(sql, params![one.id, tx.now]).await?;
                }
                for one in &due {
                    let sql =
                        "UPDATE alert_delivery SET tried = tried + 1, next_at = $2 WHERE id = $1";
                    let known = tx.now.saturating_add(UNTIL_KNOWN);
                    tx.db.execute(sql, params![one.id, known]).await?;
                }
                Ok(due)
            })
        })
        .await
    }

    /// Writes down what became of a try: it was taken, or why not. One that was tried often enough has failed; the
    /// next try of another follows after a while from now, however long this one took. One that was given up while it
    /// was sent stays so unless it was taken.
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
                let (taken, text) = match answer {
                    Ok(text) => (true, text),
                    Err(text) => (false, text),
                };
                let text: String = text.chars().take(500).collect();
                let (sql, values) = match (taken, retry_after(tried)) {
                    (true, _) => {
                        let sql = "UPDATE alert_delivery
                            SET answer = $2, state = 'sent', ended_at = $3, next_at = NULL
                            WHERE id = $1 AND state <> 'sent'";
                        (sql, params![id, &text, tx.now])
                    }
                    (false, Some(wait)) => {
                        let sql = "UPDATE alert_delivery SET answer = $2, next_at = $3
                            WHERE id = $1 AND state = 'waiting'";
                        (sql, params![id, &text, tx.now.saturating_add(wait)])
                    }
                    (false, None) => {
                        let sql = "UPDATE alert_delivery
                            SET answer = $2, state = 'failed', ended_at = $3, next_at = NULL
                            WHERE id = $1 AND state = 'waiting'";
                        (sql, params![id, &text, tx.now])
                    }
                };
                tx.db.execute(sql, values).await?;
                Ok(())
            })
        })
        .await
    }

    /// The receivers for which messages wait, each with when the first of them is due.
    pub async fn waiting_alert_receivers(&self) -> Result<Vec<WaitingReceiver>> {
        Ok(self.glance().await?.all(WAIT, vec![]).await?)
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
                // While no rule finds anything nobody else forgets the old ones.
                prune(tx).await?;
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
        let paging = Paging::of(query.limit)?;
        let before = before(query.after.as_deref())?;
        let receiver = query.receiver.as_deref().unwrap_or_default();
        let values = params![before, receiver, paging.rows()];
        let rows = self.glance().await?.all(PAGE, values).await?;
        let items: Vec<AlertDelivery> = rows.into_iter().map(AlertDelivery::from).collect();
        Ok(paging.page(items, |last| last.id.to_string()))
    }
}

//! What is told of a rule's alerts: when the next message is due, and what stands in it.

use periapt_model::alert::{Item, Message, State, message_due};

use super::rules::Stored;
use super::{FIRING, REMEMBERED, RESOLVED, WAITING};
use crate::Result;
use crate::changes::namespace;
use crate::db::{Session, Tx, columns, params, to_json};
use crate::full_status::rfc3339;

/// Alerts that a message names; the rest is counted.
const NAMED: usize = 20;

columns! {
    /// What nobody was told yet.
    struct Untold {
        id: i64 = "id",
        model_name: String = "model_name",
        subject: String = "subject",
        phase: String = "phase",
        since: i64 = "since",
        detail: String = "detail",
    }
    const NEWS = "FROM alert WHERE rule = $1 AND ((phase = 'firing' AND told = 0 AND acknowledged_by = '')
        OR (phase = 'resolved' AND told = 1)) ORDER BY phase, id";
}

/// When the next message of a rule is due; none while there is nothing to tell.
pub(super) async fn message_at(db: &mut Session, rule: &Stored) -> Result<Option<i64>> {
    let sql = "SELECT MIN(CASE WHEN phase = 'firing' THEN fired_at ELSE resolved_at END) FROM alert
        WHERE rule = $1 AND ((phase = 'firing' AND told = 0 AND acknowledged_by = '')
            OR (phase = 'resolved' AND told = 1))";
    let first: Option<Option<i64>> = db.scalar(sql, params![&rule.name]).await?;
    let first = first.flatten();
    Ok(first.map(|first| message_due(first, rule.last_message_at, rule.silenced_until)))
}

/// Queues one message of a rule for each of its receivers.
pub(super) async fn tell(tx: &mut Tx, rule: &Stored, controller: &str) -> Result<()> {
    let news = tx.db.all(NEWS, params![&rule.name]).await?;
    let count = |phase: &str| news.iter().filter(|one| one.phase == phase).count();
    let item = |one: &Untold| Item {
        id: one.id,
        state: match one.phase == FIRING {
            true => State::Firing,
            false => State::Resolved,
        },
        model: one.model_name.clone(),
        subject: one.subject.clone(),
        detail: one.detail.clone(),
        since: rfc3339(one.since),
    };
    // Some of both, if there are.
    let firing = news.iter().filter(|one| one.phase == FIRING).take(NAMED);
    let resolved = news.iter().filter(|one| one.phase == RESOLVED).take(NAMED);
    let message = Message {
        rule: rule.name.clone(),
        summary: rule.rule().in_words(),
        controller: controller.to_owned(),
        firing: count(FIRING) as u64,
        resolved: count(RESOLVED) as u64,
        items: firing.chain(resolved).map(item).collect(),
    };
    let text = to_json(&message)?;
    for receiver in &rule.receivers {
        let id = tx.next_id();
        let sql =
            "INSERT INTO alert_delivery (id, rule, receiver, message, state, next_at, created_at)
            VALUES ($1, $2, $3, $4, $5, $6, $6)";
        let row = params![id, &rule.name, receiver, &text, WAITING, tx.now];
        tx.db.execute(sql, row).await?;
    }
    for sql in [
        "UPDATE alert SET told = 2 WHERE rule = $1 AND phase = 'resolved' AND told = 1",
        "UPDATE alert SET told = 1 WHERE rule = $1 AND phase = 'firing' AND told = 0 AND acknowledged_by = ''",
    ] {
        tx.db.execute(sql, params![&rule.name]).await?;
    }
    let sql = "UPDATE alert_rule SET last_message_at = $2 WHERE name = $1";
    tx.db.execute(sql, params![&rule.name, tx.now]).await?;
    if !rule.receivers.is_empty() {
        tx.touch_controller(namespace::ALERT_RULE, "");
    }
    Ok(())
}

/// Forgets what is older than the newest that are remembered.
pub(super) async fn prune(tx: &mut Tx) -> Result<()> {
    for sql in [
        "DELETE FROM alert WHERE phase = 'resolved' AND told <> 1 AND id NOT IN (
            SELECT id FROM (SELECT id FROM alert WHERE phase = 'resolved' ORDER BY id DESC LIMIT $1) AS kept)",
        "DELETE FROM alert_delivery WHERE state <> 'waiting' AND id NOT IN (
            SELECT id FROM (SELECT id FROM alert_delivery WHERE state <> 'waiting'
                ORDER BY id DESC LIMIT $1) AS kept)",
    ] {
        tx.db.execute(sql, params![REMEMBERED]).await?;
    }
    Ok(())
}

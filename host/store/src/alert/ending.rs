//! What ends without a word to anybody, and the messages that are given up with it.
//!
//! With a rule go its alerts and whatever waits to be told of them: nobody may hear of something for which nothing
//! looks any more. It is the transaction of the removal that does so, or a message could leave between the two.
//!
//! After a restore all alerts begin anew. Neither the messages that waited when the backup was made nor what the alerts
//! say of who was told can be relied on: the earlier controller went on, may have sent each of them, and may have told
//! that an alert is over which the backup has as firing. So what waited is given up, and what was open ends. Whatever
//! holds in the restored models is found by the first evaluation, as an alert of its own, and announced once. A person
//! who had taken one on is told again, which is the lesser evil: nobody else would be told of what fires now.

use periapt_model::ModelUuid;

use crate::changes::namespace;
use crate::db::{Session, Tx, columns, params};
use crate::{Result, audit};

columns! {
    struct Orphan {
        id: i64 = "id",
        model: String = "of_model",
    }
    const ORPHANS = "FROM alert WHERE phase = 'firing' AND rule NOT IN (SELECT name FROM alert_rule)";
}

/// Ends the alerts of rules that are gone, and gives up their messages.
pub(super) async fn end_orphans(tx: &mut Tx) -> Result<()> {
    let gone = tx.db.all(ORPHANS, vec![]).await?;
    let sql = "DELETE FROM alert
        WHERE phase = 'pending' AND rule NOT IN (SELECT name FROM alert_rule)";
    tx.db.execute(sql, vec![]).await?;
    // A rule that is added under the same name would tell that they resolved.
    let sql = "UPDATE alert SET told = 2
        WHERE phase = 'resolved' AND told = 1 AND rule NOT IN (SELECT name FROM alert_rule)";
    tx.db.execute(sql, vec![]).await?;
    let sql = "UPDATE alert SET phase = 'resolved', resolved_at = $1, told = 2
        WHERE phase = 'firing' AND rule NOT IN (SELECT name FROM alert_rule)";
    tx.db.execute(sql, params![tx.now]).await?;
    let sql = "UPDATE alert_delivery SET state = 'failed', next_at = NULL, ended_at = $1,
        answer = 'the rule was removed'
        WHERE state = 'waiting' AND rule NOT IN (SELECT name FROM alert_rule)";
    tx.db.execute(sql, params![tx.now]).await?;
    for gone in gone {
        tx.touch(&gone.model, namespace::ALERT, gone.id.to_string());
    }
    Ok(())
}

/// Removes the rules about a model that goes.
pub(crate) async fn model_gone(tx: &mut Tx, model: &ModelUuid) -> Result<()> {
    let sql = "SELECT name FROM alert_rule WHERE model_uuid = $1";
    let rules: Vec<String> = tx.db.scalars(sql, params![model]).await?;
    if rules.is_empty() {
        return Ok(());
    }
    let sql = "DELETE FROM alert_rule WHERE model_uuid = $1";
    tx.db.execute(sql, params![model]).await?;
    for rule in rules {
        tx.touch_controller(namespace::ALERT_RULE, rule);
    }
    end_orphans(tx).await
}

/// Has the alerts of a restored database begin anew; how many messages were given up. The audit log says so.
pub(crate) async fn begin_anew(db: &mut Session, now: i64) -> Result<u64> {
    let sql = "UPDATE alert_delivery SET state = 'failed', next_at = NULL, ended_at = $1,
        answer = 'given up: the controller was restored from a backup' WHERE state = 'waiting'";
    let given_up = db.execute(sql, params![now]).await?;
    let sql = "DELETE FROM alert WHERE phase = 'pending'";
    db.execute(sql, vec![]).await?;
    let sql = "UPDATE alert SET told = 2 WHERE phase = 'resolved' AND told = 1";
    db.execute(sql, vec![]).await?;
    let sql = "UPDATE alert SET phase = 'resolved', resolved_at = $1, told = 2
        WHERE phase = 'firing'";
    db.execute(sql, params![now]).await?;
    // No message of this life came before, and the clock of another machine may have been ahead.
    let sql = "UPDATE alert_rule SET last_message_at = NULL";
    db.execute(sql, vec![]).await?;
    if given_up > 0 {
        audit::gave_up_messages(db, now, given_up).await?;
    }
    Ok(given_up)
}

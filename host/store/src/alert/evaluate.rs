//! One evaluation: what is observed is held against what is known, and what follows is written down with the messages
//! that tell of it. While nothing follows nothing is written.

use std::collections::BTreeMap;

use periapt_model::alert::{Item, Known, Message, Move, Phase, State, Step, decide, message_due};
use periapt_wire::agent::alerts::Evaluated;

use super::facts::Facts;
use super::rules::{self, Stored};
use super::{FIRING, PENDING, REMEMBERED, RESOLVED, WAITING};
use crate::changes::namespace;
use crate::db::{Cells, Session, Tx, columns, params, to_json};
use crate::full_status::rfc3339;
use crate::{DatabaseError, Result, Store};

/// Alerts that a message names; the rest is counted.
const NAMED: usize = 20;

columns! {
    /// An alert that has not resolved.
    struct Open {
        id: i64 = "id",
        rule: String = "rule",
        model: String = "of_model",
        subject: String = "subject",
        phase: Phase = "phase" as phase,
        since: i64 = "since",
        quiet_since: Option<i64> = "quiet_since",
    }
    const OPEN_ONES = "FROM alert WHERE phase IN ('pending', 'firing')";
}

fn phase(cells: &mut Cells<'_>) -> std::result::Result<Phase, DatabaseError> {
    match cells.str()? {
        PENDING => Ok(Phase::Pending),
        FIRING => Ok(Phase::Firing),
        _ => Err(cells.unfit("is no phase of an open alert")),
    }
}

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

/// What is to be done now.
struct Plan {
    /// By rule, with the ids of the alerts that they move.
    steps: Vec<(Stored, Vec<(Step, Option<i64>)>)>,
    models: BTreeMap<String, String>,
    /// Whether alerts are left of rules that are gone.
    orphans: bool,
    /// Whether a message is due.
    due: bool,
    evaluated: Evaluated,
}

impl Plan {
    fn is_quiet(&self) -> bool {
        let steps = self.steps.iter().all(|(_, steps)| steps.is_empty());
        steps && !self.orphans && !self.due
    }
}

fn sooner(one: Option<i64>, other: Option<i64>) -> Option<i64> {
    [one, other].into_iter().flatten().min()
}

async fn plan(db: &mut Session, disk: Option<u64>, now: i64) -> Result<Plan> {
    use periapt_model::alert::Condition;
    let rules = rules::all(db).await?;
    let open = db.all(OPEN_ONES, vec![]).await?;
    let is_about = |condition| {
        rules
            .iter()
            .any(|rule: &Stored| rule.condition == condition)
    };
    let mut evaluated = Evaluated {
        rules: rules.len() as u64,
        facts: rules.iter().any(|rule| rule.condition.is_of_model()),
        hooks: is_about(Condition::HookP99),
        disk: is_about(Condition::DiskFull),
        firing: open.iter().filter(|one| one.phase == Phase::Firing).count() as u64,
        next: None,
    };
    let orphans = open
        .iter()
        .any(|one| rules.iter().all(|rule| rule.name != one.rule));
    let facts = match rules.is_empty() {
        true => Facts::default(),
        false => Facts::read(db, &rules, disk, now).await?,
    };
    evaluated.next = facts.next;
    let (mut all, mut due) = (Vec::new(), false);
    for rule in rules {
        let mut steps = Vec::new();
        if let Some(observed) = facts.of(&rule) {
            let own: Vec<&Open> = open.iter().filter(|one| one.rule == rule.name).collect();
            let known: Vec<Known> = own.iter().map(|one| known(one)).collect();
            let decision = decide(&rule.rule(), &known, &observed, now);
            evaluated.next = sooner(evaluated.next, decision.next);
            let ids: BTreeMap<(&str, &str), i64> = own
                .iter()
                .map(|one| ((one.model.as_str(), one.subject.as_str()), one.id))
                .collect();
            for step in decision.steps {
                let id = ids
                    .get(&(step.model.as_str(), step.subject.as_str()))
                    .copied();
                steps.push((step, id));
            }
        }
        let at = message_at(db, &rule).await?;
        due |= at.is_some_and(|at| at <= now);
        evaluated.next = sooner(evaluated.next, at);
        all.push((rule, steps));
    }
    Ok(Plan {
        steps: all,
        models: facts.models,
        orphans,
        due,
        evaluated,
    })
}

fn known(one: &Open) -> Known {
    Known {
        model: one.model.clone(),
        subject: one.subject.clone(),
        phase: one.phase,
        since: one.since,
        quiet_since: one.quiet_since,
    }
}

/// When the next message of a rule is due; none while there is nothing to tell.
async fn message_at(db: &mut Session, rule: &Stored) -> Result<Option<i64>> {
    let sql = "SELECT MIN(CASE WHEN phase = 'firing' THEN fired_at ELSE resolved_at END) FROM alert
        WHERE rule = $1 AND ((phase = 'firing' AND told = 0 AND acknowledged_by = '')
            OR (phase = 'resolved' AND told = 1))";
    let first: Option<Option<i64>> = db.scalar(sql, params![&rule.name]).await?;
    let first = first.flatten();
    Ok(first.map(|first| message_due(first, rule.last_message_at, rule.silenced_until)))
}

impl Store {
    /// Decides what fires and resolves now, writes it down and queues the messages that are due.
    pub async fn evaluate_alerts(&self, disk: Option<u64>, controller: &str) -> Result<Evaluated> {
        let now = self.now();
        let plan = plan(&mut self.snapshot().await?, disk, now).await?;
        if plan.is_quiet() {
            return Ok(plan.evaluated);
        }
        let controller = controller.to_owned();
        self.write_aside(move |tx| Box::pin(async move { carry_out(tx, disk, &controller).await }))
            .await
    }
}

async fn carry_out(tx: &mut Tx, disk: Option<u64>, controller: &str) -> Result<Evaluated> {
    let now = tx.now;
    let Plan {
        steps,
        models,
        orphans,
        mut evaluated,
        ..
    } = plan(&mut tx.db, disk, now).await?;
    if orphans {
        end_orphans(tx).await?;
    }
    for (rule, steps) in steps {
        for (step, id) in steps {
            match step.what {
                Move::Fire => evaluated.firing += 1,
                Move::Resolve => evaluated.firing = evaluated.firing.saturating_sub(1),
                Move::Await | Move::Hush | Move::Return | Move::Forget => {}
            }
            write(tx, &rule, step, id, &models).await?;
        }
        let Some(at) = message_at(&mut tx.db, &rule).await? else {
            continue;
        };
        if at > now {
            evaluated.next = sooner(evaluated.next, Some(at));
            continue;
        }
        tell(tx, &rule, controller).await?;
    }
    // Those that were due are sent.
    evaluated.next = evaluated.next.filter(|next| *next > now);
    prune(tx).await?;
    Ok(evaluated)
}

/// Writes down what becomes of one alert.
async fn write(
    tx: &mut Tx,
    rule: &Stored,
    step: Step,
    id: Option<i64>,
    models: &BTreeMap<String, String>,
) -> Result<()> {
    let now = tx.now;
    let id = match (step.what, id) {
        (Move::Await | Move::Fire, None) => {
            let id = tx.next_id();
            let fires = step.what == Move::Fire;
            let name = models.get(&step.model).map(String::as_str);
            let sql = "INSERT INTO alert
                (id, rule, of_model, model_name, subject, phase, since, fired_at, detail)
                VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)";
            let row = params![
                id,
                &rule.name,
                &step.model,
                name.unwrap_or_default(),
                &step.subject,
                if fires { FIRING } else { PENDING },
                step.since,
                fires.then_some(now),
                &step.detail
            ];
            tx.db.execute(sql, row).await?;
            // Nobody is shown what is pending.
            if fires {
                tx.touch(&step.model, namespace::ALERT, id.to_string());
            }
            return Ok(());
        }
        (_, Some(id)) => id,
        (_, None) => return Ok(()),
    };
    let shows = match step.what {
        Move::Fire => {
            let sql =
                "UPDATE alert SET phase = 'firing', fired_at = $2, quiet_since = NULL, detail = $3
                WHERE id = $1";
            tx.db.execute(sql, params![id, now, &step.detail]).await?;
            true
        }
        Move::Resolve => {
            let sql = "UPDATE alert SET phase = 'resolved', resolved_at = $2 WHERE id = $1";
            tx.db.execute(sql, params![id, now]).await?;
            true
        }
        Move::Forget => {
            let sql = "DELETE FROM alert WHERE id = $1";
            tx.db.execute(sql, params![id]).await?;
            false
        }
        Move::Hush | Move::Return => {
            let since = (step.what == Move::Hush).then_some(now);
            let sql = "UPDATE alert SET quiet_since = $2 WHERE id = $1";
            tx.db.execute(sql, params![id, since]).await?;
            false
        }
        Move::Await => false,
    };
    if shows {
        tx.touch(&step.model, namespace::ALERT, id.to_string());
    }
    Ok(())
}

/// Queues one message of a rule for each of its receivers.
async fn tell(tx: &mut Tx, rule: &Stored, controller: &str) -> Result<()> {
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

/// Ends the alerts of rules that are gone, without a word to anybody.
pub(super) async fn end_orphans(tx: &mut Tx) -> Result<()> {
    let sql =
        "DELETE FROM alert WHERE phase = 'pending' AND rule NOT IN (SELECT name FROM alert_rule)";
    tx.db.execute(sql, vec![]).await?;
    for gone in tx.db.all(ORPHANS, vec![]).await? {
        let sql = "UPDATE alert SET phase = 'resolved', resolved_at = $2, told = 2 WHERE id = $1";
        tx.db.execute(sql, params![gone.id, tx.now]).await?;
        tx.touch(&gone.model, namespace::ALERT, gone.id.to_string());
    }
    Ok(())
}

columns! {
    struct Orphan {
        id: i64 = "id",
        model: String = "of_model",
    }
    const ORPHANS = "FROM alert WHERE phase = 'firing' AND rule NOT IN (SELECT name FROM alert_rule)";
}

/// Forgets what is older than the newest that are remembered.
async fn prune(tx: &mut Tx) -> Result<()> {
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

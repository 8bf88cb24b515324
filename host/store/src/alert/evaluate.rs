//! One evaluation: what is observed is held against what is known, and what follows is written down with the messages
//! that tell of it (`telling`). While nothing follows nothing is written.

use std::collections::BTreeMap;

use periapt_model::alert::{Condition, Known, Move, Phase, Step, decide};
use periapt_wire::agent::alerts::Evaluated;

use super::facts::Facts;
use super::rules::{self, Stored};
use super::telling::{message_at, prune, tell};
use super::{FIRING, PENDING};
use crate::changes::namespace;
use crate::db::{Cells, PART, Param, Session, Tx, columns, names, params, part_params};
use crate::{DatabaseError, Result, Store};

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

/// Steps of a rule, each with the id of the alert that it moves.
type Steps = Vec<(Step, Option<i64>)>;

/// What is to be done now.
struct Plan {
    steps: Vec<(Stored, Steps)>,
    models: BTreeMap<String, String>,
    /// Whether a message is due.
    due: bool,
    evaluated: Evaluated,
}

impl Plan {
    fn is_quiet(&self) -> bool {
        let steps = self.steps.iter().all(|(_, steps)| steps.is_empty());
        steps && !self.due
    }
}

fn sooner(one: Option<i64>, other: Option<i64>) -> Option<i64> {
    [one, other].into_iter().flatten().min()
}

async fn plan(db: &mut Session, disk: Option<u64>, now: i64) -> Result<Plan> {
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
        mut evaluated,
        ..
    } = plan(&mut tx.db, disk, now).await?;
    for (rule, steps) in steps {
        for (step, _) in &steps {
            match step.what {
                Move::Fire => evaluated.firing += 1,
                Move::Resolve => evaluated.firing = evaluated.firing.saturating_sub(1),
                Move::Await | Move::Hush | Move::Return | Move::Forget => {}
            }
        }
        write(tx, &rule, steps, &models).await?;
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

/// Writes down what becomes of the alerts of a rule, which may be thousands at once.
async fn write(
    tx: &mut Tx,
    rule: &Stored,
    steps: Vec<(Step, Option<i64>)>,
    models: &BTreeMap<String, String>,
) -> Result<()> {
    let now = tx.now;
    let mut rows = Vec::new();
    let (mut hushed, mut returned) = (Vec::new(), Vec::new());
    let (mut resolved, mut forgotten) = (Vec::new(), Vec::new());
    for (step, known) in steps {
        let fires = match (step.what, known) {
            (Move::Fire, _) => true,
            (Move::Await, None) => false,
            (Move::Hush, Some(id)) => {
                hushed.push(id);
                continue;
            }
            (Move::Return, Some(id)) => {
                returned.push(id);
                continue;
            }
            (Move::Resolve, Some(id)) => {
                resolved.push(id);
                tx.touch(&step.model, namespace::ALERT, id.to_string());
                continue;
            }
            (Move::Forget, Some(id)) => {
                forgotten.push(id);
                continue;
            }
            (Move::Await, Some(_)) | (_, None) => continue,
        };
        let id = known.unwrap_or_else(|| tx.next_id());
        let name = models.get(&step.model).map(String::as_str);
        rows.push(params![
            id,
            &rule.name,
            &step.model,
            name.unwrap_or_default(),
            &step.subject,
            if fires { FIRING } else { PENDING },
            step.since,
            fires.then_some(now),
            &step.detail
        ]);
        // Nobody is shown what is pending.
        if fires {
            tx.touch(&step.model, namespace::ALERT, id.to_string());
        }
    }
    let head = "INSERT INTO alert
        (id, rule, of_model, model_name, subject, phase, since, fired_at, detail)";
    let tail = "ON CONFLICT (id) DO UPDATE SET phase = excluded.phase,
        fired_at = excluded.fired_at, quiet_since = NULL, detail = excluded.detail";
    tx.db.insert_many(head, tail, rows).await?;
    for (ids, since) in [(hushed, Some(now)), (returned, None)] {
        let sql = names!(
            "UPDATE alert SET quiet_since = $18 WHERE rule = $1 AND id IN",
            ""
        );
        each_part(tx, rule, sql, &ids, params![since]).await?;
    }
    let sql = names!(
        "UPDATE alert SET phase = 'resolved', resolved_at = $18 WHERE rule = $1 AND id IN",
        ""
    );
    each_part(tx, rule, sql, &resolved, params![now]).await?;
    let sql = names!("DELETE FROM alert WHERE rule = $1 AND id IN", "");
    each_part(tx, rule, sql, &forgotten, params![]).await
}

/// Carries a statement out for alerts of a rule, part by part.
async fn each_part(
    tx: &mut Tx,
    rule: &Stored,
    sql: &'static str,
    ids: &[i64],
    last: Vec<Param>,
) -> Result<()> {
    for part in ids.chunks(PART) {
        let mut values = part_params(&rule.name, part);
        values.extend(last.iter().cloned());
        tx.db.execute(sql, values).await?;
    }
    Ok(())
}

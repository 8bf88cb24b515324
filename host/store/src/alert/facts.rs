//! What there is to observe, as far as the rules ask for it.

use std::collections::BTreeMap;

use periapt_model::alert::{Condition, Observed, P99_WINDOW, p99};

use super::rules::Stored;
use crate::Result;
use crate::db::{Session, columns, params};

columns! {
    struct Failed {
        model: String = "model_uuid",
        unit: String = "entity",
        since: i64 = "since",
        message: String = "message",
    }
    const IN_ERROR = "FROM status WHERE kind IN ('workload', 'juju-unit') AND status = 'error'";
}

columns! {
    struct Leaving {
        model: String = "model_uuid",
        kind: String = "kind",
        subject: String = "subject",
        due_at: i64 = "due_at",
        last_error: String = "last_error",
    }
    const GOING = "FROM cleanup WHERE kind IN ('force-destroy-unit', 'force-remove-unit',
        'force-dead-machine', 'force-remove-machine', 'force-relation', 'force-storage')";
}

columns! {
    struct Took {
        started_at: i64 = "started_at",
        duration: i64 = "duration",
    }
    // The newest, so that one that is busy is not read as a whole.
    const TOOK = "FROM hook_run WHERE model_uuid = $1 ORDER BY id DESC LIMIT 1000";
}

/// What is observed at one moment.
#[derive(Default)]
pub(super) struct Facts {
    errors: Vec<Observed>,
    removals: Vec<Observed>,
    hooks: Vec<Observed>,
    disk: Vec<Observed>,
    /// When a measure is another although nothing happens.
    pub next: Option<i64>,
    /// Names of models, by UUID.
    pub models: BTreeMap<String, String>,
}

impl Facts {
    pub(super) async fn read(
        db: &mut Session,
        rules: &[Stored],
        disk: Option<u64>,
        now: i64,
    ) -> Result<Self> {
        let asks = |condition| rules.iter().any(|rule| rule.condition == condition);
        let mut facts = Facts {
            models: models(db).await?,
            ..Facts::default()
        };
        if asks(Condition::UnitError) {
            facts.errors = errors(db).await?;
        }
        if asks(Condition::RemovalOverdue) {
            facts.removals = removals(db).await?;
        }
        if asks(Condition::HookP99) {
            facts.read_hooks(db, rules, now).await?;
        }
        if let Some(percent) = disk.filter(|_| asks(Condition::DiskFull)) {
            facts.disk.push(Observed {
                model: String::new(),
                subject: "disk".to_owned(),
                since: now,
                value: i64::try_from(percent).unwrap_or(i64::MAX),
                detail: String::new(),
            });
        }
        Ok(facts)
    }

    /// What a rule looks at; none where it is not known, as a disk that could not be measured.
    pub(super) fn of(&self, rule: &Stored) -> Option<Vec<Observed>> {
        let all = match rule.condition {
            Condition::UnitError => &self.errors,
            Condition::RemovalOverdue => &self.removals,
            Condition::HookP99 => &self.hooks,
            Condition::DiskFull if self.disk.is_empty() => return None,
            Condition::DiskFull => return Some(self.disk.clone()),
        };
        let covered = all.iter().filter(|seen| rule.covers(&seen.model));
        Some(covered.cloned().collect())
    }

    async fn read_hooks(&mut self, db: &mut Session, rules: &[Stored], now: i64) -> Result<()> {
        let asking: Vec<&Stored> = rules
            .iter()
            .filter(|rule| rule.condition == Condition::HookP99)
            .collect();
        let models = self.models.keys();
        let watched: Vec<String> = models
            .filter(|model| asking.iter().any(|rule| rule.covers(model)))
            .cloned()
            .collect();
        for model in watched {
            let runs = db.all(TOOK, params![&model]).await?;
            let recent: Vec<Took> = runs
                .into_iter()
                .filter(|run| run.started_at > now.saturating_sub(P99_WINDOW))
                .collect();
            let oldest = recent.iter().map(|run| run.started_at).min();
            let times = recent.iter().map(|run| run.duration).collect();
            let Some(value) = p99(times) else {
                continue;
            };
            let leaves = oldest.map(|at| at.saturating_add(P99_WINDOW));
            self.next = [self.next, leaves].into_iter().flatten().min();
            self.hooks.push(Observed {
                model,
                subject: "hooks".to_owned(),
                since: now,
                value,
                detail: String::new(),
            });
        }
        Ok(())
    }
}

columns! {
    struct Named {
        uuid: String = "uuid",
        name: String = "name",
    }
    const MODELS = "FROM model";
}

async fn models(db: &mut Session) -> Result<BTreeMap<String, String>> {
    let rows = db.all(MODELS, vec![]).await?.into_iter();
    Ok(rows.map(|row| (row.uuid, row.name)).collect())
}

async fn errors(db: &mut Session) -> Result<Vec<Observed>> {
    let rows = db.all(IN_ERROR, vec![]).await?.into_iter();
    Ok(earliest(rows.map(|row| Observed {
        model: row.model,
        subject: format!("unit/{}", row.unit),
        since: row.since,
        value: 0,
        detail: row.message,
    })))
}

async fn removals(db: &mut Session) -> Result<Vec<Observed>> {
    let rows = db.all(GOING, vec![]).await?.into_iter();
    Ok(earliest(rows.map(|row| {
        let what = match row.kind.as_str() {
            "force-destroy-unit" | "force-remove-unit" => "unit",
            "force-relation" => "relation",
            "force-storage" => "storage",
            _ => "machine",
        };
        Observed {
            model: row.model,
            subject: format!("{what}/{}", row.subject),
            since: row.due_at,
            value: 0,
            detail: match row.last_error.is_empty() {
                true => "its removal has not ended".to_owned(),
                false => format!("its removal has not ended: {}", row.last_error),
            },
        }
    })))
}

/// Of several about the same subject the one that began first.
fn earliest(all: impl Iterator<Item = Observed>) -> Vec<Observed> {
    let mut found: BTreeMap<(String, String), Observed> = BTreeMap::new();
    for one in all {
        let key = (one.model.clone(), one.subject.clone());
        match found.get(&key) {
            Some(known) if known.since <= one.since => {}
            _ => {
                found.insert(key, one);
            }
        }
    }
    found.into_values().collect()
}

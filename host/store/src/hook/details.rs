//! All that is known of one run of a hook, read when somebody looks at it: what it logged, how long others of
//! its kind take, and what had been changed since it went well last. A run itself writes nothing for it.

use periapt_model::hook::effect::{listed, percentile};
use periapt_model::{ModelUuid, Tag};
use periapt_wire::rest::{HookDetails, HookLine, HookTypical, TimelineKind};

use crate::db::params;
use crate::full_status::rfc3339;
use crate::timeline::{Wanted, entries};
use crate::{Result, Store, log};

/// Runs of which the usual duration is taken, the newest.
const TYPICAL: u64 = 1_000;
/// Lines shown with a run.
const LINES: u64 = 500;
/// Changes shown with a run.
const CHANGES: u64 = 50;
/// What an agent says of a hook right after its end belongs to it, microseconds.
const AFTER: i64 = 5_000;

/// Until when what its unit logs is a run's, which began then, ran for `duration` and waited for `waited`. How much of
/// that was for a place to go on nobody has noted, so all of it counts here, but for what the next run of the unit logs.
fn until(started_at: i64, duration: i64, waited: i64, next: Option<i64>) -> i64 {
    let least = started_at.saturating_add(duration).saturating_add(AFTER);
    let most = least.saturating_add(waited);
    least.max(next.map_or(most, |next| most.min(next.saturating_sub(1))))
}

impl Store {
    /// One run with all of it, but for the chain of its causes, which depends on who asks.
    pub async fn hook_details(&self, model: &ModelUuid, id: i64) -> Result<HookDetails> {
        let run = self.hook_run(model, id).await?;
        let mut db = self.snapshot().await?;
        let sql = "SELECT duration FROM hook_run
            WHERE model_uuid = $1 AND application = $2 AND hook = $3 AND result = 'ok'
            ORDER BY id DESC LIMIT $4";
        let values = params![model, &run.application, &run.hook, TYPICAL];
        let durations: Vec<i64> = db.scalars(sql, values).await?;
        let runs = durations.len() as u64;
        let typical = percentile(durations.clone(), 0.5).zip(percentile(durations, 0.99));
        let sql = "SELECT MAX(id) FROM hook_run
            WHERE model_uuid = $1 AND unit = $2 AND id < $3 AND hook = $4 AND result = 'ok'";
        let values = params![model, &run.unit, id, &run.hook];
        let last_good: Option<Option<i64>> = db.scalar(sql, values).await?;
        let last_good = last_good.flatten();
        let sql = "SELECT started_at FROM hook_run WHERE id = $1 AND model_uuid = $2";
        let since: Option<i64> = match last_good {
            Some(good) => db.scalar(sql, params![good, model]).await?,
            None => None,
        };
        let changed = Wanted {
            kinds: vec![TimelineKind::Config, TimelineKind::Revision],
            from: since.unwrap_or(i64::MIN),
            to: run.started_at,
            application: Some(run.application.clone()),
            before: id,
            limit: CHANGES,
        };
        let changed = entries(&mut db, model, &changed).await?;
        let sql = "SELECT started_at FROM hook_run
            WHERE model_uuid = $1 AND unit = $2 AND id > $3 ORDER BY id LIMIT 1";
        let next: Option<i64> = db.scalar(sql, params![model, &run.unit, id]).await?;
        let until = until(run.started_at, run.duration, run.waited, next);
        let time = (run.started_at, until);
        let unit = Tag::Unit(run.unit.clone());
        let mut lines = log::between(&mut db, model, &unit, time, LINES + 1).await?;
        let more_lines = lines.len() as u64 > LINES;
        lines.truncate(usize::try_from(LINES).unwrap_or(usize::MAX));
        let lines = lines.into_iter().map(|line| HookLine {
            time: rfc3339(line.time),
            level: line.level,
            module: line.module,
            message: line.message,
        });
        Ok(HookDetails {
            effects: listed(&run.effects),
            typical: typical.map(|(p50, p99)| HookTypical { runs, p50, p99 }),
            last_good,
            changed_since: changed.into_iter().map(|entry| entry.shown).collect(),
            lines: lines.collect(),
            more_lines,
            why: Vec::new(),
            run,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_run_logs_after_a_wait_to_go_on_is_shown_with_it_and_what_the_next_logs_is_not() {
        let (began, ran, waited) = (1_000_000, 40_000, 2_000_000);
        assert_eq!(until(began, ran, 0, None), 1_040_000 + AFTER);
        assert_eq!(until(began, ran, waited, None), 3_040_000 + AFTER);
        assert_eq!(until(began, ran, waited, Some(2_500_000)), 2_499_999);
        // One that began right then takes nothing away.
        let next = Some(1_041_000);
        assert_eq!(until(began, ran, waited, next), 1_040_000 + AFTER);
    }
}

//! Incidents as shown: with the last line of their log and what was changed before.

use periapt_model::incident::{self, About, Incident};
use periapt_model::{ModelUuid, Tag, UnitName};
use periapt_wire::agent::log_sink::LogRecord;
use periapt_wire::rest::{IncidentInfo, IncidentLine, TimelineKind};

use super::troubles::LastRuns;
use super::{Silenced, info};
use crate::db::Session;
use crate::full_status::rfc3339;
use crate::timeline::{Entry, Wanted, entries};
use crate::{Result, log};

/// Changes that are looked at, the newest.
const CHANGES: u64 = 500;

/// The part of an agent that says that a hook failed, which the incident says already.
const UNITER: &str = ".uniter";

/// Incidents with everything that is read for all of them at once.
pub(super) async fn all(
    db: &mut Session,
    model: &ModelUuid,
    incidents: Vec<Incident>,
    runs: &LastRuns,
    silenced: &[Silenced],
    audit: bool,
) -> Result<Vec<IncidentInfo>> {
    if incidents.is_empty() {
        return Ok(Vec::new());
    }
    let lines = log::newest(db, model).await?;
    let changes = changes(db, model, &incidents, audit).await?;
    let shown = incidents.into_iter().map(|incident| {
        let before = incident::before(changes.iter().collect::<Vec<&Entry>>(), &incident);
        let silence = silenced.iter().find(|one| one.incident == incident.id);
        let run = incident.units.iter().filter_map(|unit| runs.get(unit));
        IncidentInfo {
            retriable: incident.is_failed_hook(),
            run: run.max().copied(),
            last_line: last_line(&lines, &incident.units),
            changed_before: before.iter().map(|entry| entry.shown.clone()).collect(),
            silenced: silence.map(|one| info(&one.silence)),
            application: match &incident.about {
                About::Application(name) => Some(name.clone()),
                About::Machine(_) => None,
            },
            machine: match &incident.about {
                About::Machine(id) => Some(id.clone()),
                About::Application(_) => None,
            },
            id: incident.id,
            status: incident.status,
            hook: incident.hook,
            reason: incident.reason,
            units: incident.units,
            since: rfc3339(incident.since),
            attempts: incident.attempts,
            next_retry: incident.next_retry.map(rfc3339),
            waiting_for: incident.waiting_for,
        }
    });
    Ok(shown.collect())
}

/// What was changed around the time when the incidents began, newest first.
async fn changes(
    db: &mut Session,
    model: &ModelUuid,
    incidents: &[Incident],
    audit: bool,
) -> Result<Vec<Entry>> {
    let begun = || incidents.iter().map(|incident| incident.since);
    let mut kinds = vec![TimelineKind::Config, TimelineKind::Revision];
    if audit {
        kinds.push(TimelineKind::Audit);
    }
    let wanted = Wanted {
        kinds,
        from: begun()
            .min()
            .unwrap_or(i64::MIN)
            .saturating_sub(incident::BEFORE),
        to: begun().max().unwrap_or(i64::MAX),
        application: None,
        before: i64::MAX,
        limit: CHANGES,
    };
    let mut changes = entries(db, model, &wanted).await?;
    // What was refused changed nothing.
    changes.retain(|entry| entry.shown.result == "ok");
    Ok(changes)
}

/// The newest line of one of the units; `lines` are newest first. What its charm said comes before what
/// the agent says of it.
fn last_line(lines: &[LogRecord], units: &[UnitName]) -> Option<IncidentLine> {
    let of = |record: &LogRecord| match &record.entity {
        Tag::Unit(unit) => units.contains(unit).then(|| unit.clone()),
        _ => None,
    };
    let own = || lines.iter().filter_map(|line| Some((of(line)?, line)));
    let said = own().find(|(_, line)| !line.module.ends_with(UNITER));
    let (unit, line) = said.or_else(|| own().next())?;
    Some(IncidentLine {
        time: rfc3339(line.time),
        unit,
        level: line.level.clone(),
        message: line.message.clone(),
    })
}

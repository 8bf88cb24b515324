//! Whatever needs a person, from the views of units, applications and machines.

use std::collections::{BTreeSet, HashMap};

use periapt_model::incident::{About, Incident, Trouble};
use periapt_model::status::{Agent, Machine, Status, Workload};
use periapt_model::{ApplicationName, ModelUuid, UnitName};
use periapt_wire::rest::{ApplicationInfo, MachineInfo, UnitInfo};
use serde_json::Value;

use crate::db::{Session, Which, columns, params};
use crate::status::{self, kind};
use crate::{Presence, Result, views};

/// Units whose runs are looked at; of those beyond, the status alone says since when.
const LOOKED_AT: usize = 256;

/// States of machines that do not pass by themselves.
const BROKEN: [&str; 3] = ["provisioning error", "error", "down"];

/// The last run of each unit that failed in a hook.
pub(super) type LastRuns = HashMap<UnitName, i64>;

columns! {
    struct Failing {
        first: Option<i64> = "MIN(started_at)",
        last: Option<i64> = "MAX(id)",
        attempts: u64 = "COUNT(*)",
    }
    // Since anything went well in the unit: one that failed runs nothing else.
    const FAILING = "FROM hook_run
        WHERE model_uuid = $1 AND unit = $2 AND result = 'failed' AND id > (
            SELECT COALESCE(MAX(id), 0) FROM hook_run
            WHERE model_uuid = $1 AND unit = $2 AND result = 'ok')";
}

/// What needs a person now.
pub(super) async fn read(
    db: &mut Session,
    model: &ModelUuid,
    presence: Presence<'_>,
) -> Result<(Vec<Trouble>, LastRuns)> {
    let units = views::unit::load(db, model, Which::All, presence).await?;
    let mut troubles: Vec<Trouble> = units.iter().filter_map(of_unit).collect();
    let explained: BTreeSet<ApplicationName> = troubles
        .iter()
        .filter_map(|trouble| Some(trouble.unit.as_ref()?.application()))
        .collect();
    let mut runs = LastRuns::new();
    let failed = troubles.iter_mut().filter(|one| one.hook.is_some());
    for trouble in failed.take(LOOKED_AT) {
        let Some(unit) = &trouble.unit else { continue };
        let found = db.one(FAILING, params![model, unit]).await?;
        if let Some(Failing {
            first: Some(first),
            last: Some(last),
            attempts,
        }) = found
        {
            trouble.since = first;
            trouble.attempts = attempts;
            runs.insert(unit.clone(), last);
        }
    }
    let applications = views::application::load(db, model, Which::All).await?;
    let applications = applications
        .iter()
        .filter(|application| !explained.contains(&application.name));
    troubles.extend(applications.filter_map(of_application));
    let machines = views::machine::load(db, model, Which::All, presence).await?;
    for (of, mut trouble) in machines.iter().filter_map(of_machine) {
        let About::Machine(id) = &trouble.about else {
            continue;
        };
        let status: Option<Status<Machine>> = status::find(db, model, of, id.as_str()).await?;
        if let Some(status) = status {
            trouble.since = status.since;
        }
        troubles.push(trouble);
    }
    Ok((troubles, runs))
}

fn of_unit(unit: &UnitInfo) -> Option<Trouble> {
    let workload = &unit.workload;
    let data = |key: &str| workload.data.get(key);
    let text = |key: &str| data(key).and_then(Value::as_str).map(str::to_owned);
    let trouble = |status: &str, reason: &str, since: i64| Trouble {
        about: About::Application(unit.application.clone()),
        unit: Some(unit.name.clone()),
        status: status.to_owned(),
        hook: None,
        reason: reason.to_owned(),
        since,
        attempts: 0,
        next_retry: None,
        waiting_for: None,
    };
    match (workload.status, unit.agent.status) {
        (Workload::Error, _) => {
            let reason = text("reason").unwrap_or_else(|| workload.message.clone());
            Some(Trouble {
                hook: text("hook"),
                attempts: 1,
                next_retry: data("next-retry").and_then(Value::as_i64),
                waiting_for: text("waiting-for"),
                ..trouble("error", &reason, workload.since)
            })
        }
        (_, Agent::Lost | Agent::Failed) => {
            let agent = &unit.agent;
            Some(trouble(agent.status.as_str(), &agent.message, agent.since))
        }
        (Workload::Blocked, _) => Some(trouble("blocked", &workload.message, workload.since)),
        _ => None,
    }
}

/// An application by itself: what none of its units explains.
fn of_application(application: &ApplicationInfo) -> Option<Trouble> {
    let status = &application.status;
    if !matches!(status.status, Workload::Error | Workload::Blocked) {
        return None;
    }
    Some(Trouble {
        about: About::Application(application.name.clone()),
        unit: None,
        status: status.status.to_string(),
        hook: None,
        reason: status.message.clone(),
        since: status.since,
        attempts: 0,
        next_retry: None,
        waiting_for: None,
    })
}

/// What is wrong with a machine, and whose status says so: its instance's or its agent's.
fn of_machine(machine: &MachineInfo) -> Option<(&'static str, Trouble)> {
    let sides = [
        (
            kind::INSTANCE,
            &machine.instance_status,
            &machine.instance_message,
        ),
        (kind::MACHINE, &machine.agent_status, &machine.agent_message),
    ];
    let mut sides = sides.into_iter();
    let broken = sides.find(|(_, status, _)| BROKEN.contains(&status.as_str()));
    let (of, status, message) = broken?;
    let trouble = Trouble {
        about: About::Machine(machine.id.clone()),
        unit: None,
        status: status.clone(),
        hook: None,
        reason: message.clone(),
        since: machine.created_at,
        attempts: 0,
        next_retry: None,
        waiting_for: None,
    };
    Some((of, trouble))
}

/// When one of an incident's units was well last: a hook of it went well, or it showed another status.
pub(super) async fn recovered(
    db: &mut Session,
    model: &ModelUuid,
    incident: &Incident,
) -> Result<Option<i64>> {
    let mut last = None;
    for unit in incident.units.iter().take(LOOKED_AT) {
        let well: Option<Option<i64>> = match incident.is_failed_hook() {
            true => {
                let sql = "SELECT MAX(started_at + duration) FROM hook_run
                    WHERE model_uuid = $1 AND unit = $2 AND result = 'ok'";
                db.scalar(sql, params![model, unit]).await?
            }
            false => {
                let sql = "SELECT MAX(time) FROM status_history
                    WHERE model_uuid = $1 AND kind = $2 AND entity = $3 AND status <> $4";
                let values = params![model, kind::WORKLOAD, unit, &incident.status];
                db.scalar(sql, values).await?
            }
        };
        last = last.max(well.flatten());
    }
    Ok(last)
}

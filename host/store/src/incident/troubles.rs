//! Whatever needs a person, from the views of units, applications and machines.

use std::collections::{BTreeSet, HashMap};

use periapt_model::incident::{About, Incident, Trouble};
use periapt_model::status::{Agent, Workload};
use periapt_model::{ApplicationName, ModelUuid, UnitName};
use periapt_wire::rest::{ApplicationInfo, MachineInfo, UnitInfo};
use serde_json::Value;

use crate::db::{Session, Which, columns, params, word};
use crate::status::kind;
use crate::{Presence, Result, views};

/// States of machines that do not pass by themselves.
const BROKEN: [&str; 3] = ["provisioning error", "error", "down"];

/// The last run of each unit that failed in a hook.
pub(super) type LastRuns = HashMap<UnitName, i64>;

columns! {
    struct Failing {
        unit: UnitName = "run.unit" as word,
        first: i64 = "MIN(run.started_at)",
        last: i64 = "MAX(run.id)",
        attempts: u64 = "COUNT(*)",
    }
    // Since anything went well in the unit: one that failed runs nothing else. Of all units in error at once, since
    // thousands may fail for one reason.
    const FAILING = "FROM hook_run AS run LEFT JOIN (
            SELECT unit, MAX(id) AS id FROM hook_run
            WHERE model_uuid = $1 AND result = 'ok' AND unit IN (
                SELECT entity FROM status
                WHERE model_uuid = $1 AND kind = 'juju-unit' AND status = 'error')
            GROUP BY unit) AS well ON well.unit = run.unit
        WHERE run.model_uuid = $1 AND run.result = 'failed' AND run.id > COALESCE(well.id, 0)
            AND run.unit IN (
                SELECT entity FROM status
                WHERE model_uuid = $1 AND kind = 'juju-unit' AND status = 'error')
        GROUP BY run.unit";
}

columns! {
    struct OfMachine {
        kind: String = "kind",
        machine: String = "entity",
        since: i64 = "since",
    }
    const OF_MACHINES = "FROM status WHERE model_uuid = $1 AND kind IN ($2, $3)";
}

columns! {
    struct Ran {
        unit: UnitName = "unit" as word,
        at: i64 = "MAX(started_at + duration)",
    }
    const RAN_WELL = "FROM hook_run WHERE model_uuid = $1 AND result = 'ok' AND unit IN (
            SELECT entity FROM status
            WHERE model_uuid = $1 AND kind = 'juju-unit' AND status = 'error')
        GROUP BY unit";
}

columns! {
    struct Said {
        unit: UnitName = "entity" as word,
        status: String = "status",
        at: i64 = "MAX(time)",
    }
    const SAID = "FROM status_history WHERE model_uuid = $1 AND kind = $2 AND time > $3
        GROUP BY entity, status";
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
    if troubles.iter().any(|one| one.hook.is_some()) {
        let failing = db.all(FAILING, params![model]).await?.into_iter();
        let failing: HashMap<UnitName, Failing> =
            failing.map(|row| (row.unit.clone(), row)).collect();
        for trouble in troubles.iter_mut().filter(|one| one.hook.is_some()) {
            let Some(unit) = &trouble.unit else { continue };
            if let Some(row) = failing.get(unit) {
                trouble.since = row.first;
                trouble.attempts = row.attempts;
                runs.insert(unit.clone(), row.last);
            }
        }
    }
    let applications = views::application::load(db, model, Which::All).await?;
    let applications = applications
        .iter()
        .filter(|application| !explained.contains(&application.name));
    troubles.extend(applications.filter_map(of_application));
    let machines = views::machine::load(db, model, Which::All, presence).await?;
    let broken: Vec<(&'static str, Trouble)> = machines.iter().filter_map(of_machine).collect();
    if !broken.is_empty() {
        let kinds = params![model, kind::INSTANCE, kind::MACHINE];
        let since = db.all(OF_MACHINES, kinds).await?.into_iter();
        let since: HashMap<(String, String), i64> = since
            .map(|row| ((row.kind, row.machine), row.since))
            .collect();
        for (of, mut trouble) in broken {
            let About::Machine(id) = &trouble.about else {
                continue;
            };
            if let Some(since) = since.get(&(of.to_owned(), id.to_string())) {
                trouble.since = *since;
            }
            troubles.push(trouble);
        }
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
        (kind::INSTANCE, &machine.instance),
        (kind::MACHINE, &machine.agent),
    ];
    let mut sides = sides.into_iter();
    let broken = sides.find(|(_, side)| BROKEN.contains(&side.status.as_str()));
    let (of, side) = broken?;
    let trouble = Trouble {
        about: About::Machine(machine.id.clone()),
        unit: None,
        status: side.status.to_string(),
        hook: None,
        reason: side.message.clone(),
        since: machine.created_at,
        attempts: 0,
        next_retry: None,
        waiting_for: None,
    };
    Some((of, trouble))
}

/// When units were well after some moment: a hook of theirs went well, or they showed another status.
pub(super) struct Recoveries {
    ran: HashMap<UnitName, i64>,
    said: Vec<Said>,
}

impl Recoveries {
    /// What is needed to tell it of these incidents.
    pub(super) async fn read(
        db: &mut Session,
        model: &ModelUuid,
        incidents: &[&Incident],
        since: i64,
    ) -> Result<Self> {
        let (mut ran, mut said) = (HashMap::new(), Vec::new());
        if incidents.iter().any(|incident| incident.is_failed_hook()) {
            let rows = db.all(RAN_WELL, params![model]).await?.into_iter();
            ran.extend(rows.map(|row| (row.unit, row.at)));
        }
        let is_said =
            |incident: &&Incident| !incident.is_failed_hook() && !incident.units.is_empty();
        if incidents.iter().any(is_said) {
            let values = params![model, kind::WORKLOAD, since];
            said = db.all(SAID, values).await?;
        }
        Ok(Self { ran, said })
    }

    /// When one of an incident's units was well last.
    pub(super) fn of(&self, incident: &Incident) -> Option<i64> {
        if incident.is_failed_hook() {
            let ran = incident.units.iter().filter_map(|unit| self.ran.get(unit));
            return ran.max().copied();
        }
        let units: BTreeSet<&UnitName> = incident.units.iter().collect();
        let said = self.said.iter();
        let well = said.filter(|row| row.status != incident.status && units.contains(&row.unit));
        well.map(|row| row.at).max()
    }
}

//! What removals wait for, in words: each step with who takes it, and until when it is waited
//! for. The words of one entity read as a list, also with commas between them.

use std::collections::HashMap;

use periapt_model::status::Agent;
use periapt_model::{Life, MachineId, ModelUuid, UnitName};

use crate::Result;
use crate::cleanup::Kind;
use crate::db::{Session, Which, columns, params};
use crate::full_status::rfc3339;
use crate::views::relation::{Neighbours, Tie, listed, tie, tied};

const SECOND: i64 = 1_000_000;

macro_rules! cleanups {
    ($kinds:literal) => {
        concat!(
            "FROM cleanup WHERE model_uuid = $1 AND kind IN (",
            $kinds,
            ")"
        )
    };
}

columns! {
    /// A queued step of force.
    pub(crate) struct Cleanup {
        subject: String = "subject",
        kind: String = "kind",
        due_at: i64 = "due_at",
        last_error: String = "last_error",
    }
    const OF_UNITS = which(
        cleanups!("'force-destroy-unit', 'force-remove-unit'"),
        "subject",
        "ORDER BY due_at"
    );
    const OF_MACHINES = which(
        cleanups!("'force-dead-machine', 'force-remove-machine'"),
        "subject",
        "ORDER BY due_at"
    );
    const OF_RELATIONS = concat!(cleanups!("'force-relation'"), " ORDER BY due_at");
}

impl Cleanup {
    fn in_words(&self) -> String {
        let until = until(self.due_at);
        let then = match Kind::named(&self.kind) {
            Some(Kind::ForceRemoveUnit) => "then it goes whatever its agent does",
            Some(Kind::ForceRemoveMachine) => "then it goes even if its instance was not stopped",
            _ => "then it goes by force",
        };
        match self.last_error.as_str() {
            "" => format!("{until}, {then}"),
            error => format!("{until}, {then} (tried already: {error})"),
        }
    }
}

/// `until 2026-11-22T21:50:00Z`.
fn until(due_at: i64) -> String {
    format!("until {}", rfc3339(due_at - due_at.rem_euclid(SECOND)))
}

/// The queued steps of force about units, by unit.
pub(crate) async fn of_units(
    db: &mut Session,
    model: &ModelUuid,
    which: Which<'_>,
) -> Result<HashMap<String, Vec<Cleanup>>> {
    Ok(by_subject(db.which(OF_UNITS, model, which).await?))
}

/// The queued steps about machines, by machine.
pub(crate) async fn of_machines(
    db: &mut Session,
    model: &ModelUuid,
    which: Which<'_>,
) -> Result<HashMap<String, Vec<Cleanup>>> {
    Ok(by_subject(db.which(OF_MACHINES, model, which).await?))
}

/// The queued steps about relations, by number.
pub(crate) async fn of_relations(
    db: &mut Session,
    model: &ModelUuid,
) -> Result<HashMap<String, Vec<Cleanup>>> {
    Ok(by_subject(db.all(OF_RELATIONS, params![model]).await?))
}

fn by_subject(cleanups: Vec<Cleanup>) -> HashMap<String, Vec<Cleanup>> {
    let mut found: HashMap<String, Vec<Cleanup>> = HashMap::new();
    for cleanup in cleanups {
        let of_subject = found.entry(cleanup.subject.clone()).or_default();
        of_subject.push(cleanup);
    }
    found
}

/// Every step a unit is held up by.
pub(crate) fn unit(
    unit: &UnitName,
    life: Life,
    machine: Option<&MachineId>,
    agent: Agent,
    present: bool,
    neighbours: &Neighbours,
    cleanups: &[Cleanup],
) -> Vec<String> {
    let mut waiting = Vec::new();
    match machine {
        None if life.is_alive() => waiting.push("a machine".to_owned()),
        Some(machine) if !present => waiting.push(format!("the agent of machine {machine}")),
        _ => {}
    }
    if agent == Agent::Error {
        waiting.push(format!(
            "an answer to its failed hook: periapt resolved {unit}"
        ));
    }
    if agent == Agent::Stopped {
        waiting.push(format!(
            "its agent to be started: periapt start-unit {unit}"
        ));
    }
    if !life.is_alive() {
        waiting.extend(neighbours.relations.iter().cloned());
        if !neighbours.subordinates.is_empty() {
            waiting.push(format!(
                "its subordinates {}",
                names(&neighbours.subordinates)
            ));
        }
    }
    match life {
        Life::Alive => {}
        Life::Dying => waiting.push("its agent to run its stop and remove hooks".to_owned()),
        Life::Dead => waiting.push("its deployer to remove it".to_owned()),
    }
    waiting.extend(cleanups.iter().map(Cleanup::in_words));
    waiting
}

/// Every step a machine that goes is held up by.
pub(crate) fn machine(
    machine: &MachineId,
    life: Life,
    provisioned: bool,
    present: bool,
    units: &[UnitName],
    cleanups: &[Cleanup],
) -> Vec<String> {
    let mut waiting = Vec::new();
    match life {
        Life::Alive => return waiting,
        Life::Dying if !units.is_empty() => {
            waiting.push(format!("its units {}", names(units)));
        }
        Life::Dying if !provisioned => {
            waiting.push("the provisioner, which has no instance for it yet".to_owned());
        }
        Life::Dying if !present => waiting.push(format!("the agent of machine {machine}")),
        Life::Dying => waiting.push("its agent to stop".to_owned()),
        Life::Dead => waiting.push("the provisioner to stop its instance".to_owned()),
    }
    waiting.extend(cleanups.iter().map(Cleanup::in_words));
    waiting
}

/// Every step a relation that goes, or is suspended, is held up by.
pub(crate) fn relation(present: &[UnitName], cleanups: &[Cleanup]) -> Vec<String> {
    let mut waiting = Vec::new();
    if !present.is_empty() {
        waiting.push(format!("{} to leave", names(present)));
    }
    waiting.extend(cleanups.iter().map(Cleanup::in_words));
    waiting
}

fn names(units: &[UnitName]) -> String {
    let names: Vec<String> = units.iter().map(UnitName::to_string).collect();
    listed(&names)
}

columns! {
    /// A relation of an application that goes.
    struct HoldingTie {
        application: String = "mine.application",
        to: Tie = [tie!("mine.name", "mine.relation_id")] as tied,
    }
    const TIES = "FROM application JOIN relation_endpoint AS mine ON mine.model_uuid = application.model_uuid
            AND mine.application = application.name
        JOIN relation_endpoint AS other ON other.model_uuid = mine.model_uuid
            AND other.relation_id = mine.relation_id AND other.application <> mine.application
        WHERE application.model_uuid = $1 AND application.life <> 'alive'
        ORDER BY mine.application, mine.relation_id";
}

columns! {
    /// When the last unit of an application that goes is gone by force.
    struct Latest {
        application: String = "unit.application",
        due_at: i64 = "MAX(cleanup.due_at)",
    }
    const LATEST = "FROM application
        JOIN unit ON unit.model_uuid = application.model_uuid AND unit.application = application.name
        JOIN cleanup ON cleanup.model_uuid = unit.model_uuid AND cleanup.subject = unit.name
            AND cleanup.kind IN ('force-destroy-unit', 'force-remove-unit')
        WHERE application.model_uuid = $1 AND application.life <> 'alive' GROUP BY unit.application";
}

/// What holds applications that go, by application.
#[derive(Default)]
pub(crate) struct HeldBy {
    loaded: bool,
    relations: HashMap<String, Vec<String>>,
    until: HashMap<String, i64>,
}

impl HeldBy {
    /// Reads it for all applications that go; the second time nothing.
    pub(crate) async fn load(&mut self, db: &mut Session, model: &ModelUuid) -> Result<()> {
        if std::mem::replace(&mut self.loaded, true) {
            return Ok(());
        }
        let mut ends: HashMap<String, Vec<String>> = HashMap::new();
        for tie in db.all(TIES, params![model]).await? {
            ends.entry(tie.to.relation.to_string())
                .or_default()
                .push(tie.application.clone());
            self.relations
                .entry(tie.application)
                .or_default()
                .push(tie.to.in_words());
        }
        for latest in db.all(LATEST, params![model]).await? {
            self.note(latest.application, latest.due_at);
        }
        if ends.is_empty() {
            return Ok(());
        }
        for (relation, cleanups) in of_relations(db, model).await? {
            let Some(latest) = cleanups.iter().map(|cleanup| cleanup.due_at).max() else {
                continue;
            };
            for application in ends.remove(&relation).unwrap_or_default() {
                self.note(application, latest);
            }
        }
        Ok(())
    }

    fn note(&mut self, application: String, due_at: i64) {
        let until = self.until.entry(application).or_insert(due_at);
        *until = due_at.max(*until);
    }

    /// Every step the application is held up by; asked for once.
    pub(crate) fn take(&mut self, application: &str, units: &[UnitName]) -> Vec<String> {
        let mut waiting = self.relations.remove(application).unwrap_or_default();
        if !units.is_empty() {
            waiting.push(format!("its units {}", names(units)));
        }
        if let Some(due_at) = self.until.remove(application) {
            waiting.push(format!(
                "{}, then what is left goes by force",
                until(due_at)
            ));
        }
        waiting
    }
}

/// Until when what is in a model that goes is waited for: the latest of all times.
pub(crate) const UNTIL: &str = "SELECT MAX(due_at) FROM cleanup WHERE model_uuid = $1
    AND kind IN ('force-destroy-unit', 'force-remove-unit', 'force-relation', 'force-dead-machine', 'force-remove-machine')";

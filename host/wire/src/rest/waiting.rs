//! What a query of `wait-for` sees of a status: the same values in the program and in the API.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::status::{
    ApplicationStatus, DetailedStatus, FullStatus, MachineStatus, RelationStatus, UnitStatus,
};

mod operations;
mod storage;

pub use operations::{operation_entity, task_entity};
pub use storage::storage_entity;

/// What can be waited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum WaitKind {
    Application,
    Unit,
    Machine,
    Model,
    Relation,
    Operation,
    Task,
    Storage,
}

impl WaitKind {
    pub const ALL: [WaitKind; 8] = [
        WaitKind::Application,
        WaitKind::Unit,
        WaitKind::Machine,
        WaitKind::Model,
        WaitKind::Relation,
        WaitKind::Operation,
        WaitKind::Task,
        WaitKind::Storage,
    ];

    pub fn as_str(self) -> &'static str {
        match self {
            WaitKind::Application => "application",
            WaitKind::Unit => "unit",
            WaitKind::Machine => "machine",
            WaitKind::Model => "model",
            WaitKind::Relation => "relation",
            WaitKind::Operation => "operation",
            WaitKind::Task => "task",
            WaitKind::Storage => "storage",
        }
    }

    /// The query when none is given: all units active and idle; of a machine that it is started,
    /// of a relation that it is joined, of an operation and a task that it has ended, of a storage that
    /// it is attached.
    pub fn default_query(self) -> &'static str {
        match self {
            WaitKind::Application => {
                r#"life=="alive" && len(units) > 0 && forEach(units, unit => unit.workload-status=="active" && unit.agent-status=="idle")"#
            }
            WaitKind::Unit => {
                r#"life=="alive" && workload-status=="active" && agent-status=="idle""#
            }
            WaitKind::Machine => r#"life=="alive" && status=="started""#,
            WaitKind::Relation => r#"life=="alive" && status=="joined""#,
            WaitKind::Storage => r#"life=="alive" && status=="attached""#,
            WaitKind::Operation | WaitKind::Task => {
                r#"status=="completed" || status=="failed" || status=="cancelled" || status=="aborted""#
            }
            WaitKind::Model => {
                r#"life=="alive" && forEach(units, unit => unit.workload-status=="active" && unit.agent-status=="idle")"#
            }
        }
    }

    /// The named entity as a query sees it. The model is the status' own, whatever its name; a
    /// relation is named by its number or its key. A status has no operations, no tasks and no
    /// storage: they are read by themselves.
    pub fn find(self, name: &str, status: &FullStatus) -> Option<Value> {
        match self {
            WaitKind::Application => status.applications.get(name).map(|application| {
                application_entity(name, application, &units(status), &machines(status))
            }),
            WaitKind::Unit => units(status).remove(name),
            WaitKind::Machine => machines(status).remove(name),
            WaitKind::Model => Some(model_entity(status)),
            WaitKind::Operation | WaitKind::Task | WaitKind::Storage => None,
            WaitKind::Relation => {
                let named = |relation: &&RelationStatus| {
                    relation.key == name || relation.id.to_string() == name
                };
                status.relations.iter().find(named).map(relation_entity)
            }
        }
    }
}

impl std::str::FromStr for WaitKind {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let found = WaitKind::ALL.into_iter().find(|kind| kind.as_str() == text);
        found.ok_or_else(|| {
            format!(
                "\"{text}\" is none of application, unit, machine, model, relation, operation, task, storage"
            )
        })
    }
}

/// The entity in a few words, for whoever waited in vain.
pub fn glance(kind: WaitKind, entity: &Value) -> String {
    let keys: &[&str] = match kind {
        WaitKind::Unit => &[
            "life",
            "workload-status",
            "workload-message",
            "agent-status",
        ],
        _ => &["life", "status", "message"],
    };
    let words = keys.iter().filter_map(|key| {
        let value = entity
            .get(*key)?
            .as_str()
            .filter(|value| !value.is_empty())?;
        Some(format!("{key}: {value}"))
    });
    format!("now it has {}", words.collect::<Vec<_>>().join(", "))
}

fn model_entity(status: &FullStatus) -> Value {
    let model = &status.model;
    let (units, machines) = (units(status), machines(status));
    let applications: Map<String, Value> = status
        .applications
        .iter()
        .map(|(name, application)| {
            let entity = application_entity(name, application, &units, &machines);
            (name.clone(), entity)
        })
        .collect();
    let life = match (
        life(&model.model_status),
        model.model_status.status.as_str(),
    ) {
        ("alive", "destroying") => "dying",
        (life, _) => life,
    };
    json!({
        "name": model.name, "life": life, "status": model.model_status.status,
        "message": model.model_status.info, "applications": applications, "units": units,
        "machines": machines,
    })
}

fn application_entity(
    name: &str,
    application: &ApplicationStatus,
    units: &Map<String, Value>,
    machines: &Map<String, Value>,
) -> Value {
    let own: Map<String, Value> = units
        .iter()
        .filter(|(_, unit)| unit["application"] == name)
        .map(|(name, unit)| (name.clone(), unit.clone()))
        .collect();
    let machines: Map<String, Value> = own
        .values()
        .filter_map(|unit| machines.get_key_value(unit["machine"].as_str()?))
        .map(|(id, machine)| (id.clone(), machine.clone()))
        .collect();
    json!({
        "name": name, "life": alive(&application.life), "status": application.status.status,
        "message": application.status.info, "charm": application.charm, "charm-rev": application.charm_rev.unwrap_or_default(),
        "exposed": application.exposed, "version": application.workload_version, "scale": own.len(),
        "units": own, "machines": machines,
    })
}

fn units(status: &FullStatus) -> Map<String, Value> {
    let mut all = Map::new();
    for (application, units) in status
        .applications
        .iter()
        .map(|(name, entry)| (name, entry.units.iter().flatten()))
    {
        for (name, unit) in units {
            all.insert(name.clone(), unit_entity(name, application, unit));
            for (name, unit) in unit.subordinates.iter().flatten() {
                let application = name
                    .rsplit_once('/')
                    .map_or(name.as_str(), |(application, _)| application);
                all.insert(name.clone(), unit_entity(name, application, unit));
            }
        }
    }
    all
}

fn unit_entity(name: &str, application: &str, unit: &UnitStatus) -> Value {
    json!({
        "name": name, "application": application, "life": life(&unit.agent_status),
        "workload-status": unit.workload_status.status, "workload-message": unit.workload_status.info,
        "agent-status": unit.agent_status.status, "agent-message": unit.agent_status.info, "leader": unit.leader,
        "machine": unit.machine, "public-address": unit.public_address, "open-ports": unit.opened_ports,
    })
}

fn machines(status: &FullStatus) -> Map<String, Value> {
    let entity = |id: &String, machine: &MachineStatus| {
        json!({
            "name": id, "life": life(&machine.agent_status), "status": machine.agent_status.status,
            "message": machine.instance_status.info, "instance-status": machine.instance_status.status,
            "instance-id": machine.instance_id, "address": machine.dns_name,
        })
    };
    status
        .machines
        .iter()
        .map(|(id, machine)| (id.clone(), entity(id, machine)))
        .collect()
}

fn relation_entity(relation: &RelationStatus) -> Value {
    let applications: Vec<&Value> = relation
        .endpoints
        .iter()
        .filter_map(|endpoint| endpoint.get("application"))
        .collect();
    json!({
        "name": relation.key, "id": relation.id, "life": life(&relation.status),
        "status": relation.status.status, "message": relation.status.info,
        "interface": relation.interface, "scope": relation.scope, "applications": applications,
    })
}

fn life(status: &DetailedStatus) -> &str {
    alive(&status.life)
}

/// The wire leaves the word out while an entity is alive.
fn alive(life: &str) -> &str {
    if life.is_empty() { "alive" } else { life }
}

#[cfg(test)]
mod tests;

//! The rows that a status is made of, all of a model or the named, and how they hang together.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use periapt_model::status::{Agent, Machine, Status, Workload};
use periapt_model::{AgentName, ApplicationName, Life, MachineId, ModelUuid, UnitName};
use periapt_wire::rest::RelationInfo;

use crate::db::{Cells, Session, Which, columns, json, optional_json, optional_word, params, word};
use crate::error::StoreError;
use crate::waiting::{self, Cleanup};
use crate::{DatabaseError, Result, lease, relation, status};

columns! {
    pub(super) struct ModelRow {
        name: String = "model.name",
        life: Life = "model.life" as word,
        status: String = "COALESCE(status.status, 'available')",
        message: String = "COALESCE(status.message, '')",
        since: i64 = "COALESCE(status.since, model.created_at)",
        cloud: String = "model.cloud",
        region: String = "model.region",
        /// `iaas` or `caas`.
        kind: String = "cloud.model_type",
    }
    const MODEL = "FROM model JOIN cloud ON cloud.name = model.cloud
        LEFT JOIN status ON status.model_uuid = model.uuid AND status.kind = 'model'
            AND status.entity = model.uuid
        WHERE model.uuid = $1";
}

columns! {
    pub(super) struct ApplicationRow {
        name: ApplicationName = "application.name" as word,
        charm: String = "application.charm_url",
        charm_revision: u64 = "charm.revision",
        life: Life = "application.life" as word,
        exposed: bool = "application.exposed",
        workload_version: String = "application.workload_version",
        subordinate: bool = "application.subordinate",
        set: Option<Status<Workload>> = [status::list!("status")] as status::optional,
        trouble: Option<Status<Workload>> = "application.trouble" as optional_json,
    }
    const APPLICATIONS = which(
        "FROM application
            JOIN charm ON charm.model_uuid = application.model_uuid AND charm.url = application.charm_url
            LEFT JOIN status ON status.model_uuid = application.model_uuid AND status.kind = 'application'
                AND status.entity = application.name
            WHERE application.model_uuid = $1",
        "application.name",
        ""
    );
}

columns! {
    struct OwnOfUnit {
        name: UnitName = "name" as word,
        life: Life = "life" as word,
        machine: Option<MachineId> = "machine_id" as optional_word,
        principal: Option<UnitName> = "principal" as optional_word,
        charm: Option<String> = "charm_url",
        workload_version: String = "workload_version",
        opened_ports: Vec<String> = "opened_ports" as ports,
    }
    const UNITS = which("FROM unit WHERE model_uuid = $1", "name", "");
}

columns! {
    struct OwnOfMachine {
        id: MachineId = "id" as word,
        life: Life = "life" as word,
        instance_id: Option<String> = "instance_id",
        hardware: String = "hardware",
        addresses: Vec<String> = "addresses" as json,
        host: AgentName = "agent" as word,
    }
    const MACHINES = which("FROM machine WHERE model_uuid = $1", "id", "");
}

columns! {
    struct OfWorkload {
        entity: String = "status.entity",
        status: Status<Workload> = [status::list!("status")] as status::whole,
    }
    const WORKLOADS = which(
        "FROM status WHERE status.model_uuid = $1 AND status.kind = 'workload'", "status.entity", ""
    );
}

columns! {
    struct OfAgent {
        entity: String = "status.entity",
        status: Status<Agent> = [status::list!("status")] as status::whole,
    }
    const AGENTS = which(
        "FROM status WHERE status.model_uuid = $1 AND status.kind = 'juju-unit'", "status.entity", ""
    );
}

columns! {
    struct OfMachine {
        entity: String = "status.entity",
        status: Status<Machine> = [status::list!("status")] as status::whole,
    }
    const INSTANCES = which(
        "FROM status WHERE status.model_uuid = $1 AND status.kind = 'machine'", "status.entity", ""
    );
    const MACHINE_AGENTS = which(
        "FROM status WHERE status.model_uuid = $1 AND status.kind = 'juju-machine'", "status.entity", ""
    );
}

/// Most units have none, and there are many units.
fn ports(cells: &mut Cells<'_>) -> std::result::Result<Vec<String>, DatabaseError> {
    match cells.str()? {
        "[]" => Ok(Vec::new()),
        text => serde_json::from_str(text).map_err(|error| cells.unfit(error)),
    }
}

pub(super) struct UnitRow {
    pub name: UnitName,
    pub life: Life,
    pub machine: Option<MachineId>,
    pub principal: Option<UnitName>,
    /// The charm in place.
    pub charm: Option<String>,
    pub workload_version: String,
    pub opened_ports: Vec<String>,
    pub workload: Status<Workload>,
    pub agent: Status<Agent>,
}

pub(super) struct MachineRow {
    pub id: MachineId,
    pub life: Life,
    pub instance_id: Option<String>,
    pub hardware: String,
    pub addresses: Vec<String>,
    pub host: AgentName,
    pub instance: Status<Machine>,
    pub agent: Status<Machine>,
    pub cleanups: Vec<Cleanup>,
}

pub(super) async fn model(db: &mut Session, model: &ModelUuid) -> Result<ModelRow> {
    let row = db.one(MODEL, params![model]).await?;
    row.ok_or_else(|| StoreError::not_found("model", model))
}

pub(super) async fn applications(
    db: &mut Session,
    model: &ModelUuid,
    which: Which<'_>,
) -> Result<Vec<ApplicationRow>> {
    Ok(db.which(APPLICATIONS, model, which).await?)
}

pub(super) async fn units(
    db: &mut Session,
    model: &ModelUuid,
    which: Which<'_>,
) -> Result<Vec<UnitRow>> {
    let said = db.which(WORKLOADS, model, which).await?.into_iter();
    let mut workloads: HashMap<String, Status<Workload>> =
        said.map(|said| (said.entity, said.status)).collect();
    let said = db.which(AGENTS, model, which).await?.into_iter();
    let mut agents: HashMap<String, Status<Agent>> =
        said.map(|said| (said.entity, said.status)).collect();
    let rows = db.which(UNITS, model, which).await?.into_iter();
    let rows = rows.map(|own| UnitRow {
        workload: workloads
            .remove(own.name.as_str())
            .unwrap_or_else(|| Status::new(Workload::Unknown, "")),
        agent: agents
            .remove(own.name.as_str())
            .unwrap_or_else(|| Status::new(Agent::Allocating, "")),
        name: own.name,
        life: own.life,
        machine: own.machine,
        principal: own.principal,
        charm: own.charm,
        workload_version: own.workload_version,
        opened_ports: own.opened_ports,
    });
    Ok(rows.collect())
}

pub(super) async fn machines(
    db: &mut Session,
    model: &ModelUuid,
    which: Which<'_>,
) -> Result<Vec<MachineRow>> {
    let mut said: [HashMap<String, Status<Machine>>; 2] = Default::default();
    for (select, said) in [INSTANCES, MACHINE_AGENTS].into_iter().zip(&mut said) {
        let rows = db.which(select, model, which).await?.into_iter();
        *said = rows.map(|row| (row.entity, row.status)).collect();
    }
    let [mut instances, mut agents] = said;
    let mut cleanups = waiting::of_machines(db, model, which).await?;
    let rows = db.which(MACHINES, model, which).await?.into_iter();
    let pending = || Status::new(Machine::Pending, "");
    let rows = rows.map(|own| MachineRow {
        instance: instances.remove(own.id.as_str()).unwrap_or_else(pending),
        agent: agents.remove(own.id.as_str()).unwrap_or_else(pending),
        cleanups: cleanups.remove(own.id.as_str()).unwrap_or_default(),
        id: own.id,
        life: own.life,
        instance_id: own.instance_id,
        hardware: own.hardware,
        addresses: own.addresses,
        host: own.host,
    });
    Ok(rows.collect())
}

/// Everything a status is made of, as of one moment.
pub(super) struct Rows {
    pub model: ModelRow,
    pub applications: BTreeMap<ApplicationName, ApplicationRow>,
    /// By application and number.
    pub units: BTreeMap<ApplicationName, BTreeMap<u64, UnitRow>>,
    pub machines: BTreeMap<MachineId, MachineRow>,
    pub relations: BTreeMap<u64, RelationInfo>,
    /// Who leads each application.
    pub leaders: BTreeMap<ApplicationName, String>,
    /// The units of each machine, by application and number.
    inhabitants: BTreeMap<MachineId, BTreeSet<(ApplicationName, u64)>>,
    /// The subordinates of each principal.
    contained: BTreeMap<UnitName, BTreeSet<UnitName>>,
    /// The relations of each application.
    related: BTreeMap<ApplicationName, BTreeSet<u64>>,
}

impl Rows {
    /// All of a model.
    pub async fn load(db: &mut Session, of: &ModelUuid) -> Result<Self> {
        let applications = applications(db, of, Which::All).await?.into_iter();
        let leaders = lease::rows::leaders(db, of, Which::All).await?;
        let mut rows = Self {
            model: model(db, of).await?,
            applications: applications.map(|row| (row.name.clone(), row)).collect(),
            units: BTreeMap::new(),
            machines: BTreeMap::new(),
            relations: BTreeMap::new(),
            leaders: leaders.into_iter().collect(),
            inhabitants: BTreeMap::new(),
            contained: BTreeMap::new(),
            related: BTreeMap::new(),
        };
        for unit in units(db, of, Which::All).await? {
            rows.put_unit(unit);
        }
        let machines = machines(db, of, Which::All).await?.into_iter();
        rows.machines = machines.map(|row| (row.id.clone(), row)).collect();
        for relation in relation::without_versions(db, of, None).await? {
            rows.put_relation(relation);
        }
        Ok(rows)
    }

    pub fn unit(&self, name: &UnitName) -> Option<&UnitRow> {
        self.units.get(&name.application())?.get(&name.number())
    }

    pub fn units_of(&self, application: &ApplicationName) -> impl Iterator<Item = &UnitRow> {
        self.units
            .get(application)
            .into_iter()
            .flat_map(BTreeMap::values)
    }

    pub fn units_on(&self, machine: &MachineId) -> impl Iterator<Item = UnitName> {
        let there = self.inhabitants.get(machine).into_iter().flatten();
        there.map(|(application, number)| UnitName::new(application, *number))
    }

    pub fn subordinates(&self, principal: &UnitName) -> impl Iterator<Item = &UnitRow> {
        let within = self.contained.get(principal).into_iter().flatten();
        within.filter_map(|name| self.unit(name))
    }

    pub fn relations_of(&self, application: &ApplicationName) -> Vec<&RelationInfo> {
        let own = self.related.get(application).into_iter().flatten();
        own.filter_map(|id| self.relations.get(id)).collect()
    }

    /// Puts a unit in the place of its row of before, which is returned.
    pub fn put_unit(&mut self, row: UnitRow) -> Option<UnitRow> {
        let before = self.take_unit(&row.name);
        let (application, number) = (row.name.application(), row.name.number());
        if let Some(machine) = &row.machine {
            let there = self.inhabitants.entry(machine.clone()).or_default();
            there.insert((application.clone(), number));
        }
        if let Some(principal) = &row.principal {
            let within = self.contained.entry(principal.clone()).or_default();
            within.insert(row.name.clone());
        }
        let own = self.units.entry(application).or_default();
        own.insert(number, row);
        before
    }

    pub fn take_unit(&mut self, name: &UnitName) -> Option<UnitRow> {
        let (application, number) = (name.application(), name.number());
        let row = take(&mut self.units, &application, |units| {
            (units.remove(&number), units.is_empty())
        })?;
        if let Some(machine) = &row.machine {
            take(&mut self.inhabitants, machine, |there| {
                there.remove(&(application, number));
                (None::<()>, there.is_empty())
            });
        }
        if let Some(principal) = &row.principal {
            take(&mut self.contained, principal, |within| {
                within.remove(name);
                (None::<()>, within.is_empty())
            });
        }
        Some(row)
    }

    pub fn put_relation(&mut self, relation: RelationInfo) -> Option<RelationInfo> {
        let before = self.take_relation(relation.id);
        for end in &relation.endpoints {
            let own = self.related.entry(end.application.clone()).or_default();
            own.insert(relation.id);
        }
        self.relations.insert(relation.id, relation);
        before
    }

    pub fn take_relation(&mut self, id: u64) -> Option<RelationInfo> {
        let relation = self.relations.remove(&id)?;
        for end in &relation.endpoints {
            take(&mut self.related, &end.application, |own| {
                own.remove(&id);
                (None::<()>, own.is_empty())
            });
        }
        Some(relation)
    }
}

/// What `from` takes out of the part at `key`; an empty part goes.
fn take<K: Ord, P, T>(
    parts: &mut BTreeMap<K, P>,
    key: &K,
    from: impl FnOnce(&mut P) -> (Option<T>, bool),
) -> Option<T> {
    let (taken, empty) = from(parts.get_mut(key)?);
    if empty {
        parts.remove(key);
    }
    taken
}

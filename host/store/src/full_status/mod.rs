//! The picture of a model that `status` shows: a dozen indexed statements in one snapshot, however
//! many units and relations there are, and an assembly in memory.

use std::collections::{BTreeMap, HashMap};

use periapt_model::status::{Agent, Machine, Status, Workload};
use periapt_model::{AgentName, ApplicationName, MachineId, ModelUuid, UnitName};
use periapt_wire::rest::RelationInfo;
use periapt_wire::status::FullStatus;

use crate::db::{Session, Which, params};
use crate::error::StoreError;
use crate::status::{self, kind};
use crate::waiting::{self, Cleanup};
use crate::{Result, Store, application, lease, relation};

mod assemble;
mod pattern;
#[cfg(test)]
mod tests;

pub(crate) use assemble::rfc3339;
pub(crate) use pattern::matches;

/// Whether a machine's agent is connected.
pub type Presence<'a> = &'a (dyn Fn(&AgentName) -> bool + Send + Sync);

impl Store {
    /// The status of a model, or of what the patterns name: applications, units, machines, with
    /// `*` for any text. Machines whose agent is absent show as down, their units as lost.
    pub async fn full_status(
        &self,
        model: &ModelUuid,
        patterns: &[String],
        presence: Presence<'_>,
    ) -> Result<FullStatus> {
        let mut db = self.snapshot().await?;
        let picture = Picture::load(&mut db, model).await?;
        let now = self.now();
        drop(db);
        Ok(assemble::full_status(
            picture,
            &pattern::Patterns::new(patterns),
            presence,
            now,
        ))
    }
}

struct ModelRow {
    name: String,
    life: periapt_model::Life,
    status: (String, String, i64),
    cloud: String,
    region: String,
    /// `iaas` or `caas`.
    kind: String,
}

struct ApplicationRow {
    name: ApplicationName,
    charm: String,
    charm_revision: u64,
    life: periapt_model::Life,
    exposed: bool,
    workload_version: String,
    subordinate: bool,
    set: Option<Status<Workload>>,
    trouble: Option<Status<Workload>>,
}

struct UnitRow {
    name: UnitName,
    life: periapt_model::Life,
    machine: Option<MachineId>,
    principal: Option<UnitName>,
    charm: Option<String>,
    workload_version: String,
    opened_ports: Vec<String>,
    workload: Status<Workload>,
    agent: Status<Agent>,
}

struct MachineRow {
    id: MachineId,
    life: periapt_model::Life,
    instance_id: Option<String>,
    hardware: String,
    addresses: Vec<String>,
    instance: Status<Machine>,
    agent: Status<Machine>,
    cleanups: Vec<Cleanup>,
    host: AgentName,
}

/// Everything the status is made of, read at one moment.
struct Picture {
    model: ModelRow,
    applications: Vec<ApplicationRow>,
    units: BTreeMap<ApplicationName, Vec<UnitRow>>,
    machines: Vec<MachineRow>,
    relations: Vec<RelationInfo>,
    leaders: HashMap<ApplicationName, String>,
}

impl Picture {
    async fn load(db: &mut Session, model: &ModelUuid) -> Result<Self> {
        Ok(Self {
            model: load_model(db, model).await?,
            applications: load_applications(db, model).await?,
            units: load_units(db, model).await?,
            machines: load_machines(db, model).await?,
            relations: relation::without_versions(db, model).await?,
            leaders: lease::rows::leaders(db, model, Which::All).await?,
        })
    }
}

async fn load_model(db: &mut Session, model: &ModelUuid) -> Result<ModelRow> {
    let sql = "SELECT model.name, model.life, COALESCE(status.status, 'available'), COALESCE(status.message, ''),
            COALESCE(status.since, model.created_at), model.cloud, model.region, cloud.model_type
        FROM model JOIN cloud ON cloud.name = model.cloud LEFT JOIN status ON status.model_uuid = model.uuid AND status.kind = 'model'
            AND status.entity = model.uuid
        WHERE model.uuid = $1";
    let row = db.fetch_optional(sql, params![model]).await?;
    let row = row.ok_or_else(|| StoreError::not_found("model", model))?;
    Ok(ModelRow {
        name: row.text(0)?,
        life: row.parse(1, "life")?,
        status: (row.text(2)?, row.text(3)?, row.int(4)?),
        cloud: row.text(5)?,
        region: row.text(6)?,
        kind: row.text(7)?,
    })
}

async fn load_applications(db: &mut Session, model: &ModelUuid) -> Result<Vec<ApplicationRow>> {
    let sql = "SELECT application.name, application.charm_url, charm.revision, application.life,
            application.exposed, application.workload_version,
            application.subordinate,
            status.status, status.message, status.data, status.since, application.trouble
        FROM application
        JOIN charm ON charm.model_uuid = application.model_uuid AND charm.url = application.charm_url
        LEFT JOIN status ON status.model_uuid = application.model_uuid AND status.kind = 'application'
            AND status.entity = application.name
        WHERE application.model_uuid = $1 ORDER BY application.name";
    let rows = db.fetch(sql, params![model]).await?;
    rows.iter()
        .map(|row| {
            Ok(ApplicationRow {
                name: row.parse(0, "application name")?,
                charm: row.text(1)?,
                charm_revision: row.count(2)?,
                life: row.parse(3, "life")?,
                exposed: row.flag(4)?,
                workload_version: row.text(5)?,
                subordinate: row.flag(6)?,
                set: status::read_optional(row, 7)?,
                trouble: application::trouble(row, 11)?,
            })
        })
        .collect()
}

async fn load_units(
    db: &mut Session,
    model: &ModelUuid,
) -> Result<BTreeMap<ApplicationName, Vec<UnitRow>>> {
    let mut workloads = load_statuses::<Workload>(db, model, kind::WORKLOAD).await?;
    let mut agents = load_statuses::<Agent>(db, model, kind::AGENT).await?;
    let sql = "SELECT name, life, machine_id, principal, charm_url, workload_version, opened_ports
        FROM unit WHERE model_uuid = $1 ORDER BY application, number";
    let mut units: BTreeMap<ApplicationName, Vec<UnitRow>> = BTreeMap::new();
    for row in db.fetch(sql, params![model]).await? {
        let name: UnitName = row.parse(0, "unit name")?;
        let unit = UnitRow {
            workload: workloads
                .remove(name.as_str())
                .unwrap_or_else(|| Status::new(Workload::Unknown, "")),
            agent: agents
                .remove(name.as_str())
                .unwrap_or_else(|| Status::new(Agent::Allocating, "")),
            life: row.parse(1, "life")?,
            machine: row.parse_optional(2, "machine")?,
            principal: row.parse_optional(3, "unit name")?,
            charm: row.optional_text(4)?,
            workload_version: row.text(5)?,
            opened_ports: match row.str(6)? {
                "[]" => Vec::new(),
                _ => row.json(6, "opened ports")?,
            },
            name,
        };
        units.entry(unit.name.application()).or_default().push(unit);
    }
    Ok(units)
}

async fn load_machines(db: &mut Session, model: &ModelUuid) -> Result<Vec<MachineRow>> {
    let mut instances = load_statuses::<Machine>(db, model, kind::INSTANCE).await?;
    let mut agents = load_statuses::<Machine>(db, model, kind::MACHINE).await?;
    let sql = "SELECT id, life, instance_id, hardware, addresses, agent FROM machine WHERE model_uuid = $1";
    let rows = db.fetch(sql, params![model]).await?;
    let mut cleanups = waiting::of_machines(db, model, Which::All).await?;
    rows.iter()
        .map(|row| {
            let id: MachineId = row.parse(0, "machine")?;
            let take = |statuses: &mut HashMap<String, Status<Machine>>| {
                statuses
                    .remove(id.as_str())
                    .unwrap_or_else(|| Status::new(Machine::Pending, ""))
            };
            Ok(MachineRow {
                life: row.parse(1, "life")?,
                instance_id: row.optional_text(2)?,
                hardware: row.text(3)?,
                addresses: row.json(4, "addresses")?,
                instance: take(&mut instances),
                agent: take(&mut agents),
                cleanups: cleanups.remove(id.as_str()).unwrap_or_default(),
                host: row.parse(5, "agent")?,
                id,
            })
        })
        .collect()
}

/// Current statuses of one kind, by entity.
pub(crate) async fn load_statuses<W>(
    db: &mut Session,
    model: &ModelUuid,
    kind: &'static str,
) -> Result<HashMap<String, Status<W>>>
where
    W: std::str::FromStr,
    W::Err: std::fmt::Display,
{
    let sql = "SELECT entity, status, message, data, since FROM status WHERE model_uuid = $1 AND kind = $2";
    let rows = db.fetch(sql, params![model, kind]).await?;
    rows.iter()
        .map(|row| Ok((row.text(0)?, status::read(row, 1)?)))
        .collect()
}

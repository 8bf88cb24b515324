//! Units as shown.

use std::collections::{HashMap, HashSet};

use periapt_model::ports::Openings;
use periapt_model::quota::Meter;
use periapt_model::reach::Exposure;
use periapt_model::refusal::Subject;
use periapt_model::status::{Agent, Status, Workload, displayed};
use periapt_model::{AgentName, Life, MachineId, ModelUuid, UnitName};
use periapt_wire::rest::UnitInfo;
use periapt_wire::status::MeterStatus;

use crate::db::{Cells, Session, Which, columns, json, optional_json, optional_word, word};
use crate::error::StoreError;
use crate::grant::held::Held;
use crate::reach::{Reached, exposed, public_address};
use crate::usage::meter::meter;
use crate::{DatabaseError, Presence, Result, Store, lease, status, waiting};

use super::relation;
use super::workload::Unwell;

#[cfg(test)]
mod tests;

columns! {
    struct Shown {
        name: UnitName = "unit.name" as word,
        life: Life = "unit.life" as word,
        machine: Option<MachineId> = "unit.machine_id" as optional_word,
        openings: Openings = "unit.opened_ports" as openings,
        address: Option<u64> = "unit.address" as number,
        reached: Reached = "unit.reached" as reached,
        exposure: Exposure = "application.exposure" as json,
        held: Option<Held> = "application.held" as optional_json,
        workload_version: String = "unit.workload_version",
        meter: Option<Meter> = "unit.meter" as meter,
        charm: String = "COALESCE(unit.charm_url, application.charm_url)",
        addresses: Vec<String> = "COALESCE(machine.addresses, '[]')" as json,
        workload: Option<Status<Workload>> = [status::list!("workload")] as status::optional,
        agent: Option<Status<Agent>> = [status::list!("agent")] as status::optional,
        principal: Option<UnitName> = "unit.principal" as optional_word,
        host: Option<AgentName> = "machine.agent" as optional_word,
    }
    const SHOWN = which(
        "FROM unit
            JOIN application ON application.model_uuid = unit.model_uuid AND application.name = unit.application
            LEFT JOIN machine ON machine.model_uuid = unit.model_uuid AND machine.id = unit.machine_id
            LEFT JOIN status AS workload ON workload.model_uuid = unit.model_uuid
                AND workload.kind = 'workload' AND workload.entity = unit.name
            LEFT JOIN status AS agent ON agent.model_uuid = unit.model_uuid
                AND agent.kind = 'juju-unit' AND agent.entity = unit.name
            WHERE unit.model_uuid = $1",
        "unit.name",
        "ORDER BY unit.application, unit.number"
    );
}

columns! {
    struct Own {
        name: UnitName = "name" as word,
        life: Life = "life" as word,
        machine: Option<MachineId> = "machine_id" as optional_word,
        principal: Option<UnitName> = "principal" as optional_word,
        charm: Option<String> = "charm_url",
        workload_version: String = "workload_version",
        meter: Option<Meter> = "meter" as meter,
        openings: Openings = "opened_ports" as openings,
        address: Option<u64> = "address" as number,
        reached: Reached = "reached" as reached,
    }
    const OWN = which("FROM unit WHERE model_uuid = $1", "name", "");
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

/// Most units have none, and there are many units.
pub(super) fn openings(cells: &mut Cells<'_>) -> std::result::Result<Openings, DatabaseError> {
    match cells.str()? {
        "[]" => Ok(Openings::default()),
        text => serde_json::from_str(text).map_err(|error| cells.unfit(error)),
    }
}

/// Likewise.
pub(super) fn reached(cells: &mut Cells<'_>) -> std::result::Result<Reached, DatabaseError> {
    match cells.str()? {
        "{}" => Ok(Reached::default()),
        text => serde_json::from_str(text).map_err(|error| cells.unfit(error)),
    }
}

pub(crate) fn number(cells: &mut Cells<'_>) -> std::result::Result<Option<u64>, DatabaseError> {
    Ok(cells.optional_int()?.map(i64::unsigned_abs))
}

/// What a status has of a unit.
pub(crate) struct UnitRow {
    pub name: UnitName,
    pub life: Life,
    pub machine: Option<MachineId>,
    pub principal: Option<UnitName>,
    /// The charm in place.
    pub charm: Option<String>,
    pub workload_version: String,
    /// What it is told of its quotas.
    pub meter: Option<Meter>,
    pub openings: Openings,
    /// The number of its address.
    pub address: Option<u64>,
    pub reached: Reached,
    pub workload: Status<Workload>,
    pub agent: Status<Agent>,
}

impl Store {
    /// All units of a model. Those whose agent is absent show as lost.
    pub async fn units(&self, model: &ModelUuid, presence: Presence<'_>) -> Result<Vec<UnitInfo>> {
        let mut db = self.snapshot().await?;
        crate::require_model(&mut db, model).await?;
        load(&mut db, model, Which::All, presence).await
    }

    /// One unit, with what it waits for in words.
    pub async fn unit(
        &self,
        model: &ModelUuid,
        unit: &UnitName,
        presence: Presence<'_>,
    ) -> Result<UnitInfo> {
        let mut db = self.snapshot().await?;
        load(&mut db, model, Which::Named(&[unit.to_string()]), presence)
            .await?
            .pop()
            .ok_or_else(|| StoreError::not_found(Subject::Unit, unit))
    }
}

fn unknown() -> Status<Workload> {
    Status::new(Workload::Unknown, "")
}

fn allocating() -> Status<Agent> {
    Status::new(Agent::Allocating, "")
}

/// Units as shown, by application and number; of the named those that there are.
pub(crate) async fn load(
    db: &mut Session,
    model: &ModelUuid,
    which: Which<'_>,
    presence: Presence<'_>,
) -> Result<Vec<UnitInfo>> {
    let applications = match which {
        Which::All => Vec::new(),
        Which::Named(names) => applications_of(names),
    };
    let leading = match which {
        Which::All => Which::All,
        Which::Named(_) => Which::Named(&applications),
    };
    let leaders = lease::rows::leaders(db, model, leading).await?;
    let mut cleanups = waiting::of_units(db, model, which).await?;
    let mut neighbours = relation::neighbours(db, model, which).await?;
    let unwell = Unwell::load(db, model, which).await?;
    let rows = db.which(SHOWN, model, which).await?.into_iter();
    let shown = rows.map(|row| {
        let (name, life, machine) = (row.name, row.life, row.machine);
        let present = row.host.as_ref().is_some_and(presence);
        let exposed = !row.exposure.is_empty();
        let said = row.workload.unwrap_or_else(unknown);
        let (workload, agent) = (
            unwell.follow(&name, said, &row.reached, exposed),
            row.agent.unwrap_or_else(allocating),
        );
        let said = agent.status;
        let (workload, agent) = displayed(&name, workload, agent, present);
        let workload = match &row.held {
            Some(held) => held.follow(&name.application(), workload),
            None => workload,
        };
        let neighbours = neighbours.remove(name.as_str()).unwrap_or_default();
        let cleanups = cleanups.remove(name.as_str()).unwrap_or_default();
        let application = name.application();
        let leader = leaders.get(&application);
        UnitInfo {
            waiting_for: waiting::unit(
                &name,
                life,
                machine.as_ref(),
                said,
                present,
                &neighbours,
                &cleanups,
            ),
            leader: leader.is_some_and(|leader| leader == name.as_str()),
            application,
            charm: row.charm,
            life,
            machine,
            workload,
            agent,
            opened_ports: row.openings.ranges().map(|open| open.to_string()).collect(),
            public_address: public_address(row.address, &row.openings, &row.exposure)
                .or_else(|| row.addresses.into_iter().next()),
            listening: match exposed {
                true => row.reached.listening,
                false => Vec::new(),
            },
            workload_version: row.workload_version,
            meter_status: row.meter.map(MeterStatus::from),
            principal: row.principal,
            subordinates: neighbours.subordinates,
            relations: Vec::new(),
            name,
        }
    });
    Ok(shown.collect())
}

/// The applications of units, each once.
fn applications_of(units: &[String]) -> Vec<String> {
    let mut applications: Vec<String> = units
        .iter()
        .filter_map(|unit| Some(unit.rsplit_once('/')?.0.to_owned()))
        .collect();
    applications.sort_unstable();
    applications.dedup();
    applications
}

/// The units of a status, in no particular order; of the named those that there are.
pub(crate) async fn rows(
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
    let unwell = Unwell::load(db, model, which).await?;
    let rows = db.which(OWN, model, which).await?;
    // Hardly any has one, and then it is asked who is exposed.
    let exposed = match rows.iter().all(|own| own.reached.not_listening.is_empty()) {
        true => HashSet::new(),
        false => exposed(db, model).await?,
    };
    let rows = rows.into_iter().map(|own| UnitRow {
        workload: unwell.follow(
            &own.name,
            workloads.remove(own.name.as_str()).unwrap_or_else(unknown),
            &own.reached,
            exposed.contains(&own.name.application()),
        ),
        agent: agents.remove(own.name.as_str()).unwrap_or_else(allocating),
        name: own.name,
        life: own.life,
        machine: own.machine,
        principal: own.principal,
        charm: own.charm,
        workload_version: own.workload_version,
        meter: own.meter,
        openings: own.openings,
        address: own.address,
        reached: own.reached,
    });
    Ok(rows.collect())
}

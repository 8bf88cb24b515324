//! Units as shown: one reading for single ones, lists and the feed. And the answer to a failed
//! hook.

use periapt_model::status::{Agent, Status, Workload, displayed};
use periapt_model::{AgentName, Life, MachineId, ModelUuid, UnitName};
use periapt_wire::rest::UnitInfo;

use crate::changes::namespace;
use crate::db::{Row, Session, Which, of_which, params};
use crate::error::StoreError;
use crate::status::{self, kind};
use crate::tables::{Table, tables};
use crate::{Presence, Result, Store, lease, relation, waiting};

pub(crate) mod removal;
#[cfg(test)]
mod tests;
pub(crate) mod uniter;

pub(crate) const TABLES: &[Table] = tables! {
    "unit", Unit "name = $2";
    "unit_state", Unit "unit = $2";
    "charm_state", Unit "unit = $2";
    "unit_assignment", Unit "unit = $2" heard in UNIT_ASSIGNMENT;
};

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
            .ok_or_else(|| StoreError::not_found("unit", unit))
    }

    /// Answers a failed hook: run it again, or go on as if it had succeeded. Refused unless the
    /// unit is in error.
    pub async fn resolved(&self, model: &ModelUuid, unit: &UnitName, retry: bool) -> Result<()> {
        let (model, unit) = (model.clone(), unit.clone());
        self.write(move |tx| {
            Box::pin(async move {
                let sql = "SELECT resolved FROM unit WHERE model_uuid = $1 AND name = $2";
                let found: Option<String> = tx.db.scalar(sql, params![&model, &unit]).await?;
                let found = found.ok_or_else(|| StoreError::not_found("unit", &unit))?;
                let agent: Option<Status<Agent>> =
                    status::find(&mut tx.db, &model, kind::AGENT, unit.as_str()).await?;
                if agent.is_none_or(|agent| agent.status != Agent::Error) {
                    return Err(StoreError::Invalid {
                        code: "unit-not-in-error",
                        message: format!("unit {unit} is not in an error state"),
                    });
                }
                let wanted = if retry { "retry-hooks" } else { "no-hooks" };
                if found == wanted {
                    return Ok(());
                }
                if found != "none" {
                    return Err(StoreError::Invalid {
                        code: "already-resolved",
                        message: format!("unit {unit} is already resolved with {found}"),
                    });
                }
                let sql = "UPDATE unit SET resolved = $3 WHERE model_uuid = $1 AND name = $2";
                tx.db.execute(sql, params![&model, &unit, wanted]).await?;
                tx.touch(&model, namespace::RESOLVED, unit.as_str());
                Ok(())
            })
        })
        .await
    }
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
    let sql = of_which!(
        "SELECT unit.name, unit.life, unit.machine_id, unit.opened_ports, unit.workload_version,
                COALESCE(unit.charm_url, application.charm_url), COALESCE(machine.addresses, '[]'),
                workload.status, workload.message, workload.data, workload.since,
                agent.status, agent.message, agent.data, agent.since, unit.principal, machine.agent
            FROM unit
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
    let rows = which.fetch(db, model, sql).await?;
    rows.iter()
        .map(|row| {
            let mut unit = read(row, presence)?;
            let neighbours = neighbours.remove(unit.info.name.as_str());
            let neighbours = neighbours.unwrap_or_default();
            unit.info.waiting_for = waiting::unit(
                &unit.info.name,
                unit.info.life,
                unit.info.machine.as_ref(),
                unit.agent,
                unit.present,
                &neighbours,
                &cleanups.remove(unit.info.name.as_str()).unwrap_or_default(),
            );
            unit.info.subordinates = neighbours.subordinates;
            let leader = leaders.get(&unit.info.application);
            unit.info.leader = leader.is_some_and(|leader| leader == unit.info.name.as_str());
            Ok(unit.info)
        })
        .collect()
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

/// A unit's own row, with what decides about what it waits for.
struct Read {
    info: UnitInfo,
    agent: Agent,
    present: bool,
}

fn read(row: &Row, presence: Presence<'_>) -> Result<Read> {
    let name: UnitName = row.parse(0, "unit name")?;
    let machine: Option<MachineId> = row.parse_optional(2, "machine")?;
    let host: Option<AgentName> = row.parse_optional(16, "agent")?;
    let present = host.as_ref().is_some_and(presence);
    let workload = status::read_optional(row, 7)?;
    let workload = workload.unwrap_or_else(|| Status::new(Workload::Unknown, ""));
    let agent: Option<Status<Agent>> = status::read_optional(row, 11)?;
    let agent = agent.unwrap_or_else(|| Status::new(Agent::Allocating, ""));
    let said = agent.status;
    let (workload, agent) = displayed(&name, workload, agent, present);
    let addresses: Vec<String> = row.json(6, "addresses")?;
    let life: Life = row.parse(1, "life")?;
    let info = UnitInfo {
        application: name.application(),
        charm: row.text(5)?,
        life,
        machine,
        leader: false,
        workload,
        agent,
        opened_ports: row.json(3, "opened ports")?,
        public_address: addresses.into_iter().next(),
        workload_version: row.text(4)?,
        waiting_for: Vec::new(),
        principal: row.parse_optional(15, "unit name")?,
        subordinates: Vec::new(),
        relations: Vec::new(),
        name,
    };
    Ok(Read {
        info,
        agent: said,
        present,
    })
}

/// That the unit is there.
pub(crate) async fn require(db: &mut Session, model: &ModelUuid, unit: &UnitName) -> Result<()> {
    let sql = "SELECT 1 FROM unit WHERE model_uuid = $1 AND name = $2";
    match db.exists(sql, params![model, unit]).await? {
        true => Ok(()),
        false => Err(StoreError::not_found("unit", unit)),
    }
}

//! Units by name, and the names of units that another entity's change concerns.

use std::collections::HashMap;

use periapt_model::status::{Agent, Status, Workload};
use periapt_model::{Life, MachineId, ModelUuid, UnitName};
use periapt_wire::rest::UnitInfo;

use super::parts::parts;
use super::{Cause, EntityKind, Names, Reader, WantedOfModel, raise};
use crate::Result;
use crate::db::{Session, names, params, part_params};
use crate::relations::{self, Neighbours};
use crate::waiting::{self, Cleanup};
use crate::{lease, status};

/// Turns what is wanted of all units of something into their names.
pub(super) async fn name(
    db: &mut Session,
    model: &ModelUuid,
    wanted: &mut WantedOfModel,
) -> Result<()> {
    if let Some(position) = wanted.agents {
        for (kind, sql) in [
            (
                EntityKind::Unit,
                "SELECT name FROM unit WHERE model_uuid = $1",
            ),
            (
                EntityKind::Machine,
                "SELECT id FROM machine WHERE model_uuid = $1",
            ),
        ] {
            for row in db.fetch(sql, params![model]).await? {
                wanted.add_shown(kind, row.str(0)?, position);
            }
        }
    }
    let units = wanted.names.entry(EntityKind::Unit).or_default();
    for part in parts(&wanted.units_of) {
        let sql = names!(
            "SELECT name, application FROM unit WHERE model_uuid = $1 AND application IN",
            ""
        );
        for row in db.fetch(sql, part_params(model, &part)).await? {
            if let Some(position) = wanted.units_of.get(row.str(1)?) {
                raise(units, row.str(0)?, shown(*position));
            }
        }
    }
    for part in parts(&wanted.units_on) {
        let sql = names!(
            "SELECT name, machine_id FROM unit WHERE model_uuid = $1 AND machine_id IN",
            ""
        );
        for row in db.fetch(sql, part_params(model, &part)).await? {
            if let Some(position) = wanted.units_on.get(row.str(1)?) {
                raise(units, row.str(0)?, shown(*position));
            }
        }
    }
    wanted.names.retain(|_, names| !names.is_empty());
    Ok(())
}

fn shown(position: i64) -> Cause {
    Cause {
        position,
        own: false,
    }
}

/// Reads the named units. `present` says whether their agent is connected.
pub(super) async fn read(reader: &mut Reader, mut names: Names, present: bool) -> Result<()> {
    for part in parts(&names.causes) {
        let mut applications: Vec<&str> = part
            .iter()
            .filter_map(|unit| Some(unit.rsplit_once('/')?.0))
            .collect();
        applications.dedup();
        let leaders = lease::rows::leaders_of(&mut reader.db, &names.model, &applications).await?;
        let mut cleanups = cleanups(reader, &names.model, &part).await?;
        let mut around = around(reader, &names.model, &part).await?;
        let sql = names!(
            "SELECT unit.name, unit.life, unit.machine_id, unit.opened_ports, unit.workload_version,
                COALESCE(unit.charm_url, application.charm_url), COALESCE(machine.addresses, '[]'),
                COALESCE(workload.status, 'unknown'), COALESCE(workload.message, ''),
                COALESCE(workload.data, '{}'), COALESCE(workload.since, 0),
                COALESCE(agent.status, 'allocating'), COALESCE(agent.message, ''),
                COALESCE(agent.data, '{}'), COALESCE(agent.since, 0), unit.principal
            FROM unit
            JOIN application ON application.model_uuid = unit.model_uuid AND application.name = unit.application
            LEFT JOIN machine ON machine.model_uuid = unit.model_uuid AND machine.id = unit.machine_id
            LEFT JOIN status AS workload ON workload.model_uuid = unit.model_uuid
                AND workload.kind = 'workload' AND workload.entity = unit.name
            LEFT JOIN status AS agent ON agent.model_uuid = unit.model_uuid
                AND agent.kind = 'juju-unit' AND agent.entity = unit.name
            WHERE unit.model_uuid = $1 AND unit.name IN",
            ""
        );
        let rows = reader
            .db
            .fetch(sql, part_params(&names.model, &part))
            .await?;
        for row in &rows {
            let name: UnitName = row.parse(0, "unit name")?;
            let life: Life = row.parse(1, "life")?;
            let machine: Option<MachineId> = row.parse_optional(2, "machine")?;
            let workload: Status<Workload> = status::read(row, 7)?;
            let agent: Status<Agent> = status::read(row, 11)?;
            let present = present && machine.is_some();
            let due = cleanups.remove(name.as_str()).unwrap_or_default();
            let neighbours = around.remove(name.as_str()).unwrap_or_default();
            let waiting_for = waiting::unit(
                &name,
                life,
                machine.as_ref(),
                &agent,
                present,
                &neighbours,
                &due,
            );
            let (workload, agent) = status::shown(&name, workload, agent, present);
            let addresses: Vec<String> = row.json(6, "addresses")?;
            let application = name.application();
            let info = UnitInfo {
                charm: row.text(5)?,
                leader: leaders
                    .get(&application)
                    .is_some_and(|leader| leader == name.as_str()),
                opened_ports: row.json(3, "opened ports")?,
                public_address: addresses.into_iter().next(),
                workload_version: row.text(4)?,
                name,
                application,
                life,
                machine,
                workload,
                agent,
                waiting_for,
                principal: row.parse_optional(15, "unit name")?,
                subordinates: neighbours.subordinates,
                relations: Vec::new(),
            };
            names.put(reader, info.name.as_str(), &info)?;
        }
    }
    names.end(reader);
    Ok(())
}

/// The subordinates of units, and the relations that those which go have not left, by unit.
async fn around(
    reader: &mut Reader,
    model: &ModelUuid,
    part: &[String],
) -> Result<HashMap<String, Neighbours>> {
    let mut all: HashMap<String, Neighbours> = HashMap::new();
    let sql = names!(
        "SELECT principal, name FROM unit WHERE model_uuid = $1 AND principal IN",
        "ORDER BY name"
    );
    for row in reader.db.fetch(sql, part_params(model, part)).await? {
        let of_principal = all.entry(row.text(0)?).or_default();
        of_principal.subordinates.push(row.parse(1, "unit name")?);
    }
    let sql = names!(
        "SELECT unit.name, relation_unit.endpoint, relation_unit.relation_id, other.application FROM unit
        JOIN relation_unit ON relation_unit.model_uuid = unit.model_uuid
            AND relation_unit.unit = unit.name AND relation_unit.in_scope = 1
        JOIN relation_endpoint AS other ON other.model_uuid = unit.model_uuid
            AND other.relation_id = relation_unit.relation_id
            AND other.application <> relation_unit.application
        WHERE unit.model_uuid = $1 AND unit.life <> 'alive' AND unit.name IN",
        "ORDER BY unit.name, relation_unit.relation_id"
    );
    for row in reader.db.fetch(sql, part_params(model, part)).await? {
        let of_unit = all.entry(row.text(0)?).or_default();
        of_unit.relations.push(relations::in_words(&row, 1)?);
    }
    Ok(all)
}

/// Clean-ups that units wait for, by unit.
async fn cleanups(
    reader: &mut Reader,
    model: &ModelUuid,
    part: &[String],
) -> Result<HashMap<String, Vec<Cleanup>>> {
    let sql = names!(
        "SELECT subject, kind, due_at, last_error FROM cleanup WHERE model_uuid = $1 AND subject IN",
        "ORDER BY due_at"
    );
    waiting::by_subject(&reader.db.fetch(sql, part_params(model, part)).await?)
}

//! Machines by id.

use std::collections::HashMap;

use periapt_model::UnitName;
use periapt_model::status::Machine;
use periapt_wire::rest::MachineInfo;

use super::parts::parts;
use super::{Names, Reader};
use crate::db::{names, part_params};
use crate::{Result, waiting};

/// Reads the named machines. `present` says whether their agent is connected.
pub(super) async fn read(reader: &mut Reader, mut names: Names, present: bool) -> Result<()> {
    let mut cleanups = waiting::of_machines(&mut reader.db, &names.model).await?;
    for part in parts(&names.causes) {
        let sql = names!(
            "SELECT machine_id, name FROM unit WHERE model_uuid = $1 AND machine_id IN",
            "ORDER BY application, number"
        );
        let rows = reader
            .db
            .fetch(sql, part_params(&names.model, &part))
            .await?;
        let mut units: HashMap<String, Vec<UnitName>> = HashMap::new();
        for row in &rows {
            units
                .entry(row.text(0)?)
                .or_default()
                .push(row.parse(1, "unit name")?);
        }
        let sql = names!(
            "SELECT machine.id, machine.life, machine.instance_id, machine.hardware,
                machine.addresses, machine.created_at,
                COALESCE(agent.status, 'pending'), COALESCE(agent.message, ''),
                COALESCE(instance.status, 'pending'), COALESCE(instance.message, '')
            FROM machine
            LEFT JOIN status AS agent ON agent.model_uuid = machine.model_uuid
                AND agent.kind = 'juju-machine' AND agent.entity = machine.id
            LEFT JOIN status AS instance ON instance.model_uuid = machine.model_uuid
                AND instance.kind = 'machine' AND instance.entity = machine.id
            WHERE machine.model_uuid = $1 AND machine.id IN",
            ""
        );
        let rows = reader
            .db
            .fetch(sql, part_params(&names.model, &part))
            .await?;
        for row in &rows {
            let mut agent: Machine = row.parse(6, "status")?;
            let mut agent_message = row.text(7)?;
            if agent != Machine::Pending && !present {
                agent = Machine::Down;
                agent_message = "agent is not communicating with the server".to_owned();
            }
            let id = row.parse(0, "machine")?;
            let life = row.parse(1, "life")?;
            let instance_id = row.optional_text(2)?;
            let provisioned = instance_id.is_some();
            let units = units.remove(row.str(0)?).unwrap_or_default();
            let due = cleanups.remove(row.str(0)?).unwrap_or_default();
            let info = MachineInfo {
                waiting_for: waiting::machine(&id, life, provisioned, present, &units, &due),
                id,
                life,
                instance_id: instance_id.unwrap_or_else(|| "pending".to_owned()),
                agent_status: agent.to_string(),
                agent_message,
                instance_status: row.text(8)?,
                instance_message: row.text(9)?,
                addresses: row.json(4, "addresses")?,
                hardware: row.text(3)?,
                units,
                created_at: row.int(5)?,
            };
            names.put(reader, info.id.as_str(), &info)?;
        }
    }
    names.end(reader);
    Ok(())
}

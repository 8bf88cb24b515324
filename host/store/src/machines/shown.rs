//! Machines as shown: one reading for single ones, lists and the feed.

use std::collections::HashMap;

use periapt_model::status::{Machine, Status, displayed_machine};
use periapt_model::{MachineId, ModelUuid, UnitName};
use periapt_wire::rest::MachineInfo;

use crate::db::{Session, Which, of_which};
use crate::error::StoreError;
use crate::{Presence, Result, Store, status, waiting};

impl Store {
    /// All machines of a model. Those whose agent is absent show as down.
    pub async fn machines(
        &self,
        model: &ModelUuid,
        presence: Presence<'_>,
    ) -> Result<Vec<MachineInfo>> {
        let mut db = self.snapshot().await?;
        crate::require_model(&mut db, model).await?;
        load(&mut db, model, Which::All, presence).await
    }

    /// One machine.
    pub async fn machine(
        &self,
        model: &ModelUuid,
        machine: &MachineId,
        presence: Presence<'_>,
    ) -> Result<MachineInfo> {
        let mut db = self.snapshot().await?;
        load(
            &mut db,
            model,
            Which::Named(&[machine.to_string()]),
            presence,
        )
        .await?
        .pop()
        .ok_or_else(|| StoreError::not_found("machine", machine))
    }
}

/// What is shown of an instance that is not there yet, as in Juju.
pub(crate) fn instance_id(found: Option<String>) -> String {
    found.unwrap_or_else(|| "pending".to_owned())
}

/// Machines as shown, in the order they were made; of the named those that there are.
pub(crate) async fn load(
    db: &mut Session,
    model: &ModelUuid,
    which: Which<'_>,
    presence: Presence<'_>,
) -> Result<Vec<MachineInfo>> {
    let sql = of_which!(
        "SELECT machine_id, name FROM unit WHERE model_uuid = $1 AND machine_id IS NOT NULL",
        "machine_id",
        "ORDER BY application, number"
    );
    let mut units: HashMap<String, Vec<UnitName>> = HashMap::new();
    for row in which.fetch(db, model, sql).await? {
        let unit = row.parse(1, "unit name")?;
        units.entry(row.text(0)?).or_default().push(unit);
    }
    let mut cleanups = waiting::of_machines(db, model, which).await?;
    let sql = of_which!(
        "SELECT machine.id, machine.life, machine.instance_id, machine.hardware, machine.addresses,
                machine.created_at, agent.status, agent.message, agent.data, agent.since,
                instance.status, instance.message, instance.data, instance.since, machine.agent
            FROM machine
            LEFT JOIN status AS agent ON agent.model_uuid = machine.model_uuid
                AND agent.kind = 'juju-machine' AND agent.entity = machine.id
            LEFT JOIN status AS instance ON instance.model_uuid = machine.model_uuid
                AND instance.kind = 'machine' AND instance.entity = machine.id
            WHERE machine.model_uuid = $1",
        "machine.id",
        "ORDER BY machine.created_at, machine.id"
    );
    let rows = which.fetch(db, model, sql).await?;
    let pending = || Status::new(Machine::Pending, "");
    rows.iter()
        .map(|row| {
            let id: MachineId = row.parse(0, "machine")?;
            let present = presence(&row.parse(14, "agent")?);
            let agent = status::read_optional(row, 6)?.unwrap_or_else(pending);
            let agent = displayed_machine(agent, present);
            let instance = status::read_optional(row, 10)?.unwrap_or_else(pending);
            let instance_id = row.optional_text(2)?;
            let units = units.remove(id.as_str()).unwrap_or_default();
            let life = row.parse(1, "life")?;
            let cleanups = cleanups.remove(id.as_str()).unwrap_or_default();
            let provisioned = instance_id.is_some();
            Ok(MachineInfo {
                waiting_for: waiting::machine(&id, life, provisioned, present, &units, &cleanups),
                life,
                instance_id: self::instance_id(instance_id),
                agent_status: agent.status.to_string(),
                agent_message: agent.message,
                instance_status: instance.status.to_string(),
                instance_message: instance.message,
                addresses: row.json(4, "addresses")?,
                hardware: row.text(3)?,
                units,
                created_at: row.int(5)?,
                id,
            })
        })
        .collect()
}

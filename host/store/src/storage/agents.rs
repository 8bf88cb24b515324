//! On whose machine the directory of a storage is: on that of the first unit that has it.

use periapt_model::storage::StorageId;
use periapt_model::{AgentName, MachineId, ModelUuid, UnitName};

use super::rows::changed;
use crate::Result;
use crate::db::{Tx, params};

/// The machine has an instance: what its units have and nobody made yet is made there.
pub(crate) async fn host_known(
    tx: &mut Tx,
    model: &ModelUuid,
    machine: &MachineId,
    agent: &AgentName,
) -> Result<()> {
    let sql = "SELECT storage.id FROM storage
        WHERE storage.model_uuid = $1 AND storage.agent IS NULL AND storage.id IN (
            SELECT storage_attachment.storage FROM storage_attachment
            JOIN unit ON unit.model_uuid = storage_attachment.model_uuid
                AND unit.name = storage_attachment.unit
            WHERE storage_attachment.model_uuid = $1 AND unit.machine_id = $2)
        ORDER BY storage.number";
    let ids: Vec<StorageId> = tx.db.words("storage", sql, params![model, machine]).await?;
    for id in ids {
        let sql = "UPDATE storage SET agent = $3
            WHERE model_uuid = $1 AND id = $2 AND agent IS NULL";
        let values = params![model, id.to_string(), agent.to_string()];
        tx.db.execute(sql, values).await?;
        changed(tx, model, &id).await?;
    }
    Ok(())
}

/// The unit has a machine, or another storage. Nothing happens before the machine has an instance.
pub(crate) async fn unit_placed(tx: &mut Tx, model: &ModelUuid, unit: &UnitName) -> Result<()> {
    let sql = "SELECT 1 FROM storage_attachment WHERE model_uuid = $1 AND unit = $2 LIMIT 1";
    if !tx.db.exists(sql, params![model, unit]).await? {
        return Ok(());
    }
    let sql = "SELECT machine.id FROM unit
        JOIN machine ON machine.model_uuid = unit.model_uuid AND machine.id = unit.machine_id
        WHERE unit.model_uuid = $1 AND unit.name = $2 AND machine.instance_id IS NOT NULL";
    let machine: Option<MachineId> = tx.db.word("machine", sql, params![model, unit]).await?;
    let Some(machine) = machine else {
        return Ok(());
    };
    match agent_of(tx, model, unit).await? {
        Some(agent) => host_known(tx, model, &machine, &agent).await,
        None => Ok(()),
    }
}

/// The agent that opens what a unit has; none while its machine has no instance.
pub(super) async fn agent_of(
    tx: &mut Tx,
    model: &ModelUuid,
    unit: &UnitName,
) -> Result<Option<AgentName>> {
    let sql = "SELECT machine.agent FROM unit
        JOIN machine ON machine.model_uuid = unit.model_uuid AND machine.id = unit.machine_id
        WHERE unit.model_uuid = $1 AND unit.name = $2 AND machine.instance_id IS NOT NULL";
    Ok(tx.db.word("agent", sql, params![model, unit]).await?)
}

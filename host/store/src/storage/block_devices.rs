//! Block devices of the machines of agents, as each agent told them last.

use periapt_model::refusal::Subject;
use periapt_model::{AgentName, MachineId, ModelUuid};
use periapt_wire::rest::BlockDevice;

use crate::changes::namespace;
use crate::db::{Session, columns, json, params, to_json};
use crate::error::StoreError;
use crate::{Result, Store, require_model};

/// Devices of one machine that are kept, and bytes of what is kept of one: an agent that was taken over fills no
/// database.
const MOST: usize = 1_000;
const DEVICE_BYTES: usize = 8 << 10;

columns! {
    struct DeviceRow {
        device: BlockDevice = "device" as json,
    }
    const DEVICES = "FROM block_device WHERE model_uuid = $1 AND agent = $2 ORDER BY name";
}

async fn devices(
    db: &mut Session,
    model: &ModelUuid,
    agent: &AgentName,
) -> Result<Vec<BlockDevice>> {
    let key = params![model, agent.to_string()];
    let rows: Vec<DeviceRow> = db.all(DEVICES, key).await?;
    Ok(rows.into_iter().map(|row| row.device).collect())
}

impl Store {
    /// Replaces what is known of an agent's machine. The same again writes nothing.
    pub async fn set_block_devices(
        &self,
        model: &ModelUuid,
        agent: &AgentName,
        mut found: Vec<BlockDevice>,
    ) -> Result<()> {
        let bytes = |device: &BlockDevice| {
            let BlockDevice {
                name,
                filesystem_type,
                mount_point,
                ..
            } = device;
            name.len() + filesystem_type.len() + mount_point.len()
        };
        found.retain(|device| bytes(device) <= DEVICE_BYTES);
        found.sort();
        found.dedup_by(|one, other| one.name == other.name);
        found.truncate(MOST);
        let (model, agent) = (model.clone(), agent.clone());
        self.write(move |tx| {
            Box::pin(async move {
                require_model(&mut tx.db, &model).await?;
                let mut before = devices(&mut tx.db, &model, &agent).await?;
                before.sort();
                if before == found {
                    return Ok(());
                }
                let name = agent.to_string();
                let sql = "DELETE FROM block_device WHERE model_uuid = $1 AND agent = $2";
                tx.db.execute(sql, params![&model, &name]).await?;
                let mut rows = Vec::with_capacity(found.len());
                for device in &found {
                    rows.push(params![&model, &name, &device.name, to_json(device)?]);
                }
                let head = "INSERT INTO block_device (model_uuid, agent, name, device)";
                tx.db.insert_many(head, "", rows).await?;
                tx.touch(&model, namespace::BLOCK_DEVICE, name);
                Ok(())
            })
        })
        .await
    }

    /// The block devices of the machine that a machine of the model is, by name; none while it has no instance.
    pub async fn block_devices(
        &self,
        model: &ModelUuid,
        machine: &MachineId,
    ) -> Result<Vec<BlockDevice>> {
        let agent = self.machine_agent(model, machine).await?;
        let agent = agent.ok_or_else(|| StoreError::not_found(Subject::Machine, machine))?;
        match agent {
            Some(agent) => devices(&mut self.glance().await?, model, &agent).await,
            None => Ok(Vec::new()),
        }
    }
}

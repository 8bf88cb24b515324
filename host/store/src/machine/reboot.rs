//! Reboots of machines: asked for by hooks and by people, carried out by the machine's agent.
//!
//! That one is asked for is a word on the machine's row and stays until it is carried out, whoever dies in
//! between. It is counted in the transaction that takes the word away; units compare the count with the one
//! that they ran `start` for.

use periapt_model::{MachineId, ModelUuid};
use periapt_wire::agent::reboot::Reboots;

use crate::changes::namespace;
use crate::db::{Tx, columns, params};
use crate::{Result, Store};

#[cfg(test)]
mod tests;

columns! {
    struct Row -> Reboots {
        wanted = "reboot_wanted",
        count = "reboots",
    }
    const REBOOTS = "FROM machine WHERE model_uuid = $1 AND id = $2";
}

impl Store {
    /// Where a machine stands with its reboots; none of one that is gone.
    pub async fn reboots(&self, model: &ModelUuid, machine: &MachineId) -> Result<Option<Reboots>> {
        let mut db = self.glance().await?;
        Ok(db.one(REBOOTS, params![model, machine]).await?)
    }

    /// A machine reboots now. Nothing happens where nobody asked for it.
    pub async fn clear_reboot(&self, model: &ModelUuid, machine: &MachineId) -> Result<()> {
        let (model, machine) = (model.clone(), machine.clone());
        self.write(move |tx| {
            Box::pin(async move {
                let sql = "UPDATE machine SET reboot_wanted = 0, reboots = reboots + 1
                    WHERE model_uuid = $1 AND id = $2 AND reboot_wanted <> 0";
                if tx.db.execute(sql, params![&model, &machine]).await? > 0 {
                    tx.touch(&model, namespace::REBOOT, machine.as_str());
                }
                Ok(())
            })
        })
        .await
    }
}

/// Has a machine reboot. To ask twice is to ask once.
pub(crate) async fn request(tx: &mut Tx, model: &ModelUuid, machine: &MachineId) -> Result<()> {
    let sql = "UPDATE machine SET reboot_wanted = 1
        WHERE model_uuid = $1 AND id = $2 AND reboot_wanted = 0";
    if tx.db.execute(sql, params![model, machine]).await? > 0 {
        tx.touch(model, namespace::REBOOT, machine.as_str());
    }
    Ok(())
}

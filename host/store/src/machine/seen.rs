//! What the instance poller says of machines: how their instances are and where they are reached.

use periapt_model::ModelUuid;
use periapt_model::provisioning::is_polled;
use periapt_model::status::Machine;
use periapt_wire::agent::instance_poller::InstanceSeen;

use crate::changes::namespace;
use crate::db::{Tx, params, to_json};
use crate::status::{self, kind};
use crate::{Result, Store};

#[cfg(test)]
mod tests;

impl Store {
    /// Records what a provider says of instances, in one transaction. A machine that is not alive any
    /// more or has another instance by now is left out, and so is a status of somebody else's.
    pub async fn set_instances_seen(
        &self,
        model: &ModelUuid,
        instances: Vec<InstanceSeen>,
    ) -> Result<()> {
        let model = model.clone();
        self.write(move |tx| {
            Box::pin(async move {
                for seen in &instances {
                    put(tx, &model, seen).await?;
                }
                Ok(())
            })
        })
        .await
    }
}

async fn put(tx: &mut Tx, model: &ModelUuid, seen: &InstanceSeen) -> Result<()> {
    let machine = &seen.machine;
    let sql = "SELECT status.status FROM machine
        JOIN status ON status.model_uuid = machine.model_uuid AND status.kind = 'machine'
            AND status.entity = machine.id
        WHERE machine.model_uuid = $1 AND machine.id = $2 AND machine.instance_id = $3
            AND machine.life = 'alive'";
    let key = params![model, machine, &seen.instance_id];
    let Some(now) = tx.db.word::<Machine>("machine status", sql, key).await? else {
        return Ok(());
    };
    let sql = "UPDATE machine SET addresses = $3
        WHERE model_uuid = $1 AND id = $2 AND addresses <> $3";
    let values = params![model, machine, to_json(&seen.addresses)?];
    if tx.db.execute(sql, values).await? > 0 {
        tx.touch(model, namespace::MACHINE, machine.as_str());
    }
    match &seen.status {
        Some(status) if is_polled(now) => {
            status::put_machine(tx, model, kind::INSTANCE, machine, status).await
        }
        _ => Ok(()),
    }
}

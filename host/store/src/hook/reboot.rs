//! A reboot that a hook asked for: with its commit, or at once, in place of one.

use periapt_contract::Effect;
use periapt_contract::reboot::Changes;
use periapt_model::refusal::Subject;
use periapt_model::status::{Agent, Status};
use periapt_model::uniter::OperationState;
use periapt_model::{MachineId, ModelUuid, UnitName};

use super::effects::Committing;
use super::put_operation;
use crate::db::{Tx, columns, optional_word, params, to_json};
use crate::error::StoreError;
use crate::machine::reboot;
use crate::{Result, Store, status};

columns! {
    struct Place {
        machine: Option<MachineId> = "machine_id" as optional_word,
    }
    const PLACE = "FROM unit WHERE model_uuid = $1 AND name = $2";
}

impl Store {
    /// A hook asked for a reboot at once: the state in which it is queued, the reboot and the status that
    /// shows it.
    pub async fn request_reboot(
        &self,
        model: &ModelUuid,
        unit: &UnitName,
        from: u64,
        operation: &OperationState,
        agent: Status<Agent>,
    ) -> Result<()> {
        let (model, unit, operation) = (model.clone(), unit.clone(), to_json(operation)?);
        self.write(move |tx| {
            Box::pin(async move {
                let place = tx.db.one(PLACE, params![&model, &unit]).await?;
                let place = place.ok_or_else(|| StoreError::not_found(Subject::Unit, &unit))?;
                put_operation(tx, &model, &unit, from, &operation).await?;
                if let Some(machine) = &place.machine {
                    reboot::request(tx, &model, machine).await?;
                }
                status::put_agent(tx, &model, &unit, &agent).await
            })
        })
        .await
    }
}

pub(super) async fn apply(tx: &mut Tx, of: Committing<'_>, changes: &Changes) -> Result<()> {
    match &of.row.machine {
        Some(machine) if !changes.changes_nothing() => reboot::request(tx, of.model, machine).await,
        _ => Ok(()),
    }
}

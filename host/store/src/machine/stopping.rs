//! Agents that a person stops, and those that a person starts again.
//!
//! What a person said is kept here; that it comes about is the part of the deployer for a unit
//! and of the provisioner for the process of a model.

use periapt_model::refusal::Subject;
use periapt_model::status::{Agent, Machine, Status};
use periapt_model::{Life, MachineId, ModelUuid, Refusal, UnitName};

use crate::changes::namespace;
use crate::db::{Tx, columns, optional_word, params, word};
use crate::error::StoreError;
use crate::status::{self, kind};
use crate::{Result, Store};

#[cfg(test)]
mod tests;

columns! {
    /// A unit that is to be stopped or started.
    struct Standing {
        life: Life = "life" as word,
        machine: Option<MachineId> = "machine_id" as optional_word,
    }
    const STANDING = "FROM unit WHERE model_uuid = $1 AND name = $2";
}

impl Store {
    /// Stops the agent of a unit, until it is started again; the unit stays. Nothing happens when
    /// it is stopped already.
    pub async fn stop_unit(&self, model: &ModelUuid, unit: &UnitName) -> Result<()> {
        self.set_stopped(model, unit, true).await
    }

    /// Starts the agent of a unit that was stopped. Nothing happens when it was not.
    pub async fn start_unit(&self, model: &ModelUuid, unit: &UnitName) -> Result<()> {
        self.set_stopped(model, unit, false).await
    }

    async fn set_stopped(&self, model: &ModelUuid, unit: &UnitName, stopped: bool) -> Result<()> {
        let (model, unit) = (model.clone(), unit.clone());
        self.write(move |tx| {
            Box::pin(async move {
                let found = tx.db.one(STANDING, params![&model, &unit]).await?;
                let found = found.ok_or_else(|| StoreError::not_found(Subject::Unit, &unit))?;
                if found.life == Life::Dead {
                    return Err(StoreError::NotAlive {
                        kind: Subject::Unit,
                        name: unit.to_string(),
                        life: found.life,
                    });
                }
                let sql = "UPDATE unit SET agent_stopped = $3
                    WHERE model_uuid = $1 AND name = $2 AND agent_stopped <> $3";
                let values = params![&model, &unit, i64::from(stopped)];
                let changed = tx.db.execute(sql, values).await? > 0;
                if let Some(machine) = found.machine.filter(|_| changed) {
                    tx.touch(&model, namespace::MACHINE_UNITS, machine.as_str());
                }
                Ok(())
            })
        })
        .await
    }

    /// Shows a unit as stopped, once its agent is. What the status said of a failed hook is kept
    /// for the agent to find again. Nothing happens when the unit was started in the meantime.
    pub async fn show_stopped(&self, model: &ModelUuid, unit: &UnitName) -> Result<()> {
        let (model, unit) = (model.clone(), unit.clone());
        self.write(move |tx| {
            Box::pin(async move {
                if !is_stopped(tx, &model, &unit).await? {
                    return Ok(());
                }
                let shown: Option<Status<Agent>> =
                    status::find(&mut tx.db, &model, kind::AGENT, unit.as_str()).await?;
                let message =
                    format!("stopped by a person; start it again: periapt start-unit {unit}");
                let stopped = Status {
                    data: shown.map(|shown| shown.data).unwrap_or_default(),
                    ..Status::new(Agent::Stopped, message)
                };
                status::put_agent(tx, &model, &unit, &stopped).await
            })
        })
        .await
    }

    /// Has the agent of the model's machines, which ended for good, started again.
    pub async fn start_agent(&self, model: &ModelUuid) -> Result<()> {
        let model = model.clone();
        self.write(move |tx| {
            Box::pin(async move {
                crate::require_model(&mut tx.db, &model).await?;
                let sql = "SELECT entity FROM status
                    WHERE model_uuid = $1 AND kind = $2 AND status = $3";
                let values = params![&model, kind::INSTANCE, Machine::Stopped.as_str()];
                let machines: Vec<MachineId> = tx.db.words("machine", sql, values).await?;
                if machines.is_empty() {
                    return Err(StoreError::Refused {
                        refusal: Refusal::AgentNotStopped,
                        message: "the model's agent has not ended for good".to_owned(),
                    });
                }
                let starts = Status::new(Machine::Pending, "its agent is started again");
                for machine in machines {
                    status::put_machine(tx, &model, kind::INSTANCE, &machine, &starts).await?;
                    tx.touch(&model, namespace::MACHINE, machine.as_str());
                }
                Ok(())
            })
        })
        .await
    }
}

async fn is_stopped(tx: &mut Tx, model: &ModelUuid, unit: &UnitName) -> Result<bool> {
    let sql = "SELECT agent_stopped FROM unit WHERE model_uuid = $1 AND name = $2";
    let stopped = tx.db.scalar(sql, params![model, unit]).await?;
    stopped.ok_or_else(|| StoreError::not_found(Subject::Unit, unit))
}

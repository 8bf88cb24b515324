//! What the agents of machines make of their tasks, which the agent itself carries out.

use periapt_model::refusal::Subject;
use periapt_model::task::{Beside, DueTask, Receiver, TaskId, TaskStatus};
use periapt_model::{MachineId, ModelUuid};
use periapt_wire::agent::uniter::TaskEnd;

use super::agent::{Ending, begin, end};
use super::{TaskRow, find};
use crate::db::{Tx, columns, params, word};
use crate::error::StoreError;
use crate::machine::{self, reboot};
use crate::{Result, Store};

columns! {
    struct Due -> DueTask {
        id = "id",
        dispatch = "dispatch",
        status = "status" as word,
        ; beside: Beside::Anything
    }
    const DUE = "FROM task WHERE model_uuid = $1 AND receiver = $2 AND ended = 0 ORDER BY id";
}

impl Store {
    /// The tasks of a machine that have not ended, oldest first.
    pub async fn machine_tasks(
        &self,
        model: &ModelUuid,
        machine: &MachineId,
    ) -> Result<Vec<DueTask>> {
        let receiver = Receiver::Machine(machine.clone()).to_string();
        let mut db = self.glance().await?;
        Ok(db.all(DUE, params![model, receiver]).await?)
    }

    /// Records that a task begins; false where it is not to be run: it has ended, or began before. One of a
    /// machine that leaves is cancelled instead.
    pub async fn begin_machine_task(
        &self,
        model: &ModelUuid,
        machine: &MachineId,
        task: TaskId,
    ) -> Result<bool> {
        let (model, machine) = (model.clone(), machine.clone());
        self.write(move |tx| {
            Box::pin(async move {
                let life = machine::require(&mut tx.db, &model, &machine).await?;
                let task = of_machine(tx, &model, &machine, task).await?;
                if task.status != TaskStatus::Pending {
                    return Ok(false);
                }
                if !life.is_alive() {
                    let why = format!("machine {machine} is being removed");
                    let ending = Ending::of(TaskStatus::Cancelled, why);
                    end(tx, &model, &task, &ending).await?;
                    return Ok(false);
                }
                begin(tx, &model, &task).await?;
                Ok(true)
            })
        })
        .await
    }

    /// Ends a task that runs, and has the machine reboot if that is what it was about. One that has ended
    /// stays as it is.
    pub async fn end_machine_task(
        &self,
        model: &ModelUuid,
        machine: &MachineId,
        ended: TaskEnd,
        reboots: bool,
    ) -> Result<()> {
        let (model, machine) = (model.clone(), machine.clone());
        self.write(move |tx| {
            Box::pin(async move {
                let task = of_machine(tx, &model, &machine, ended.id).await?;
                let Some(status) = task.status.ends(ended.status) else {
                    return Ok(());
                };
                let ending = Ending {
                    status,
                    message: ended.message,
                    results: ended.results,
                };
                end(tx, &model, &task, &ending).await?;
                match reboots {
                    true => reboot::request(tx, &model, &machine).await,
                    false => Ok(()),
                }
            })
        })
        .await
    }
}

/// A task, if it is one of the machine.
async fn of_machine(
    tx: &mut Tx,
    model: &ModelUuid,
    machine: &MachineId,
    task: TaskId,
) -> Result<TaskRow> {
    let found = find(&mut tx.db, model, task).await?;
    match &found.receiver {
        Receiver::Machine(own) if own == machine => Ok(found),
        _ => Err(StoreError::not_found(Subject::Task, task)),
    }
}

//! What agents make of tasks.

use periapt_engine::failpoint;
use periapt_model::bounds::TEXT_BYTES;
use periapt_model::cause::Cause;
use periapt_model::refusal::Subject;
use periapt_model::status::{Agent, Status};
use periapt_model::task::{Receiver, Results, TaskId, TaskStatus};
use periapt_model::{ModelUuid, UnitName};
use periapt_wire::agent::uniter::{HookReport, TaskEnd, TaskToRun};

use super::{TaskRow, find, touch};
use crate::changes::namespace;
use crate::db::{Tx, columns, json, params, to_json};
use crate::error::StoreError;
use crate::hook::runs;
use crate::{Result, Store, status};

/// How a task ends.
pub(crate) struct Ending {
    pub status: TaskStatus,
    pub message: String,
    pub results: Results,
}

impl Ending {
    pub fn of(status: TaskStatus, message: impl Into<String>) -> Self {
        Self {
            status,
            message: message.into(),
            results: Results::new(),
        }
    }
}

columns! {
    struct ToRun -> TaskToRun {
        parameters = "parameters" as json,
        arguments = "arguments" as json,
        timeout_ms = "timeout",
    }
    const TO_RUN = "FROM task WHERE model_uuid = $1 AND id = $2";
}

impl Store {
    /// Records that a task begins, and shows it. None where it is not to be run: it has ended, or began
    /// before. One of a unit that leaves is cancelled instead.
    pub async fn begin_task(
        &self,
        model: &ModelUuid,
        unit: &UnitName,
        task: TaskId,
        agent: Status<Agent>,
    ) -> Result<Option<TaskToRun>> {
        let (model, unit) = (model.clone(), unit.clone());
        let begun = self.write(move |tx| {
            Box::pin(async move {
                let life = crate::unit::life(&mut tx.db, &model, &unit).await?;
                let task = of_unit(tx, &model, &unit, task).await?;
                if task.status != TaskStatus::Pending {
                    return Ok(None);
                }
                if !life.is_alive() {
                    let ending = Ending::of(
                        TaskStatus::Cancelled,
                        format!("unit {unit} is being removed"),
                    );
                    end(tx, &model, &task, &ending).await?;
                    return Ok(None);
                }
                begin(tx, &model, &task).await?;
                status::put_agent(tx, &model, &unit, &agent).await?;
                Ok(tx.db.one(TO_RUN, params![&model, task.id]).await?)
            })
        });
        let begun = begun.await?;
        failpoint::reach("store-after-begin-task");
        Ok(begun)
    }

    /// Ends a task of which nothing is committed. One that has ended stays as it is.
    pub async fn end_task(
        &self,
        model: &ModelUuid,
        unit: &UnitName,
        ended: TaskEnd,
        run: Option<HookReport>,
    ) -> Result<()> {
        let (model, unit) = (model.clone(), unit.clone());
        let recorded = self.write(move |tx| {
            Box::pin(async move {
                let task = of_unit(tx, &model, &unit, ended.id).await?;
                let id = tx.next_id();
                tx.cause = Cause::Run(id).to_string();
                if let Some(status) = task.status.ends(ended.status) {
                    let ending = Ending {
                        status,
                        message: ended.message,
                        results: ended.results,
                    };
                    end(tx, &model, &task, &ending).await?;
                }
                match &run {
                    Some(run) => runs::insert(tx, &model, &unit, run, id).await,
                    None => Ok(()),
                }
            })
        });
        recorded.await?;
        failpoint::reach("store-after-end-task");
        Ok(())
    }

    /// A line of progress of a task that runs; of any other it is nobody's.
    pub async fn log_task(
        &self,
        model: &ModelUuid,
        unit: &UnitName,
        task: TaskId,
        message: &str,
    ) -> Result<()> {
        let (model, unit) = (model.clone(), unit.clone());
        let message = TEXT_BYTES.cut(message).into_owned();
        self.write(move |tx| {
            Box::pin(async move {
                let task = of_unit(tx, &model, &unit, task).await?;
                if task.status.has_ended() {
                    return Ok(());
                }
                let sql = "INSERT INTO task_log (model_uuid, task, line, time, message)
                    SELECT $1, $2, COUNT(*), $3, $4 FROM task_log WHERE model_uuid = $1 AND task = $2";
                tx.db
                    .execute(sql, params![&model, task.id, tx.now, message])
                    .await?;
                tx.touch(&model, namespace::OPERATION, task.operation.to_string());
                Ok(())
            })
        })
        .await
    }

    /// How far a task of a unit is; none of one that is forgotten.
    pub async fn task_status(
        &self,
        model: &ModelUuid,
        unit: &UnitName,
        task: TaskId,
    ) -> Result<Option<TaskStatus>> {
        let found = self
            .glance()
            .await?
            .one(super::TASK, params![model, task])
            .await?;
        let found: Option<TaskRow> = found;
        Ok(found
            .filter(|task| is_of(task, unit))
            .map(|task| task.status))
    }
}

fn is_of(task: &TaskRow, unit: &UnitName) -> bool {
    matches!(&task.receiver, Receiver::Unit(own) if own == unit)
}

/// A task, if it is one of the unit.
async fn of_unit(tx: &mut Tx, model: &ModelUuid, unit: &UnitName, task: TaskId) -> Result<TaskRow> {
    let found = find(&mut tx.db, model, task).await?;
    match is_of(&found, unit) {
        true => Ok(found),
        false => Err(StoreError::not_found(Subject::Task, task)),
    }
}

/// Writes down that a task that waited runs now.
pub(super) async fn begin(tx: &mut Tx, model: &ModelUuid, task: &TaskRow) -> Result<()> {
    let sql = "UPDATE task SET status = $3, started_at = $4
        WHERE model_uuid = $1 AND id = $2 AND status = 'pending'";
    let running = TaskStatus::Running.as_str();
    tx.db
        .execute(sql, params![model, task.id, running, tx.now])
        .await?;
    touch(tx, model, task);
    Ok(())
}

/// Ends a task with what it changed, in the transaction that commits that. One that is not running is not
/// the unit's to end, and nothing of it is committed.
pub(crate) async fn complete(
    tx: &mut Tx,
    model: &ModelUuid,
    unit: &UnitName,
    task: TaskId,
    ending: Ending,
) -> Result<()> {
    let task = of_unit(tx, model, unit, task).await?;
    let Some(status) = task.status.ends(ending.status) else {
        return Err(StoreError::bad_request(format!(
            "task {} is {}; only one that runs can end",
            task.id, task.status
        )));
    };
    end(tx, model, &task, &Ending { status, ..ending }).await
}

/// Writes down how a task ended.
pub(crate) async fn end(
    tx: &mut Tx,
    model: &ModelUuid,
    task: &TaskRow,
    ending: &Ending,
) -> Result<()> {
    let sql =
        "UPDATE task SET status = $3, ended = 1, message = $4, results = $5, completed_at = $6
        WHERE model_uuid = $1 AND id = $2 AND ended = 0";
    let message = TEXT_BYTES.cut(&ending.message);
    let values = params![
        model,
        task.id,
        ending.status.as_str(),
        message.as_ref(),
        to_json(&ending.results)?,
        tx.now
    ];
    tx.db.execute(sql, values).await?;
    touch(tx, model, task);
    Ok(())
}

//! Operations and their tasks: what people ask units and machines to run, what agents make of it, and how it is shown.
//!
//! A task is run at most once: the transaction that begins it finds it pending, and no other one makes it
//! that again. It always ends: with its commit, by its agent's word, with its unit, or, where the process
//! that ran it is gone, by the word of the next.

use periapt_model::ModelUuid;
use periapt_model::refusal::Subject;
use periapt_model::task::{Receiver, TaskId, TaskStatus};

use crate::Result;
use crate::changes::namespace;
use crate::db::{Session, Tx, columns, params, word};
use crate::error::StoreError;
use crate::tables::{Table, tables};

mod agent;
mod enqueue;
mod machine;
mod prune;
mod reading;
#[cfg(test)]
mod tests;

pub(crate) use agent::{Ending, complete, end};
pub(crate) use reading::briefs;

pub(crate) const TABLES: &[Table] = tables! {
    "operation";
    "task";
    "task_log";
};

/// The sequence of which operations and tasks have their numbers.
const NUMBERS: &str = "operation";

columns! {
    /// What a task is about and how far it is.
    pub(crate) struct TaskRow {
        id: TaskId = "id",
        operation: TaskId = "operation",
        receiver: Receiver = "receiver" as word,
        status: TaskStatus = "status" as word,
    }
    const TASK = "FROM task WHERE model_uuid = $1 AND id = $2";
    const NOT_ENDED = "FROM task WHERE model_uuid = $1 AND receiver = $2 AND ended = 0 ORDER BY id";
}

async fn find(db: &mut Session, model: &ModelUuid, task: TaskId) -> Result<TaskRow> {
    let found = db.one(TASK, params![model, task]).await?;
    found.ok_or_else(|| StoreError::not_found(Subject::Task, task))
}

/// Something became of a task: those hear of it who watch its operation, and the agent that runs it.
fn touch(tx: &mut Tx, model: &ModelUuid, task: &TaskRow) {
    tx.touch(model, namespace::OPERATION, task.operation.to_string());
    tx.touch(model, namespace::TASK, task.receiver.to_string());
}

/// A unit or a machine is gone: what it had yet to run is cancelled, and what it ran has failed.
pub(crate) async fn gone(tx: &mut Tx, model: &ModelUuid, receiver: &Receiver) -> Result<()> {
    for task in tx
        .db
        .all(NOT_ENDED, params![model, receiver.to_string()])
        .await?
    {
        let status = match task.status {
            TaskStatus::Pending => TaskStatus::Cancelled,
            status => status.broken_off().unwrap_or(TaskStatus::Cancelled),
        };
        let who = match receiver {
            Receiver::Unit(unit) => format!("unit {unit}"),
            Receiver::Machine(machine) => format!("machine {machine}"),
        };
        let ending = Ending::of(status, format!("{who} was removed"));
        end(tx, model, &task, &ending).await?;
    }
    Ok(())
}

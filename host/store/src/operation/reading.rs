//! Operations and tasks as people are shown them.

use std::collections::BTreeMap;

use periapt_model::refusal::Subject;
use periapt_model::task::{ACTIONS, Asked, Receiver, TaskId, TaskStatus, operation_status};
use periapt_model::{ApplicationName, MachineId, ModelUuid, UnitName};
use periapt_wire::rest::{
    ActionInfo, ApplicationActions, OperationInfo, OperationQuery, Page, TaskInfo, TaskLine,
};

use crate::db::{Cells, Param, Session, columns, json, names, params, word};
use crate::error::StoreError;
use crate::page::{Paging, before};
use crate::{DatabaseError, Result, Store, charm, require_model};

columns! {
    struct OperationRow {
        id: TaskId = "id",
        summary: String = "summary",
        user: String = "requested_by",
        enqueued_at: i64 = "enqueued_at",
    }
    const OPERATION = "FROM operation WHERE model_uuid = $1 AND id = $2";
    const BY_ID = names!("FROM operation WHERE model_uuid = $1 AND id IN", "");
    /// Each filter is a list in JSON, and does nothing where it is empty.
    const NEWEST = "FROM operation WHERE model_uuid = $1 AND id < $2
        AND ($3 = '' OR EXISTS (SELECT 1 FROM task WHERE task.model_uuid = operation.model_uuid
            AND task.operation = operation.id
            AND $3 LIKE '%,' || task.receiver || ',%'))
        AND ($4 = '' OR EXISTS (SELECT 1 FROM task WHERE task.model_uuid = operation.model_uuid
            AND task.operation = operation.id
            AND $4 LIKE '%,' || task.receiver_application || ',%'))
        AND ($5 = '' OR EXISTS (SELECT 1 FROM task WHERE task.model_uuid = operation.model_uuid
            AND task.operation = operation.id
            AND $5 LIKE '%,' || task.dispatch || ',%'))
        AND ($6 = '' OR EXISTS (SELECT 1 FROM task WHERE task.model_uuid = operation.model_uuid
            AND task.operation = operation.id
            AND $6 LIKE '%,' || task.status || ',%'))
        ORDER BY id DESC LIMIT $7";
}

columns! {
    struct Brief -> TaskInfo {
        id = "id",
        operation = "operation",
        unit = "receiver" as unit,
        machine = "receiver" as machine,
        action = "dispatch" as action,
        command = ["dispatch, arguments"] as command,
        parameters = "parameters" as json,
        status = "status" as word,
        message = "message",
        enqueued_at = "enqueued_at",
        started_at = "started_at",
        completed_at = "completed_at",
        timeout = "timeout",
        parallel = "parallel",
        execution_group = "execution_group",
        ; results: None, log: None
    }
    const OF_OPERATION = "FROM task WHERE model_uuid = $1 AND operation = $2 ORDER BY id";
    const OF_OPERATIONS = names!("FROM task WHERE model_uuid = $1 AND operation IN", "ORDER BY id");
    const TASK = "FROM task WHERE model_uuid = $1 AND id = $2";
}

columns! {
    struct Line -> TaskLine {
        time = "time",
        message = "message",
    }
    const LINES = "FROM task_log WHERE model_uuid = $1 AND task = $2 AND line >= $3 ORDER BY line";
}

fn unit(cells: &mut Cells<'_>) -> std::result::Result<Option<UnitName>, DatabaseError> {
    let receiver: Receiver = word(cells)?;
    Ok(receiver.unit())
}

fn machine(cells: &mut Cells<'_>) -> std::result::Result<Option<MachineId>, DatabaseError> {
    let receiver: Receiver = word(cells)?;
    Ok(receiver.machine())
}

/// The name of an action.
fn action(cells: &mut Cells<'_>) -> std::result::Result<String, DatabaseError> {
    Ok(match Asked::of(cells.str()?) {
        Some(Asked::Action(name)) => name.to_owned(),
        Some(Asked::Command(_)) | None => String::new(),
    })
}

/// The words of a command.
fn command(cells: &mut Cells<'_>) -> std::result::Result<Vec<String>, DatabaseError> {
    let asked = Asked::of(cells.str()?);
    let arguments: Vec<String> = json(cells)?;
    Ok(match asked {
        Some(Asked::Command(name)) => {
            let name = std::iter::once(name.to_owned());
            name.chain(arguments).collect()
        }
        Some(Asked::Action(_)) | None => Vec::new(),
    })
}

impl Store {
    /// A page of the operations of a model, newest first.
    pub async fn operations(
        &self,
        model: &ModelUuid,
        query: &OperationQuery,
    ) -> Result<Page<OperationInfo>> {
        let before = before(query.after.as_deref())?;
        let paging = Paging::of(query.limit)?;
        let statuses = wanted(&query.status, |status| {
            let status: std::result::Result<TaskStatus, String> = status.parse();
            status
                .map(|status| status.to_string())
                .map_err(StoreError::bad_request)
        })?;
        let dispatches = wanted(&query.actions, |action| {
            Ok(format!("{ACTIONS}{}", plain(action)?))
        })?;
        let units = wanted(&query.units, plain)?;
        let machines = wanted(&query.machines, |id| {
            let machine: MachineId = id.parse()?;
            Ok(Receiver::Machine(machine).to_string())
        })?;
        let mut db = self.snapshot().await?;
        require_model(&mut db, model).await?;
        let values = params![
            model,
            before,
            // Each ends and begins with a comma, so that both together are one list.
            format!("{units}{machines}"),
            wanted(&query.applications, plain)?,
            dispatches,
            statuses,
            paging.rows()
        ];
        let mut rows = db.all(NEWEST, values).await?;
        let next = paging.cut(&mut rows, |last| last.id.to_string());
        let items = whole(&mut db, model, rows).await?;
        Ok(Page { items, next })
    }

    /// One operation with its tasks.
    pub async fn operation(&self, model: &ModelUuid, id: TaskId) -> Result<OperationInfo> {
        operation(&mut self.snapshot().await?, model, id).await
    }

    /// One task with what it answered, and what it told from line `from` on.
    pub async fn task(&self, model: &ModelUuid, id: TaskId, from: u64) -> Result<TaskInfo> {
        let mut db = self.snapshot().await?;
        let mut found = task(&mut db, model, id).await?;
        let sql = "SELECT results FROM task WHERE model_uuid = $1 AND id = $2";
        found.results = db.document("results", sql, params![model, id]).await?;
        found.log = Some(db.all(LINES, params![model, id, from]).await?);
        Ok(found)
    }

    /// What units of an application can be asked to run.
    pub async fn actions(
        &self,
        model: &ModelUuid,
        application: &ApplicationName,
    ) -> Result<ApplicationActions> {
        let mut db = self.snapshot().await?;
        let charm = charm::of_application(&mut db, model, application).await?;
        let actions = charm.actions.iter().map(|(name, action)| {
            let info = ActionInfo {
                description: action.description.clone(),
                schema: action.schema(),
                parallel: action.parallel,
                execution_group: action.execution_group.clone(),
            };
            (name.clone(), info)
        });
        Ok(ApplicationActions {
            application: application.to_string(),
            actions: actions.collect(),
            commands: charm.commands().map(str::to_owned).collect(),
        })
    }
}

/// A filter: its words, between commas and checked, so that one matches as a whole.
fn wanted(list: &Option<String>, check: impl Fn(&str) -> Result<String>) -> Result<String> {
    let words = list.as_deref().unwrap_or_default().split(',');
    let words = words.map(str::trim).filter(|word| !word.is_empty());
    let words: Vec<String> = words.map(check).collect::<Result<_>>()?;
    Ok(match words.is_empty() {
        true => String::new(),
        false => format!(",{},", words.join(",")),
    })
}

/// A name in a filter; `%` and `_` would match others.
fn plain(name: &str) -> Result<String> {
    let known = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '/');
    match name.chars().all(known) {
        true => Ok(name.to_owned()),
        false => Err(StoreError::bad_request(format!(
            "\"{}\" is not a name",
            name.chars().take(80).collect::<String>()
        ))),
    }
}

pub(super) async fn operation(
    db: &mut Session,
    model: &ModelUuid,
    id: TaskId,
) -> Result<OperationInfo> {
    let row = db.one(OPERATION, params![model, id]).await?;
    let row = row.ok_or_else(|| StoreError::not_found(Subject::Operation, id))?;
    let tasks = db.all(OF_OPERATION, params![model, id]).await?;
    Ok(shown(row, tasks))
}

/// A task without what it answered and told.
pub(super) async fn task(db: &mut Session, model: &ModelUuid, id: TaskId) -> Result<TaskInfo> {
    let found = db.one(TASK, params![model, id]).await?;
    found.ok_or_else(|| StoreError::not_found(Subject::Task, id))
}

/// Operations by their ids, for the feed of events.
pub(crate) async fn briefs(
    db: &mut Session,
    model: &ModelUuid,
    ids: &[i64],
) -> Result<Vec<OperationInfo>> {
    let rows = db.some(BY_ID, model, ids).await?;
    whole(db, model, rows).await
}

async fn whole(
    db: &mut Session,
    model: &ModelUuid,
    rows: Vec<OperationRow>,
) -> Result<Vec<OperationInfo>> {
    let ids: Vec<Param> = rows.iter().map(|row| Param::from(row.id)).collect();
    let mut tasks: BTreeMap<TaskId, Vec<TaskInfo>> = BTreeMap::new();
    for task in db.some(OF_OPERATIONS, model, &ids).await? {
        tasks.entry(task.operation).or_default().push(task);
    }
    let shown = rows.into_iter().map(|row| {
        let tasks = tasks.remove(&row.id).unwrap_or_default();
        shown(row, tasks)
    });
    Ok(shown.collect())
}

fn shown(row: OperationRow, tasks: Vec<TaskInfo>) -> OperationInfo {
    let status = operation_status(tasks.iter().map(|task| task.status));
    let last = tasks.iter().filter_map(|task| task.completed_at).max();
    OperationInfo {
        id: row.id,
        summary: row.summary,
        status,
        user: row.user,
        enqueued_at: row.enqueued_at,
        started_at: tasks.iter().filter_map(|task| task.started_at).min(),
        completed_at: last.filter(|_| status.has_ended()),
        tasks,
    }
}

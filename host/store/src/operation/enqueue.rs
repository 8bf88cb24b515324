//! What people ask for: an operation with a task for each unit or machine, and its cancelling.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

use periapt_model::bounds::{
    EXECUTION_GROUP_BYTES, PARAMETERS_BYTES, TASK_MILLISECONDS, TASKS_AT_ONCE, TASKS_WAITING,
};
use periapt_model::charm::Parameters;
use periapt_model::nearest::suggestion;
use periapt_model::refusal::Subject;
use periapt_model::task::{ACTIONS, COMMANDS, MachineCommand, Receiver, TaskId, TaskStatus};
use periapt_model::{ApplicationName, ModelUuid, Refusal, UnitName, UserName};
use periapt_wire::rest::{EnqueueOperation, OperationInfo, TaskInfo};

use super::agent::{Ending, end};
use super::{NUMBERS, find, reading, touch};
use crate::changes::namespace;
use crate::db::{Session, Which, params, to_json};
use crate::error::StoreError;
use crate::lease::rows::leaders;
use crate::{Result, Store, application, charm, machine};

/// A unit's name for the one that leads its application: `site/leader`.
const LEADER: &str = "/leader";

/// What each unit of an application is to run.
struct Work {
    dispatch: String,
    arguments: Vec<String>,
    parameters: Parameters,
    parallel: bool,
    execution_group: String,
}

impl Store {
    /// Has units run an action or a command, or machines one of theirs: a task for each, all or none.
    pub async fn enqueue_operation(
        &self,
        model: &ModelUuid,
        user: &UserName,
        request: EnqueueOperation,
    ) -> Result<OperationInfo> {
        check(&request)?;
        let (model, user) = (model.clone(), user.clone());
        self.write(move |tx| {
            Box::pin(async move {
                crate::require_alive_model(&mut tx.db, &model).await?;
                let receivers = receivers(&mut tx.db, &model, &request).await?;
                // By application; machines have none.
                let mut works: BTreeMap<Option<ApplicationName>, Work> = BTreeMap::new();
                for receiver in &receivers {
                    if let Entry::Vacant(place) = works.entry(receiver.application()) {
                        let work = match place.key() {
                            Some(application) => {
                                work(&mut tx.db, &model, application, &request).await?
                            }
                            None => work_of_machine(&request)?,
                        };
                        place.insert(work);
                    }
                }
                let numbers = 1 + receivers.len() as u64;
                let operation = tx.take_numbers(&model, NUMBERS, numbers).await? + 1;
                let sql = "INSERT INTO operation (model_uuid, id, summary, requested_by, enqueued_at)
                    VALUES ($1, $2, $3, $4, $5)";
                let summary = summary(&request, &receivers);
                tx.db
                    .execute(sql, params![&model, operation, summary, &user, tx.now])
                    .await?;
                let mut rows = Vec::with_capacity(receivers.len());
                for (receiver, id) in receivers.iter().zip(operation + 1..) {
                    let application = receiver.application();
                    let Some(work) = works.get(&application) else {
                        continue;
                    };
                    let application = application.map(|name| name.to_string());
                    rows.push(params![
                        &model,
                        id,
                        operation,
                        receiver.to_string(),
                        application.unwrap_or_default(),
                        &work.dispatch,
                        to_json(&work.arguments)?,
                        to_json(&work.parameters)?,
                        work.parallel,
                        &work.execution_group,
                        request.timeout,
                        TaskStatus::Pending.as_str(),
                        false,
                        tx.now
                    ]);
                    tx.touch(&model, namespace::TASK, receiver.to_string());
                }
                let head = "INSERT INTO task (model_uuid, id, operation, receiver, receiver_application, dispatch,
                    arguments, parameters, parallel, execution_group, timeout, status, ended, enqueued_at)";
                tx.db.insert_many(head, "", rows).await?;
                for receiver in &receivers {
                    require_room(&mut tx.db, &model, receiver).await?;
                }
                tx.touch(&model, namespace::OPERATION, operation.to_string());
                reading::operation(&mut tx.db, &model, operation).await
            })
        })
        .await
    }

    /// Takes a task back that waits, or has one that runs stopped.
    pub async fn cancel_task(&self, model: &ModelUuid, task: TaskId) -> Result<TaskInfo> {
        let model = model.clone();
        self.write(move |tx| {
            Box::pin(async move {
                let found = find(&mut tx.db, &model, task).await?;
                match found.status.cancelled() {
                    Some(status) if status.has_ended() => {
                        let ending = Ending::of(status, "it was cancelled before it ran");
                        end(tx, &model, &found, &ending).await?;
                    }
                    Some(status) => {
                        let sql = "UPDATE task SET status = $3 WHERE model_uuid = $1 AND id = $2";
                        tx.db
                            .execute(sql, params![&model, task, status.as_str()])
                            .await?;
                        touch(tx, &model, &found);
                    }
                    None if found.status == TaskStatus::Aborting => {}
                    None => {
                        return Err(StoreError::Refused {
                            refusal: Refusal::TaskHasEnded,
                            message: format!("task {task} is {} already", found.status),
                        });
                    }
                }
                reading::task(&mut tx.db, &model, task).await
            })
        })
        .await
    }
}

/// What is wrong with a request whatever there is in the model.
fn check(request: &EnqueueOperation) -> Result<()> {
    let refuse = |message: &str| Err(StoreError::bad_request(message));
    match (&request.action, request.command.is_empty()) {
        (Some(_), false) => return refuse("name an action or a command, not both"),
        (None, true) => return refuse("name an action, or a command with its arguments"),
        (None, false) if !request.parameters.is_empty() => {
            return refuse("a command takes arguments, and no parameters");
        }
        _ => {}
    }
    let names_units = !request.units.is_empty() || !request.applications.is_empty();
    match (names_units, request.machines.is_empty()) {
        (false, true) => {
            return refuse("name units, or applications whose units are to run it, or machines");
        }
        (true, false) => {
            return refuse("name units or machines, not both: they know other commands");
        }
        (false, false) if request.action.is_some() => {
            return refuse("a machine has no actions; name one of its commands");
        }
        (false, false)
            if request.timeout.is_some()
                || request.parallel.is_some()
                || request.execution_group.is_some() =>
        {
            return refuse(
                "a machine's command takes no time limit and no turn: it is short, and carried out beside everything else",
            );
        }
        _ => {}
    }
    let bytes = to_json(&request.parameters)?.len() + to_json(&request.command)?.len();
    if PARAMETERS_BYTES.exceeded_by(bytes) {
        return Err(StoreError::bad_request(format!(
            "what it is given has {bytes} bytes, more than the {} allowed",
            PARAMETERS_BYTES.most
        )));
    }
    let longest = TASK_MILLISECONDS.most;
    if let Some(timeout) = request.timeout
        && (timeout == 0 || timeout > longest)
    {
        return Err(StoreError::bad_request(format!(
            "a task may compute for 1 to {longest} milliseconds, not {timeout}"
        )));
    }
    let group = request.execution_group.as_deref().unwrap_or_default();
    if EXECUTION_GROUP_BYTES.exceeded_by(group.len()) || group.chars().any(char::is_control) {
        return Err(StoreError::bad_request(format!(
            "an execution group has a name of at most {} bytes in one line",
            EXECUTION_GROUP_BYTES.most
        )));
    }
    Ok(())
}

/// Who is asked, each once, in the order in which they were named.
async fn receivers(
    db: &mut Session,
    model: &ModelUuid,
    request: &EnqueueOperation,
) -> Result<Vec<Receiver>> {
    let mut receivers = Vec::new();
    for machine in &request.machines {
        machine::require_alive(db, model, machine).await?;
        receivers.push(Receiver::Machine(machine.clone()));
    }
    for name in &request.units {
        let unit = match name.strip_suffix(LEADER) {
            Some(application) => leader(db, model, application).await?,
            None => name.parse()?,
        };
        let life = crate::unit::life(db, model, &unit).await?;
        if !life.is_alive() {
            return Err(StoreError::NotAlive {
                kind: Subject::Unit,
                name: unit.to_string(),
                life,
            });
        }
        receivers.push(Receiver::Unit(unit));
    }
    for application in &request.applications {
        application::require(db, model, application).await?;
        let sql =
            "SELECT name FROM unit WHERE model_uuid = $1 AND application = $2 AND life = 'alive'
            ORDER BY number";
        let of_application: Vec<UnitName> =
            db.words("unit", sql, params![model, application]).await?;
        if of_application.is_empty() {
            return Err(StoreError::bad_request(format!(
                "\"{application}\" has no unit that could run it"
            )));
        }
        receivers.extend(of_application.into_iter().map(Receiver::Unit));
    }
    let mut seen = BTreeSet::new();
    receivers.retain(|receiver| seen.insert(receiver.clone()));
    if TASKS_AT_ONCE.exceeded_by(receivers.len()) {
        let what = match request.machines.is_empty() {
            true => "units",
            false => "machines",
        };
        return Err(StoreError::bad_request(format!(
            "one request starts at most {} tasks, and this names {} {what}",
            TASKS_AT_ONCE.most,
            receivers.len()
        )));
    }
    Ok(receivers)
}

/// The unit that leads an application.
async fn leader(db: &mut Session, model: &ModelUuid, application: &str) -> Result<UnitName> {
    let name: ApplicationName = application.parse()?;
    application::require(db, model, &name).await?;
    let named = [name.to_string()];
    let leaders = leaders(db, model, Which::Named(&named)).await?;
    match leaders.get(&name) {
        Some(leader) => Ok(leader.parse()?),
        None => Err(StoreError::bad_request(format!(
            "nobody leads \"{application}\" at the moment"
        ))),
    }
}

/// What units of the application run for the request.
async fn work(
    db: &mut Session,
    model: &ModelUuid,
    application: &ApplicationName,
    request: &EnqueueOperation,
) -> Result<Work> {
    let charm = charm::of_application(db, model, application).await?;
    let unknown = |subject, message| StoreError::Refused {
        refusal: Refusal::NotFound(subject),
        message,
    };
    let mut work = match &request.action {
        Some(name) => {
            let known = || charm.actions.keys().map(String::as_str);
            let action = charm.actions.get(name).ok_or_else(|| {
                let shown: String = name.chars().take(80).collect();
                let message = format!(
                    "the charm of \"{application}\" has no action \"{shown}\"{}",
                    suggestion(name, known())
                );
                unknown(Subject::Action, message)
            })?;
            let whole = action.parameters(&request.parameters);
            Work {
                dispatch: format!("{ACTIONS}{name}"),
                arguments: Vec::new(),
                parameters: whole.map_err(|error| StoreError::Refused {
                    refusal: Refusal::ActionParametersInvalid,
                    message: format!("action \"{name}\" of \"{application}\": {error}"),
                })?,
                parallel: action.parallel,
                execution_group: action.execution_group.clone(),
            }
        }
        None => {
            let (name, arguments) = request.command.split_first().ok_or_else(|| {
                StoreError::bad_request("name an action, or a command with its arguments")
            })?;
            if !charm.commands().any(|command| command == name) {
                let shown: String = name.chars().take(80).collect();
                let message = format!(
                    "the charm of \"{application}\" has no command \"{shown}\"{}",
                    suggestion(name, charm.commands())
                );
                return Err(unknown(Subject::Command, message));
            }
            Work {
                dispatch: format!("{COMMANDS}{name}"),
                arguments: arguments.to_vec(),
                parameters: Parameters::new(),
                parallel: false,
                execution_group: String::new(),
            }
        }
    };
    work.parallel = request.parallel.unwrap_or(work.parallel);
    if let Some(group) = &request.execution_group {
        work.execution_group.clone_from(group);
    }
    Ok(work)
}

/// What a machine does for the request.
fn work_of_machine(request: &EnqueueOperation) -> Result<Work> {
    let (name, arguments) = request
        .command
        .split_first()
        .ok_or_else(|| StoreError::bad_request("name one of a machine's commands"))?;
    let known = name.parse::<MachineCommand>();
    let command = known.map_err(|message| StoreError::Refused {
        refusal: Refusal::NotFound(Subject::MachineCommand),
        message,
    })?;
    if !arguments.is_empty() {
        return Err(StoreError::bad_request(format!(
            "\"{command}\" of a machine takes no arguments"
        )));
    }
    Ok(Work {
        dispatch: format!("{COMMANDS}{command}"),
        arguments: Vec::new(),
        parameters: Parameters::new(),
        parallel: true,
        execution_group: String::new(),
    })
}

/// Refuses when more waits on a unit or a machine than may.
async fn require_room(db: &mut Session, model: &ModelUuid, receiver: &Receiver) -> Result<()> {
    let sql = "SELECT COUNT(*) FROM task WHERE model_uuid = $1 AND receiver = $2 AND ended = 0";
    let waiting = db.count(sql, params![model, receiver.to_string()]).await?;
    match waiting > TASKS_WAITING.most {
        true => Err(StoreError::Refused {
            refusal: Refusal::TasksExceeded,
            message: format!(
                "{} tasks wait on {receiver}, as many as may",
                TASKS_WAITING.most
            ),
        }),
        false => Ok(()),
    }
}

/// The operation in words, as in Juju: `rebuild run on site/0, site/1`.
fn summary(request: &EnqueueOperation, receivers: &[Receiver]) -> String {
    const NAMED: usize = 5;
    let what = match (&request.action, request.command.first()) {
        (Some(action), _) => action.as_str(),
        (None, Some(command)) => command.as_str(),
        (None, None) => "",
    };
    let named = receivers.iter().take(NAMED).map(Receiver::to_string);
    let named: Vec<String> = named.collect();
    let more = match receivers.len().saturating_sub(NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    format!("{what} run on {}{more}", named.join(", "))
}

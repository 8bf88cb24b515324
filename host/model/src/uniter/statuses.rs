//! The statuses that an agent sets of its own accord, with the texts people know from Juju.

use serde_json::{Map, Value};

use super::OperationState;
use crate::hook::{Info, Kind};
use crate::status::{Agent, Status, Workload};
use crate::storage::StorageId;
use crate::task::Asked;
use crate::time;
use crate::turns::WaitsFor;

/// The agent, shown as `now`, runs `hook`. None for an `update-status` of an idle unit, which is
/// too frequent to be shown.
pub fn agent_executing(hook: &Info, now: Option<&Status<Agent>>) -> Option<Status<Agent>> {
    let rests = now.is_some_and(|now| now.status == Agent::Idle);
    (hook.kind != Kind::UpdateStatus || !rests)
        .then(|| Status::new(Agent::Executing, format!("running {} hook", hook.name())))
}

/// The agent runs an action or a command.
pub fn agent_runs_task(dispatch: &str) -> Status<Agent> {
    let what = match Asked::of(dispatch) {
        Some(Asked::Action(name)) => format!("running action {name}"),
        Some(Asked::Command(name)) => format!("running command {name}"),
        None => format!("running {dispatch}"),
    };
    Status::new(Agent::Executing, what)
}

pub fn agent_idle() -> Status<Agent> {
    Status::new(Agent::Idle, "")
}

/// The machine of the unit reboots, and its agent with it.
pub fn agent_rebooting() -> Status<Agent> {
    Status::new(Agent::Rebooting, "")
}

/// The agent waits for its turn to run a hook.
pub fn agent_waiting(waits_for: &WaitsFor) -> Status<Agent> {
    Status::new(Agent::Executing, waits_for.to_string())
}

/// The agent waits for the charm's code, which agents do not make themselves.
pub fn agent_awaits_charm() -> Status<Agent> {
    Status::new(
        Agent::Executing,
        "waiting for the controller to compile the charm",
    )
}

/// The agent waits for a storage to be there, without which it runs nothing.
pub fn agent_awaits_storage(id: &StorageId) -> Status<Agent> {
    Status::new(Agent::Executing, format!("waiting for storage {id}"))
}

/// The unit has run its last hook and cannot go yet; `because` says why.
pub fn agent_leaving(because: &str) -> Status<Agent> {
    Status::new(Agent::Idle, format!("waiting to leave: {because}"))
}

/// The uniter ended by an error of its own, and is started again.
pub fn agent_failed(reason: &str) -> Status<Agent> {
    let mut status = Status::new(Agent::Failed, "resolver loop error");
    status.data.insert("reason".to_owned(), reason.into());
    status
}

/// What is known of a failed hook beside its name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Failure {
    pub reason: Option<String>,
    /// What it asked for that its application was not granted, in a sentence.
    pub refused: Option<String>,
    /// When the hook is run again without being asked, microseconds UTC.
    pub next_retry: Option<i64>,
    /// What the next run waits for.
    pub waits_for: Option<WaitsFor>,
}

impl Failure {
    /// What `status` tells of a failed hook, if it is about `hook`.
    pub fn in_status(status: &Status<Agent>, hook: &Info) -> Failure {
        let told = agent_hook_failed(hook, &Failure::default());
        let same = |key: &str| status.data.get(key) == told.data.get(key);
        if !["hook", "relation-id", "remote-unit"].into_iter().all(same) {
            return Failure::default();
        }
        let text = |key: &str| Some(status.data.get(key)?.as_str()?.to_owned());
        Failure {
            reason: text("reason"),
            refused: text(REFUSED),
            ..Failure::default()
        }
    }
}

/// Where the data of a status have what was not granted.
const REFUSED: &str = "not-granted";

/// The hook failed; the text names it, the data carry it, the relation and the remote unit it
/// was about, and what else is known. What was not granted follows in the text, since a person has to grant it.
pub fn agent_hook_failed(hook: &Info, failure: &Failure) -> Status<Agent> {
    let name = hook.name();
    let about = hook.relation.as_ref().map(|event| &event.hook);
    let data = [
        Some(("hook", Value::from(name.as_str()))),
        about.map(|hook| ("relation-id", Value::from(hook.relation))),
        about
            .and_then(|hook| hook.unit.as_ref())
            .map(|unit| ("remote-unit", Value::from(unit.as_str()))),
        failure
            .reason
            .as_deref()
            .map(|reason| ("reason", Value::from(reason))),
        failure
            .refused
            .as_deref()
            .map(|refused| (REFUSED, Value::from(refused))),
        failure
            .next_retry
            .map(|next| ("next-retry", Value::from(time::text(next)))),
        failure
            .waits_for
            .as_ref()
            .map(|waits_for| ("waiting-for", Value::from(waits_for.to_string()))),
    ];
    let named = |(key, value): (&str, Value)| (key.to_owned(), value);
    let data = Map::from_iter(data.into_iter().flatten().map(named));
    let message = match &failure.refused {
        Some(refused) => format!("hook failed: \"{name}\"; {refused}"),
        None => format!("hook failed: \"{name}\""),
    };
    Status {
        data,
        ..Status::new(Agent::Error, message)
    }
}

/// The generation of the state directory that the controller names is not on this machine; `newest`
/// is the newest one that is. Nothing runs until a person has answered.
pub fn agent_files_missing(generation: u64, newest: Option<u64>) -> Status<Agent> {
    let answer = match newest {
        Some(newest) => format!(
            "\"resolved\" continues with generation {newest}, \"resolved --no-retry\" with an empty directory"
        ),
        None => "\"resolved\" continues with an empty directory".to_owned(),
    };
    Status::new(
        Agent::Error,
        format!("generation {generation} of the unit's state directory is missing: {answer}"),
    )
}

/// The workload status to set before a hook runs.
pub fn workload_before(hook: Kind, state: &OperationState) -> Option<Status<Workload>> {
    let text = match hook {
        Kind::Install if !state.status_set => "installing charm software",
        Kind::Stop => "stopping charm software",
        Kind::Remove => "cleaning up prior to charm deletion",
        _ => return None,
    };
    Some(Status::new(Workload::Maintenance, text))
}

/// The workload status to set after a hook was committed.
pub fn workload_after(hook: Kind, state: &OperationState) -> Option<Status<Workload>> {
    match hook {
        Kind::Start if !state.status_set => Some(Status::new(Workload::Unknown, "")),
        Kind::Remove => Some(Status::new(Workload::Terminated, "")),
        _ => None,
    }
}

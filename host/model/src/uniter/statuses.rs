//! The statuses that an agent sets of its own accord, with the texts people know from Juju.

use serde_json::{Map, Value};

use super::OperationState;
use crate::hook::{Info, Kind};
use crate::status::{Agent, Status, Workload};

/// The agent runs `hook`. None for `update-status`, which is too frequent to be shown.
pub fn agent_executing(hook: &Info) -> Option<Status<Agent>> {
    (hook.kind != Kind::UpdateStatus)
        .then(|| Status::new(Agent::Executing, format!("running {} hook", hook.name())))
}

pub fn agent_idle() -> Status<Agent> {
    Status::new(Agent::Idle, "")
}

/// The hook failed; the text names it, the data carry it, the relation and the remote unit it
/// was about, and the reason, where it is known.
pub fn agent_hook_failed(hook: &Info, reason: Option<&str>) -> Status<Agent> {
    let name = hook.name();
    let about = hook.relation.as_ref().map(|event| &event.hook);
    let data = [
        Some(("hook", Value::from(name.as_str()))),
        about.map(|hook| ("relation-id", Value::from(hook.relation))),
        about
            .and_then(|hook| hook.unit.as_ref())
            .map(|unit| ("remote-unit", Value::from(unit.as_str()))),
        reason.map(|reason| ("reason", Value::from(reason))),
    ];
    let named = |(key, value): (&str, Value)| (key.to_owned(), value);
    let data = Map::from_iter(data.into_iter().flatten().map(named));
    Status {
        data,
        ..Status::new(Agent::Error, format!("hook failed: \"{name}\""))
    }
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

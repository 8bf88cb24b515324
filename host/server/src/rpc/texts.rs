//! How much an agent may say: an agent is a stranger once its sandbox has been left.
//!
//! What it hosts is checked with the call's declaration, what it says here, for all calls alike and
//! before any of them runs. Hooks carry what charms keep, so their values may be long; everything
//! else is for people to read.

use periapt_model::bounds::{AGENT_LOG_LINES, AGENT_TEXT_BYTES, AGENT_VALUE_BYTES, Bound};
use periapt_wire::Call;
use periapt_wire::agent::host::PutAnswer;
use periapt_wire::agent::log_sink::WriteLogs;
use periapt_wire::agent::machine_actions::EndMachineTask;
use periapt_wire::agent::uniter::{BeginHook, CommitHook, FailHook, RequestReboot, SetState};
use serde_json::Value;

use super::error::RpcError;
use crate::access::Rule;
use crate::json::{self, Measure};

/// Calls whose texts are values of charms or reports of the agent.
const CARRIERS: &[(&str, &str)] = &[
    name::<SetState>(),
    name::<BeginHook>(),
    name::<CommitHook>(),
    name::<FailHook>(),
    name::<RequestReboot>(),
    name::<EndMachineTask>(),
    name::<PutAnswer>(),
    name::<WriteLogs>(),
];

const fn name<C: Call>() -> (&'static str, &'static str) {
    (C::FACADE, C::METHOD)
}

/// Refuses a call with a text or a list of lines that is too long.
pub(super) fn bounded(rule: &Rule, params: &str) -> Result<(), RpcError> {
    let bound = match CARRIERS.contains(&(rule.facade, rule.method)) {
        true => AGENT_VALUE_BYTES,
        false => AGENT_TEXT_BYTES,
    };
    let Measure { values, longest } = json::measure(params.as_bytes());
    if !AGENT_LOG_LINES.exceeded_by(values) && !bound.exceeded_by(longest) {
        return Ok(());
    }
    let params: Value = serde_json::from_str(params).map_err(RpcError::bad_request)?;
    let lines = params.get("records").and_then(Value::as_array);
    if lines.is_some_and(|lines| AGENT_LOG_LINES.exceeded_by(lines.len())) {
        return Err(too_long(AGENT_LOG_LINES));
    }
    // A list instead of recursion; the parser bounds the depth.
    let mut values = vec![&params];
    while let Some(value) = values.pop() {
        match value {
            Value::String(text) if bound.exceeded_by(text.len()) => return Err(too_long(bound)),
            Value::Array(items) => values.extend(items),
            Value::Object(members) => {
                if members.keys().any(|name| bound.exceeded_by(name.len())) {
                    return Err(too_long(bound));
                }
                values.extend(members.values());
            }
            _ => {}
        }
    }
    Ok(())
}

fn too_long(bound: Bound) -> RpcError {
    let Bound { of, most, unit, .. } = bound;
    RpcError::bad_request(format!("{of} has at most {most} {unit}"))
}

#[cfg(test)]
mod tests {
    use periapt_wire::agent::uniter::SetUnitStatus;
    use serde_json::json;

    use super::*;

    #[test]
    fn an_agents_texts_have_bounds_and_those_of_hooks_wider_ones() {
        fn rule<C: Call>() -> Rule {
            Rule::in_all_versions::<C>().next().unwrap()
        }
        let status = &rule::<SetUnitStatus>();
        let commit = &rule::<CommitHook>();
        let logs = &rule::<WriteLogs>();
        let bounded = |rule: &Rule, params: &Value| bounded(rule, &params.to_string());
        let saying = |bytes: usize| json!({ "status": [{ "message": "x".repeat(bytes) }] });
        bounded(status, &saying(4096)).unwrap();
        assert!(bounded(status, &saying(9 << 20)).is_err());
        assert!(bounded(status, &json!({ "x".repeat(1 << 20): 1 })).is_err());
        bounded(commit, &saying(1 << 20)).unwrap();
        assert!(bounded(commit, &saying(2 << 20)).is_err());
        let lines = |count: usize| json!({ "records": vec![1; count] });
        bounded(logs, &lines(500)).unwrap();
        assert!(bounded(logs, &lines(100_000)).is_err());
        assert!(bounded(commit, &lines(100_000)).is_err());
        let escapes = json!({ "status": "\u{1}".repeat(10 << 10) });
        bounded(status, &escapes).unwrap();
    }
}

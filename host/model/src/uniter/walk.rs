//! Hooks that a charm does not have. Nothing runs for them, so those that follow one another, or
//! a hook that ran, end with it in one commit.

use super::{
    Decision, Executed, LocalState, Operation, OperationError, OperationState, RemoteState, cause,
    resolve, workload_after,
};
use crate::hook::Info;
use crate::status::{Status, Workload};

/// How many such hooks end with one commit: so much is thought through in one go.
const MOST: usize = 100;

/// What a commit says besides the unit's own record.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Walked {
    /// The hooks that were passed, in order.
    pub hooks: Vec<Info>,
    /// The workload status to set.
    pub workload: Option<Status<Workload>>,
}

/// The state in which `operation`, whose hook the charm does not have, is done. What follows from such a hook
/// follows from the cause of it.
pub fn absent_done(
    operation: &Operation,
    local: &LocalState,
    remote: &RemoteState,
) -> Result<OperationState, OperationError> {
    let state = &local.operation;
    let executed = Executed {
        config_hash: remote.config_hash.clone(),
        leader_settings_version: remote.leader_settings_version,
        reboots: remote.reboots,
        state_generation: state.state_generation,
        status_set: false,
    };
    let prepared = operation.prepare(state)?;
    let prepared = OperationState {
        because: cause(local, remote, operation),
        ..prepared.unwrap_or_else(|| state.clone())
    };
    Ok(operation.hook_done(&prepared, &executed))
}

/// Goes on from `local` through hooks that the charm does not have, as far as `remote` calls for
/// them. A commit sets one workload status: a hook with another one, after that of the commit,
/// is left.
pub fn walk_on(
    local: &mut LocalState,
    remote: &RemoteState,
    workload: Option<Status<Workload>>,
    has: impl Fn(&Info) -> bool,
) -> Result<Walked, OperationError> {
    let mut walked = Walked {
        hooks: Vec::new(),
        workload,
    };
    while walked.hooks.len() < MOST
        && let Decision::Run(operation) = resolve(local, remote)
        && let Operation::RunHook { hook } = &operation
        && !has(hook)
    {
        let done = absent_done(&operation, local, remote)?;
        match workload_after(hook.kind, &done) {
            Some(_) if walked.workload.is_some() => break,
            Some(workload) => walked.workload = Some(workload),
            None => {}
        }
        local.begin(&operation, remote);
        local.committed(&operation, operation.commit(&done)?);
        walked.hooks.push(hook.clone());
    }
    Ok(walked)
}

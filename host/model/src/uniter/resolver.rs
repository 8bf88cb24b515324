//! The next operation, from the local and the remote state. First answer wins; the order is
//! that of Juju's uniter.

use super::{
    Deploy, Operation, OperationKind, OperationState, OperationStep, RemoteState, Resolved, cause,
};
use super::{relations, storages};
use crate::cause::Cause;
use crate::hook::{Info, Kind};
use crate::task::TaskStatus;
use crate::{Life, UnitName};

/// What an agent knows of its unit.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct LocalState {
    /// Whose state it is: a unit that leaves its relations says so by name.
    pub unit: Option<UnitName>,
    pub operation: OperationState,
    /// The charm of the recorded upgrade could not be put in place.
    pub conflicted: bool,
    /// A new charm came into place: everything that depends on the charm begins anew.
    pub restart: bool,
    /// The whole container of the unit goes away, not only its agent.
    pub shutdown: bool,
    /// How often its machine had rebooted when the agent first heard of it, which is since when the
    /// machine's engine runs; none before that.
    pub boot: Option<u64>,
    /// The recorded hook was broken off because the agent stopped, and is not to blame.
    pub hook_was_interrupted: bool,
    /// The versions of the retry and of the update-status timer that were acted on.
    pub retry_hook_version: u64,
    pub update_status_version: u64,
    /// Why the last operation began.
    pub because: Cause,
}

impl LocalState {
    /// What an agent knows as it starts; `recorded` is none before the first operation.
    pub fn recorded(recorded: Option<OperationState>) -> Self {
        Self {
            operation: recorded.unwrap_or_else(OperationState::initial),
            ..Self::default()
        }
    }

    /// Takes note of what the agent hears first.
    pub fn hears(&mut self, remote: &RemoteState) {
        self.boot = self.boot.or(Some(remote.reboots));
    }

    /// Whether the machine is about to reboot, or has: what has to be run is for the engine that comes
    /// after the one in which this agent runs.
    #[must_use]
    pub fn goes_down(&self, remote: &RemoteState) -> bool {
        remote.reboot_wanted || self.boot.is_some_and(|boot| boot != remote.reboots)
    }

    /// Takes note that `operation`, decided on with `remote`, begins.
    pub fn begin(&mut self, operation: &Operation, remote: &RemoteState) {
        self.because = cause(self, remote, operation);
        if let Operation::RunHook { hook, .. } = operation {
            self.hook_was_interrupted = false;
            self.retry_hook_version = remote.retry_hook_version;
            if hook.kind == Kind::UpdateStatus {
                self.update_status_version = remote.update_status_version;
            }
        }
    }

    /// Takes note that `operation` is committed and left `state`.
    pub fn committed(&mut self, operation: &Operation, state: OperationState) {
        self.operation = state;
        if let Operation::Deploy { deploy, .. } = operation {
            self.conflicted = false;
            self.restart = !deploy.install;
        }
    }
}

/// What to do.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(
    clippy::large_enum_variant,
    reason = "it is made, looked at and gone: boxing it would be an allocation for each decision"
)]
pub enum Decision {
    Run(Operation),
    /// Nothing until the remote state changes; the unit is idle unless a hook has failed.
    NoOperation,
    /// Nothing until the remote state changes, and the unit is not idle.
    Waiting,
    /// Begin anew with new watchers.
    Restart,
    /// The unit has nothing left to run: it may become dead and its agent ends.
    Dead,
    /// The agent ends, the unit stays.
    Terminate,
}

/// The decision. Total: every state, also a damaged one, has an answer.
pub fn resolve(local: &LocalState, remote: &RemoteState) -> Decision {
    let state = &local.operation;
    if remote.life == Life::Dead || state.removed {
        return Decision::Dead;
    }
    if local.goes_down(remote) {
        return Decision::Waiting;
    }
    if state.kind == OperationKind::Upgrade {
        return pending_upgrade(local, remote);
    }
    if local.restart {
        return Decision::Restart;
    }
    // Nothing is in progress that a hook of another kind could come between.
    let at_rest = state.installed
        && state.kind == OperationKind::Continue
        && remote.life.is_alive()
        && !local.shutdown;
    let runs = state.started && !state.stopped;
    if at_rest && runs && state.reboots != remote.reboots {
        return run(Kind::Start);
    }
    if at_rest && let Some(hook) = relations::created(local, remote) {
        return run(hook);
    }
    if let Some(operation) = leadership(state, remote) {
        return Decision::Run(operation);
    }
    if at_rest
        && !remote.leader
        && state.leader_settings_version != Some(remote.leader_settings_version)
    {
        return run(Kind::LeaderSettingsChanged);
    }
    if at_rest && let Some(hook) = remote.secrets.next(remote.leader) {
        return run(hook);
    }
    if let Some(operation) = task(local, remote) {
        return Decision::Run(operation);
    }
    if let Some(decision) = storages::due(local, remote) {
        return decision;
    }
    match (state.kind, &state.hook) {
        (OperationKind::RunHook, Some(hook)) if !local.shutdown => {
            recorded_hook(local, remote, hook)
        }
        _ => free(local, remote),
    }
}

fn pending_upgrade(local: &LocalState, remote: &RemoteState) -> Decision {
    let state = &local.operation;
    let resume = |takes_answer| {
        Decision::Run(Operation::Deploy {
            deploy: Deploy {
                install: false,
                charm_url: state
                    .charm_url
                    .clone()
                    .unwrap_or_else(|| remote.charm_url.clone()),
                charm_modified_version: state.charm_modified_version,
            },
            takes_answer,
        })
    };
    let answered = remote.resolved != Resolved::None;
    if answered || !local.conflicted {
        return resume(answered);
    }
    if remote.force_charm_upgrade && remote.wants_other_charm(state) {
        return Decision::Run(deploy(remote, false, false));
    }
    Decision::Waiting
}

fn leadership(state: &OperationState, remote: &RemoteState) -> Option<Operation> {
    let alive = remote.life.is_alive();
    if !state.installed {
        None
    } else if state.leader && (!remote.leader || !alive) {
        Some(Operation::ResignLeadership)
    } else if remote.leader && !state.leader && alive && state.kind == OperationKind::Continue {
        Some(Operation::AcceptLeadership)
    } else {
        None
    }
}

/// What becomes of the unit's oldest task, also while a hook is in error. One that is said to run
/// is an earlier process's, since nothing is decided while this one runs it.
fn task(local: &LocalState, remote: &RemoteState) -> Option<Operation> {
    let task = remote.task.clone()?;
    if task.status.broken_off().is_some() {
        return Some(Operation::EndTask { task });
    }
    let runs =
        task.status == TaskStatus::Pending && local.operation.lets_run_tasks() && !local.shutdown;
    runs.then_some(Operation::RunTask { task })
}

fn recorded_hook(local: &LocalState, remote: &RemoteState, hook: &Info) -> Decision {
    let ran = local.operation.step == OperationStep::Done;
    // A unit that resigned is told of its leadership no more.
    let resigned = hook.kind == Kind::LeaderElected && !local.operation.leader;
    if !ran && (resigned || relations::is_moot(hook, remote) || storages::is_moot(hook, remote)) {
        return skip(hook, remote);
    }
    match local.operation.step {
        OperationStep::Pending => failed_hook(local, remote, hook),
        // A dying unit skips the hook it would have begun with.
        OperationStep::Queued if hook.kind == Kind::Install => free(local, remote),
        OperationStep::Queued => run(hook.clone()),
        OperationStep::Done => skip(hook, remote),
    }
}

fn failed_hook(local: &LocalState, remote: &RemoteState, hook: &Info) -> Decision {
    let forced = remote.force_charm_upgrade && remote.wants_other_charm(&local.operation);
    match remote.resolved {
        Resolved::NoHooks => skip(hook, remote),
        _ if local.hook_was_interrupted => run(hook.clone()),
        // An answer is kept: the unit comes back to the hook it was given for.
        _ if forced => Decision::Run(deploy(remote, false, false)),
        Resolved::RetryHooks => run(hook.clone()),
        Resolved::None if remote.retry_hook_version != local.retry_hook_version => {
            run(hook.clone())
        }
        Resolved::None => Decision::NoOperation,
    }
}

/// Nothing is recorded that has to be finished first.
fn free(local: &LocalState, remote: &RemoteState) -> Decision {
    let state = &local.operation;
    if !remote.life.is_alive() {
        let leaves = state.installed && !state.stopped;
        if leaves && let Some(hook) = relations::due(local, remote) {
            return run(hook);
        }
        return match state {
            _ if state.started && !state.stopped => run(Kind::Stop),
            _ if state.installed && !state.removed => run(Kind::Remove),
            _ => Decision::Dead,
        };
    }
    if local.shutdown {
        return if state.started && !state.stopped {
            run(Kind::Stop)
        } else {
            Decision::Terminate
        };
    }
    if state.kind == OperationKind::Install {
        // Nothing of an earlier charm has run yet, so the newest one is the one to install.
        return Decision::Run(deploy(remote, true, true));
    }
    if !state.installed {
        return run(Kind::Install);
    }
    if remote.wants_other_charm(state) {
        return Decision::Run(deploy(remote, false, true));
    }
    if state.config_hash.as_deref() != Some(remote.config_hash.as_str()) {
        return run(Kind::ConfigChanged);
    }
    if !state.started || state.stopped {
        return run(Kind::Start);
    }
    if let Some(hook) = relations::due(local, remote) {
        return run(hook);
    }
    if remote.update_status_version != local.update_status_version {
        return run(Kind::UpdateStatus);
    }
    Decision::NoOperation
}

fn run(hook: impl Into<Info>) -> Decision {
    Decision::Run(Operation::RunHook { hook: hook.into() })
}

fn skip(hook: &Info, remote: &RemoteState) -> Decision {
    Decision::Run(Operation::SkipHook {
        hook: hook.clone(),
        config_hash: remote.config_hash.clone(),
        leader_settings_version: remote.leader_settings_version,
        reboots: remote.reboots,
    })
}

fn deploy(remote: &RemoteState, install: bool, takes_answer: bool) -> Operation {
    Operation::Deploy {
        deploy: Deploy {
            install,
            charm_url: remote.charm_url.clone(),
            charm_modified_version: remote.charm_modified_version,
        },
        takes_answer,
    }
}

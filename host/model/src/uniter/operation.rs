//! Operations, and the state each of their steps leaves.
//!
//! An operation goes through prepare, execute, commit. The caller writes the state of a step
//! before it takes the next one; a crash between two steps therefore leaves a state that
//! [`resolve`](super::resolve) knows how to go on from.

use thiserror::Error;

use super::{OperationKind, OperationState, OperationStep};
use crate::cause::Cause;
use crate::hook::{Info, Kind};
use crate::relation::Contradiction;
use crate::task::DueTask;

/// How often one hook may ask for a reboot at once until it is done. One that asks whenever it is run would
/// have its machine do nothing else.
pub const REBOOTS_NOW: u64 = 3;

/// A state or a step that contradicts the record; always a mistake of the caller.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum OperationError {
    #[error("recorded operation is not valid: {what}")]
    Invalid { what: &'static str },
    #[error("cannot {operation} while {kind:?} is {step:?}")]
    OutOfOrder {
        operation: String,
        kind: OperationKind,
        step: OperationStep,
    },
    #[error(transparent)]
    Relation(#[from] Contradiction),
}

impl OperationError {
    pub fn code(&self) -> &'static str {
        match self {
            OperationError::Invalid { .. } => "operation-invalid",
            OperationError::OutOfOrder { .. } => "operation-out-of-order",
            OperationError::Relation(_) => "operation-contradiction",
        }
    }
}

/// A charm to put in place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deploy {
    /// The first charm of the unit rather than a later one.
    pub install: bool,
    pub charm_url: String,
    pub charm_modified_version: u64,
}

/// What is done next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Operation {
    /// Puts a charm in place; a hook that had failed before is gone back to.
    Deploy {
        deploy: Deploy,
        /// Whether a person's answer is about this charm.
        takes_answer: bool,
    },
    RunHook {
        hook: Info,
    },
    /// Does the bookkeeping of a hook without running it: it ran already, or a person said to
    /// go on without it. `config_hash` is what a skipped `config-changed` would have seen,
    /// `leader_settings_version` what a skipped `leader-settings-changed` would have, and `reboots` what
    /// a skipped `start`.
    SkipHook {
        hook: Info,
        config_hash: String,
        leader_settings_version: u64,
        reboots: u64,
    },
    /// Takes note of won leadership and queues `leader-elected` in the same write.
    AcceptLeadership,
    /// Takes note of lost leadership.
    ResignLeadership,
    /// Runs an action or a command that waits. It leaves the recorded operation as it is, so that a hook
    /// that failed before is gone back to, and is recorded with the controller as it begins: it is run
    /// once, whatever happens.
    RunTask {
        task: DueTask,
    },
    /// Ends one that began and that nobody runs any more.
    EndTask {
        task: DueTask,
    },
}

/// What a hook that ended well left.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Executed {
    /// Digest of the configuration that the hook saw.
    pub config_hash: String,
    /// Version of the leader's settings when the hook was chosen.
    pub leader_settings_version: u64,
    /// How often the machine had rebooted by then.
    pub reboots: u64,
    /// Generation of the state directory that holds what the hook wrote.
    pub state_generation: u64,
    /// Whether the charm set the unit's workload status.
    pub status_set: bool,
}

impl Operation {
    /// Whether a person's answer, if there is one, is used up as this operation begins: in the
    /// same transaction, so that it counts once and never for another hook. Whatever hook begins
    /// or is skipped, an answer that is there was given for it or for one before it.
    pub fn takes_answer(&self) -> bool {
        match self {
            Operation::Deploy { takes_answer, .. } => *takes_answer,
            Operation::RunHook { .. } | Operation::SkipHook { .. } => true,
            Operation::AcceptLeadership
            | Operation::ResignLeadership
            | Operation::RunTask { .. }
            | Operation::EndTask { .. } => false,
        }
    }

    /// The state to write before executing; none when there is nothing to execute.
    pub fn prepare(
        &self,
        state: &OperationState,
    ) -> Result<Option<OperationState>, OperationError> {
        state.validate()?;
        match self {
            Operation::Deploy { deploy, .. } => Ok(Some(OperationState {
                kind: if deploy.install {
                    OperationKind::Install
                } else {
                    OperationKind::Upgrade
                },
                step: OperationStep::Pending,
                hook: match state.kind {
                    OperationKind::RunHook | OperationKind::Upgrade => state.hook.clone(),
                    OperationKind::Install | OperationKind::Continue => None,
                },
                charm_url: Some(deploy.charm_url.clone()),
                charm_modified_version: deploy.charm_modified_version,
                ..state.clone()
            })),
            Operation::RunHook { hook, .. } => {
                if matches!(state.kind, OperationKind::Install | OperationKind::Upgrade) {
                    return Err(self.out_of_order(state));
                }
                Ok(Some(OperationState {
                    kind: OperationKind::RunHook,
                    step: OperationStep::Pending,
                    hook: Some(hook.clone()),
                    reboots_now: match &state.hook {
                        Some(before) if before == hook => state.reboots_now,
                        _ => 0,
                    },
                    ..state.clone()
                }))
            }
            Operation::SkipHook { .. }
            | Operation::AcceptLeadership
            | Operation::ResignLeadership
            | Operation::RunTask { .. }
            | Operation::EndTask { .. } => Ok(None),
        }
    }

    /// The state that records a hook as run. It is written in one transaction with the hook's
    /// effects: that write is the commit point.
    pub fn hook_done(&self, state: &OperationState, executed: &Executed) -> OperationState {
        let mut next = OperationState {
            step: OperationStep::Done,
            state_generation: executed.state_generation,
            reboots_now: 0,
            status_set: state.status_set || executed.status_set,
            ..state.clone()
        };
        if state.runs(Kind::ConfigChanged) {
            next.config_hash = Some(executed.config_hash.clone());
        }
        if state.runs(Kind::LeaderSettingsChanged) {
            next.leader_settings_version = Some(executed.leader_settings_version);
        }
        if state.runs(Kind::Start) {
            next.reboots = executed.reboots;
        }
        next
    }

    /// The state that a task leaves: what it changed, and nothing of what is to be done next.
    pub fn task_done(state: &OperationState, generation: u64, status_set: bool) -> OperationState {
        OperationState {
            state_generation: generation,
            status_set: state.status_set || status_set,
            ..state.clone()
        }
    }

    /// The state of a hook that the agent broke off because it stops: it is run again, and is
    /// no failure.
    pub fn hook_interrupted(state: &OperationState) -> OperationState {
        OperationState {
            step: OperationStep::Queued,
            ..state.clone()
        }
    }

    /// The state of a hook that asked for a reboot at once: it is run again after that. None where it has
    /// asked as often as a hook may, which is a failure.
    pub fn hook_reboots(state: &OperationState) -> Option<OperationState> {
        (state.reboots_now < REBOOTS_NOW).then(|| OperationState {
            reboots_now: state.reboots_now + 1,
            ..Self::hook_interrupted(state)
        })
    }

    /// The state after the operation, follow-up hooks queued.
    pub fn commit(&self, state: &OperationState) -> Result<OperationState, OperationError> {
        match self {
            Operation::Deploy { deploy, .. } => Ok(deployed(state, deploy)),
            Operation::RunHook { .. } => match (state.kind, state.step, &state.hook) {
                (OperationKind::RunHook, OperationStep::Done, Some(hook)) => {
                    after_hook(state, hook)
                }
                _ => Err(self.out_of_order(state)),
            },
            Operation::SkipHook {
                hook,
                config_hash,
                leader_settings_version,
                reboots,
            } => {
                let ran = state.kind == OperationKind::RunHook && state.step == OperationStep::Done;
                let mut next = after_hook(state, hook)?;
                match hook.kind {
                    Kind::ConfigChanged if !ran => next.config_hash = Some(config_hash.clone()),
                    Kind::LeaderSettingsChanged if !ran => {
                        next.leader_settings_version = Some(*leader_settings_version);
                    }
                    Kind::Start if !ran => next.reboots = *reboots,
                    _ => {}
                }
                Ok(next)
            }
            Operation::AcceptLeadership => {
                if state.kind != OperationKind::Continue {
                    return Err(self.out_of_order(state));
                }
                Ok(queued(
                    OperationState {
                        leader: true,
                        ..state.clone()
                    },
                    Kind::LeaderElected,
                ))
            }
            Operation::ResignLeadership => Ok(OperationState {
                leader: false,
                ..state.clone()
            }),
            Operation::RunTask { .. } | Operation::EndTask { .. } => Ok(state.clone()),
        }
    }

    fn out_of_order(&self, state: &OperationState) -> OperationError {
        OperationError::OutOfOrder {
            operation: self.to_string(),
            kind: state.kind,
            step: state.step,
        }
    }
}

impl std::fmt::Display for Operation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Operation::Deploy { deploy, .. } if deploy.install => {
                write!(f, "install {}", deploy.charm_url)
            }
            Operation::Deploy { deploy, .. } => write!(f, "upgrade to {}", deploy.charm_url),
            Operation::RunHook { hook, .. } => write!(f, "run {} hook", hook.name()),
            Operation::SkipHook { hook, .. } => write!(f, "skip {} hook", hook.name()),
            Operation::AcceptLeadership => f.write_str("accept leadership"),
            Operation::ResignLeadership => f.write_str("resign leadership"),
            Operation::RunTask { task } => write!(f, "run task {} ({})", task.id, task.dispatch),
            Operation::EndTask { task } => write!(f, "end task {} ({})", task.id, task.dispatch),
        }
    }
}

fn deployed(state: &OperationState, deploy: &Deploy) -> OperationState {
    let back_to = state
        .hook
        .clone()
        .filter(|_| state.kind == OperationKind::Upgrade);
    let placed = OperationState {
        charm_url: Some(deploy.charm_url.clone()),
        charm_modified_version: deploy.charm_modified_version,
        // Another charm's hook is another hook.
        reboots_now: 0,
        ..state.clone()
    };
    match back_to {
        Some(hook) => OperationState {
            kind: OperationKind::RunHook,
            step: OperationStep::Pending,
            hook: Some(hook),
            ..placed
        },
        None => queued(
            placed,
            if deploy.install {
                Kind::Install
            } else {
                Kind::UpgradeCharm
            },
        ),
    }
}

fn after_hook(state: &OperationState, hook: &Info) -> Result<OperationState, OperationError> {
    let because = &state.because;
    let mut next = OperationState {
        kind: OperationKind::Continue,
        step: OperationStep::Pending,
        hook: None,
        reboots_now: 0,
        because: Cause::Unknown,
        ..state.clone()
    };
    // A hook that is queued follows from this one.
    let queued_next = |state: OperationState, hook| {
        let because = because.clone();
        queued(OperationState { because, ..state }, hook)
    };
    match hook.kind {
        Kind::Install => next.installed = true,
        Kind::Start => {
            next.started = true;
            next.stopped = false;
        }
        Kind::Stop => next.stopped = true,
        Kind::Remove => next.removed = true,
        Kind::ConfigChanged if !next.started => return Ok(queued_next(next, Kind::Start)),
        Kind::UpgradeCharm => return Ok(queued_next(next, Kind::ConfigChanged)),
        Kind::ConfigChanged
        | Kind::LeaderElected
        | Kind::LeaderSettingsChanged
        | Kind::UpdateStatus
        | Kind::SecretChanged
        | Kind::SecretExpired
        | Kind::SecretRotate
        | Kind::SecretRemove => {}
        Kind::StorageAttached => {
            next.storage
                .extend(hook.storage.as_ref().map(|event| event.id.clone()));
        }
        Kind::StorageDetaching => {
            if let Some(event) = &hook.storage {
                next.storage.remove(&event.id);
            }
        }
        Kind::RelationCreated
        | Kind::RelationJoined
        | Kind::RelationChanged
        | Kind::RelationDeparted
        | Kind::RelationBroken => {
            if let Some(event) = &hook.relation {
                next.see(event)?;
            }
        }
    }
    Ok(next)
}

fn queued(state: OperationState, hook: Kind) -> OperationState {
    OperationState {
        kind: OperationKind::RunHook,
        step: OperationStep::Queued,
        hook: Some(Info::new(hook)),
        ..state
    }
}

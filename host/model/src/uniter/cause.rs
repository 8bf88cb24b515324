//! Why a unit does what it does next: which change, run or timer stands behind what the resolver chose.
//!
//! The resolver compares versions and knows nobody by name. The controller keeps with each version what it comes
//! from and says both in one answer, so the cause of a hook is that of the very version from which it was chosen,
//! whatever happens meanwhile; nothing is inferred from times. Where several changes stand behind one hook, it is
//! the newest of them. Nothing here decides what is run.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{LocalState, Operation, OperationKind, OperationStep, RemoteState, Resolved};
use crate::cause::{Cause, Timer};
use crate::hook::{Info, Kind, RelationEvent};
use crate::relation::HookKind;
use crate::secret::SecretId;
use crate::storage::StorageId;
use crate::{ApplicationName, UnitName};

/// What brought about what the controller says of a unit. An earlier controller says none of it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
pub struct Causes {
    /// That the unit is there, or leaves.
    #[serde(skip_serializing_if = "Cause::is_unknown")]
    pub unit: Cause,
    /// The answer to a failed hook.
    #[serde(skip_serializing_if = "Cause::is_unknown")]
    pub resolved: Cause,
    #[serde(skip_serializing_if = "Cause::is_unknown")]
    pub charm: Cause,
    #[serde(skip_serializing_if = "Cause::is_unknown")]
    pub config: Cause,
    #[serde(skip_serializing_if = "Cause::is_unknown")]
    pub leader_settings: Cause,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub relations: BTreeMap<u64, RelationCauses>,
    /// The newest revisions of secrets that the unit has not been told of.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub secrets: BTreeMap<SecretId, Cause>,
    /// That a storage is attached, or is to be detached.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub storage: BTreeMap<StorageId, Cause>,
}

/// The same of one relation.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
pub struct RelationCauses {
    /// That it is there, is suspended or ends.
    #[serde(skip_serializing_if = "Cause::is_unknown")]
    pub relation: Cause,
    /// That a remote unit is in its scope with these settings.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub members: BTreeMap<UnitName, Cause>,
    /// The settings of a remote application.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub applications: BTreeMap<ApplicationName, Cause>,
}

impl Causes {
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// Why `operation` was chosen from these two states.
pub fn cause(local: &LocalState, remote: &RemoteState, operation: &Operation) -> Cause {
    match operation {
        Operation::Deploy { deploy, .. } if deploy.install => remote.causes.unit.clone(),
        Operation::Deploy { .. } => remote.causes.charm.clone(),
        Operation::AcceptLeadership | Operation::ResignLeadership => Cause::Leadership,
        Operation::RunTask { task } | Operation::EndTask { task } => Cause::Task(task.id),
        Operation::RunHook { hook } | Operation::SkipHook { hook, .. } => {
            let state = &local.operation;
            let is_recorded =
                state.kind == OperationKind::RunHook && state.hook.as_ref() == Some(hook);
            match is_recorded {
                true => of_recorded(local, remote, hook),
                false => of_chosen(local, remote, hook),
            }
        }
    }
}

/// Of a hook that was queued, or that began before.
fn of_recorded(local: &LocalState, remote: &RemoteState, hook: &Info) -> Cause {
    let state = &local.operation;
    if state.step == OperationStep::Pending {
        match remote.resolved {
            Resolved::NoHooks => return remote.causes.resolved.clone(),
            _ if local.hook_was_interrupted => {}
            Resolved::RetryHooks => return remote.causes.resolved.clone(),
            Resolved::None if remote.retry_hook_version != local.retry_hook_version => {
                return Cause::Timer(Timer::Retry);
            }
            Resolved::None => {}
        }
    }
    if !state.because.is_unknown() {
        return state.because.clone();
    }
    match hook.kind {
        Kind::Install => remote.causes.unit.clone(),
        Kind::UpgradeCharm => remote.causes.charm.clone(),
        Kind::LeaderElected => Cause::Leadership,
        Kind::ConfigChanged | Kind::Start => Cause::Before,
        _ => of_chosen(local, remote, hook),
    }
}

/// Of a hook that the remote state calls for.
fn of_chosen(local: &LocalState, remote: &RemoteState, hook: &Info) -> Cause {
    let (state, causes) = (&local.operation, &remote.causes);
    match hook.kind {
        Kind::Install | Kind::Stop | Kind::Remove => causes.unit.clone(),
        Kind::Start if state.started && state.reboots != remote.reboots => Cause::Reboot,
        Kind::Start => causes.unit.clone(),
        Kind::UpgradeCharm => causes.charm.clone(),
        // The first one tells a new unit what was configured before it.
        Kind::ConfigChanged if state.config_hash.is_none() => causes.unit.clone(),
        Kind::ConfigChanged => causes.config.clone(),
        Kind::LeaderElected => Cause::Leadership,
        Kind::LeaderSettingsChanged if state.leader_settings_version.is_none() => {
            causes.unit.clone()
        }
        Kind::LeaderSettingsChanged => causes.leader_settings.clone(),
        Kind::UpdateStatus => Cause::Timer(Timer::UpdateStatus),
        Kind::SecretExpired => Cause::Timer(Timer::SecretExpire),
        Kind::SecretRotate => Cause::Timer(Timer::SecretRotate),
        Kind::SecretRemove => Cause::Unread,
        Kind::SecretChanged => {
            let event = hook.secret.as_ref();
            let found = event.and_then(|event| causes.secrets.get(&event.id));
            found.cloned().unwrap_or_default()
        }
        Kind::StorageAttached | Kind::StorageDetaching => {
            let event = hook.storage.as_ref();
            let found = event.and_then(|event| causes.storage.get(&event.id));
            let leaves = !remote.life.is_alive();
            let own = leaves.then_some(&causes.unit);
            found.or(own).cloned().unwrap_or_default()
        }
        Kind::RelationCreated
        | Kind::RelationJoined
        | Kind::RelationChanged
        | Kind::RelationDeparted
        | Kind::RelationBroken => match &hook.relation {
            Some(event) => of_relation(local, remote, event),
            None => Cause::Unknown,
        },
    }
}

fn of_relation(local: &LocalState, remote: &RemoteState, event: &RelationEvent) -> Cause {
    let (hook, unit) = (&event.hook, &remote.causes.unit);
    let id = hook.relation;
    let leaves = !remote.life.is_alive();
    let theirs = remote.relations.get(&id);
    let nothing = RelationCauses::default();
    let causes = remote.causes.relations.get(&id).unwrap_or(&nothing);
    let party = hook
        .unit
        .as_ref()
        .and_then(|unit| causes.members.get(unit))
        .or_else(|| {
            let application = hook.application.as_ref();
            application.and_then(|name| causes.applications.get(name))
        });
    let none = Cause::Unknown;
    let party = party.unwrap_or(&none);
    // What was there before the unit came, or before the two were related, is told because of that.
    let came_together = || Cause::newest([unit, &causes.relation, party]);
    match hook.kind {
        HookKind::Created => Cause::newest([unit, &causes.relation]),
        HookKind::Joined => came_together(),
        HookKind::Changed => {
            let ours = local.operation.relations.get(&id);
            let follows_joined = ours.is_none_or(|ours| ours.changed_pending == hook.unit);
            let was_told = ours.is_some_and(|ours| {
                let application = hook.application.as_ref();
                application.is_none_or(|name| ours.applications.contains_key(name))
            });
            match was_told && !(hook.unit.is_some() && follows_joined) {
                true => party.clone(),
                false => came_together(),
            }
        }
        HookKind::Departed | HookKind::Broken if leaves => unit.clone(),
        HookKind::Departed | HookKind::Broken if theirs.is_none() => Cause::Removed(id),
        HookKind::Broken => causes.relation.clone(),
        HookKind::Departed => {
            let ends = theirs.is_some_and(|theirs| theirs.suspended || !theirs.life.is_alive());
            match (ends, &hook.unit) {
                (false, Some(unit)) => Cause::Left {
                    relation: id,
                    unit: unit.clone(),
                },
                _ => causes.relation.clone(),
            }
        }
    }
}

//! The hooks of storage among all the hooks of a unit.
//!
//! A unit lets go of what is dying before anything else, also before it stops; and it is given all that it has from
//! the beginning before its charm is installed.

use super::{Decision, LocalState, Operation, OperationKind, OperationStep, RemoteState};
use crate::hook::{Info, Kind, StorageEvent};
use crate::storage::{self, StorageId};

/// What is to be done about storage; none while there is nothing, or while something else is in progress.
pub(super) fn due(local: &LocalState, remote: &RemoteState) -> Option<Decision> {
    let state = &local.operation;
    let leaving = !remote.life.is_alive();
    let between = match (state.kind, &state.hook) {
        (OperationKind::Continue, _) => true,
        // A unit that leaves before anything ran has storage to give back, too.
        (OperationKind::Install, _) => leaving,
        (OperationKind::RunHook, Some(hook)) => {
            hook.kind == Kind::Install && state.step == OperationStep::Queued
        }
        (OperationKind::RunHook | OperationKind::Upgrade, _) => false,
    };
    if !between || local.shutdown {
        return None;
    }
    if let Some(operation) = detaching(local, remote, leaving) {
        return Some(Decision::Run(operation));
    }
    if leaving {
        return None;
    }
    let attached = &state.storage;
    let missing = || {
        let all = remote.storage.iter();
        all.filter(|(id, _)| !attached.contains(*id))
    };
    if let Some((id, theirs)) = missing().find(|(_, theirs)| theirs.ready) {
        let hook = Info::storage(Kind::StorageAttached, theirs.event(id));
        return Some(Decision::Run(Operation::RunHook { hook }));
    }
    (!state.installed && missing().next().is_some()).then_some(Decision::Waiting)
}

/// How the unit lets go of the first that it has to.
fn detaching(local: &LocalState, remote: &RemoteState, leaving: bool) -> Option<Operation> {
    let attached = &local.operation.storage;
    let goes =
        |(_, theirs): &(&StorageId, &storage::RemoteAttachment)| leaving || !theirs.life.is_alive();
    if let Some((id, theirs)) = remote.storage.iter().find(goes) {
        let hook = Info::storage(Kind::StorageDetaching, theirs.event(id));
        return Some(match attached.contains(id) {
            true => Operation::RunHook { hook },
            false => passed(hook, remote),
        });
    }
    // Taken away by force: there is nothing left that the charm could still look into.
    let vanished = attached.iter().find(|id| !remote.storage.contains_key(*id));
    vanished.map(|id| {
        let event = StorageEvent {
            id: id.clone(),
            kind: storage::Kind::Filesystem,
            location: format!("/storage/{id}"),
        };
        passed(Info::storage(Kind::StorageDetaching, event), remote)
    })
}

fn passed(hook: Info, remote: &RemoteState) -> Operation {
    Operation::SkipHook {
        hook,
        config_hash: remote.config_hash.clone(),
        leader_settings_version: remote.leader_settings_version,
        reboots: remote.reboots,
    }
}

/// Whether `hook` is about storage that the unit does not have any more.
pub(super) fn is_moot(hook: &Info, remote: &RemoteState) -> bool {
    let storage = hook.storage.as_ref();
    storage.is_some_and(|event| !remote.storage.contains_key(&event.id))
}

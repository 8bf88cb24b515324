//! The hooks of relations among all the hooks of a unit.
//!
//! [`RelationState`] knows the order within one relation; what is here picks the relation and
//! names the hook. A relation that the controller does not know any more has ended: the unit
//! runs what is left of it, and what it failed to begin with is moot.

use super::{LocalState, OperationError, OperationState, RemoteState};
use crate::Life;
use crate::hook::{Info, RelationEvent};
use crate::relation::{HookKind, RelationHook, RelationState, RemoteRelation};

/// The created hook of a relation that the unit has not entered yet.
pub(super) fn created(local: &LocalState, remote: &RemoteState) -> Option<Info> {
    let entered = &local.operation.relations;
    let mut unseen = remote
        .relations
        .iter()
        .filter(|(relation, _)| !entered.contains_key(*relation));
    unseen.find_map(|(relation, theirs)| {
        let hook = RelationState::next(None, *relation, theirs, false)?;
        Some(info(local, hook, theirs, false))
    })
}

/// The hook that is due in a relation the unit has entered.
pub(super) fn due(local: &LocalState, remote: &RemoteState) -> Option<Info> {
    let leaving = !remote.life.is_alive();
    let entered = local.operation.relations.iter();
    entered.into_iter().find_map(|(relation, ours)| {
        let ended;
        let theirs = match remote.relations.get(relation) {
            Some(theirs) => theirs,
            None => {
                ended = vanished(local, ours)?;
                &ended
            }
        };
        let hook = RelationState::next(Some(ours), *relation, theirs, leaving)?;
        Some(info(local, hook, theirs, leaving))
    })
}

/// Whether `hook` is about a relation that is gone, and would not end it: nobody is left to be
/// told what it says.
pub(super) fn is_moot(hook: &Info, remote: &RemoteState) -> bool {
    hook.relation.as_ref().is_some_and(|event| {
        let ends = matches!(event.hook.kind, HookKind::Departed | HookKind::Broken);
        !ends && !remote.relations.contains_key(&event.hook.relation)
    })
}

/// What the controller would say of a relation that it has removed.
fn vanished(local: &LocalState, ours: &RelationState) -> Option<RemoteRelation> {
    let remote_application = ours.remote_application.clone()?;
    let own = local.unit.as_ref().map(|unit| unit.application());
    Some(RemoteRelation {
        endpoint: ours.endpoint.clone(),
        peer: own.as_ref() == Some(&remote_application),
        remote_application,
        life: Life::Dead,
        suspended: false,
        members: Default::default(),
        applications: Default::default(),
    })
}

fn info(local: &LocalState, hook: RelationHook, theirs: &RemoteRelation, leaving: bool) -> Info {
    let departing = match hook.kind {
        HookKind::Departed if leaving => local.unit.clone().or_else(|| hook.unit.clone()),
        HookKind::Departed => hook.unit.clone(),
        _ => None,
    };
    Info::relation(RelationEvent {
        endpoint: theirs.endpoint.clone(),
        remote_application: theirs.remote_application.clone(),
        hook,
        departing,
    })
}

impl OperationState {
    /// Takes note of a hook of a relation that was committed.
    ///
    /// # Errors
    /// A hook that the record rules out.
    pub(super) fn see(&mut self, event: &RelationEvent) -> Result<(), OperationError> {
        let relation = event.hook.relation;
        let ours = self.relations.remove(&relation);
        if let Some(seen) = RelationState::after(ours, &event.hook)? {
            let seen = RelationState {
                endpoint: event.endpoint.clone(),
                remote_application: Some(event.remote_application.clone()),
                ..seen
            };
            self.relations.insert(relation, seen);
        }
        Ok(())
    }
}

//! Which applies somebody works on. One that is written down as running and on which nobody works was interrupted: the
//! process that took its steps stopped, or is lost.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use periapt_model::ModelUuid;
use periapt_store::{ABANDONED, KnownApply, StoreError};
use periapt_wire::rest::{BundleApply, BundleApplyState};

use crate::state::ServerState;

/// Models to which this process applies bundles. Clones share them.
#[derive(Clone, Default)]
pub(crate) struct Applies {
    models: Arc<Mutex<HashMap<ModelUuid, usize>>>,
}

/// Somebody applies, or is about to, until this is dropped.
pub(super) struct Claim {
    applies: Applies,
    model: ModelUuid,
}

impl Applies {
    pub(super) fn claim(&self, model: &ModelUuid) -> Claim {
        *self.lock().entry(model.clone()).or_default() += 1;
        Claim {
            applies: self.clone(),
            model: model.clone(),
        }
    }

    fn has(&self, model: &ModelUuid) -> bool {
        self.lock().contains_key(model)
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<ModelUuid, usize>> {
        self.models.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        let mut models = self.applies.lock();
        let left = models.get(&self.model).copied().unwrap_or_default();
        match left {
            0 | 1 => models.remove(&self.model),
            more => models.insert(self.model.clone(), more - 1),
        };
    }
}

/// Those of a model on which nobody works any more.
pub(super) async fn abandoned(
    state: &ServerState,
    model: &ModelUuid,
) -> Result<Vec<u64>, StoreError> {
    let mut over = Vec::new();
    for known in state.store().running_bundles(model).await? {
        let id = known.apply.id;
        let shown = shown(state, model, known).await?;
        if shown.state == BundleApplyState::Interrupted {
            over.push(id);
        }
    }
    Ok(over)
}

/// An apply as people are shown it.
pub(super) async fn shown(
    state: &ServerState,
    model: &ModelUuid,
    known: KnownApply,
) -> Result<BundleApply, StoreError> {
    if known.apply.state.has_ended() || is_worked_on(state, model, known.node).await? {
        return Ok(known.apply);
    }
    // It may have ended since it was read: how it ended is written before its claim goes.
    let mut apply = state.store().bundle(model, known.apply.id).await?.apply;
    if !apply.state.has_ended() {
        apply.state = BundleApplyState::Interrupted;
        apply.message = ABANDONED.to_owned();
    }
    Ok(apply)
}

async fn is_worked_on(
    state: &ServerState,
    model: &ModelUuid,
    node: u32,
) -> Result<bool, StoreError> {
    if node == state.controller().node {
        return Ok(state.applies().has(model));
    }
    let nodes = state.store().controller_nodes().await?;
    let node = nodes.iter().find(|known| known.node == node);
    Ok(node.is_some_and(|node| node.alive))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_model_is_worked_on_until_the_last_claim_goes() {
        let applies = Applies::default();
        let model: ModelUuid = "5f3b7a52-6c1c-4f5e-8a1e-2b8d9a3c4d5e".parse().unwrap();
        assert!(!applies.has(&model));
        let (one, other) = (applies.claim(&model), applies.clone().claim(&model));
        drop(one);
        assert!(applies.has(&model));
        drop(other);
        assert!(!applies.has(&model));
    }
}

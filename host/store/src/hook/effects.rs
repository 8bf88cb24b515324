//! What a hook asked for becomes true: the effect of each tool, in the transaction that commits it.

use periapt_model::hook::{Effects, Info};
use periapt_model::{ModelUuid, Refusal, UnitName};

use super::{ports, state, workload};
use crate::db::Tx;
use crate::error::StoreError;
use crate::lease::rows::require_leader;
use crate::unit::uniter::UnitRow;
use crate::{Result, relation};

/// Whose hook is committed.
#[derive(Clone, Copy)]
pub(crate) struct Committing<'a> {
    pub model: &'a ModelUuid,
    pub unit: &'a UnitName,
    /// The hook that ended.
    pub hook: Option<&'a Info>,
    /// The unit as it was before.
    pub row: &'a UnitRow,
}

/// Applies all effects. What is the leader's needs the lease at this moment.
pub(super) async fn apply(tx: &mut Tx, of: Committing<'_>, effects: &Effects) -> Result<()> {
    if effects.needs_leadership() {
        require_leader(tx, of.model, of.unit).await?;
    }
    ports::apply(tx, of, &effects.ports).await?;
    state::apply(tx, of, &effects.state).await?;
    workload::apply(tx, of, &effects.workload).await?;
    relation::apply(tx, of, &effects.relations).await?;
    relation::apply_leader(tx, of, &effects.leader).await
}

/// A bound of what a unit keeps is passed.
pub(crate) fn too_large(message: String) -> StoreError {
    StoreError::Refused {
        refusal: Refusal::QuotaLimitExceeded,
        message,
    }
}

//! What a hook asked for becomes true: the effect of each tool, in the transaction that commits it.
//!
//! Which tools there are, and in which order, `contract` says; each has a module of its name beside this one.

use std::collections::BTreeMap;

use periapt_model::hook::{Effects, Info};
use periapt_model::secret::SecretId;
use periapt_model::task::TaskId;
use periapt_model::{ModelUuid, UnitName};

use crate::Result;
use crate::db::Tx;
use crate::lease::rows::require_leader;
use crate::secret::Sealed;
use crate::unit::uniter::UnitRow;

/// Whose hook is committed.
#[derive(Clone, Copy)]
pub(crate) struct Committing<'a> {
    pub model: &'a ModelUuid,
    pub unit: &'a UnitName,
    /// The hook that ended.
    pub hook: Option<&'a Info>,
    /// The task that ended in place of one.
    pub task: Option<TaskId>,
    /// Contents of secrets that its effects have none of, each sealed.
    pub sealed: &'a BTreeMap<SecretId, Sealed>,
    /// The unit as it was before.
    pub row: &'a UnitRow,
}

/// Applies all effects. What is the leader's needs the lease at this moment.
pub(super) async fn apply(tx: &mut Tx, of: Committing<'_>, effects: &Effects) -> Result<()> {
    if effects.needs_leadership() {
        require_leader(tx, of.model, of.unit).await?;
    }
    macro_rules! apply {
        ($($tool:ident)*) => { $(super::$tool::apply(tx, of, &effects.$tool).await?;)* };
    }
    periapt_contract::each_tool!(apply);
    Ok(())
}

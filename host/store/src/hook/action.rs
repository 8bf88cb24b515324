//! What an action answered, with which its task ends.

use periapt_contract::Effect;
use periapt_contract::action::Outcome;
use periapt_model::task::TaskStatus;

use super::effects::Committing;
use crate::Result;
use crate::db::Tx;
use crate::error::StoreError;
use crate::operation::{Ending, complete};

/// Ends the task, also where it answered nothing. A hook, which nobody asked, answers nothing.
pub(super) async fn apply(tx: &mut Tx, of: Committing<'_>, outcome: &Outcome) -> Result<()> {
    let Some(task) = of.task else {
        return match outcome.changes_nothing() {
            true => Ok(()),
            false => Err(StoreError::bad_request(
                "only an action has results; a hook has none",
            )),
        };
    };
    let ending = Ending {
        status: match outcome.failure {
            Some(_) => TaskStatus::Failed,
            None => TaskStatus::Completed,
        },
        message: outcome.failure.clone().unwrap_or_default(),
        results: outcome.results.clone(),
    };
    complete(tx, of.model, of.unit, task, ending).await
}

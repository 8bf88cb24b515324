//! **changestream**: wakes those who wait for changes.
//!
//! Trigger: the store's change log grows. Action: it reads new rows in order and hands them to
//! the subscriptions concerned; rows behind every reader are pruned. Effect: every watcher, in
//! this process and in the agents. Stopping and starting it loses nothing, since the position is
//! the store's.

use periapt_engine::{Manifold, ResultExt, TaskWorker};
use periapt_store::Store;

use super::dbaccessor;

pub const NAME: &str = "change-stream";

/// Lends nothing: subscriptions come from the store.
pub fn manifold() -> Manifold {
    Manifold::new(|context| async move {
        let store: Store = context.get(dbaccessor::NAME)?;
        Ok(TaskWorker::spawn(move |worker| async move {
            let dying = worker.dying().clone();
            store
                .changes()
                .run(dying)
                .await
                .while_doing("dispatching changes")
        }))
    })
    .needs([dbaccessor::NAME])
}

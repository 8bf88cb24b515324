//! **multiwatcher**: everything that changes in all models, as one ordered feed.
//!
//! Trigger: the change stream. Action: it reads the entities that a batch of changes concerns
//! once, serialises an event for each, and keeps the last of them for readers that come back.
//! Effect: a client of `GET /v1/events` gets the whole state, then each entity's last value
//! whenever it changed, and is told of removals. What fails is tried again here; readers are told
//! to begin anew. It holds no picture of what there is: that is modelcache's.

use std::time::Duration;

use periapt_engine::{Manifold, Outputs, TaskWorker};
use periapt_server::{Feed, Presence};
use periapt_store::Store;

use super::{changestream, dbaccessor, presence};

pub const NAME: &str = "multiwatcher";

/// Between two looks at the figures for the report, while they change.
pub(super) const REPORT: Duration = Duration::from_secs(1);

/// Lends the [`Feed`].
pub fn manifold() -> Manifold {
    Manifold::new(|context| async move {
        let store: Store = context.get(dbaccessor::NAME)?;
        let presence: Presence = context.get(presence::NAME)?;
        context.require(changestream::NAME)?;
        let clock = context.clock();
        let feed = Feed::new(store, clock.clone(), presence);
        Ok(TaskWorker::lending(
            Outputs::of(feed.clone()),
            |worker| async move {
                let mut told = feed.told();
                let report = async {
                    while told.changed().await.is_ok() {
                        worker.set_report(feed.report());
                        clock.sleep(REPORT).await;
                    }
                };
                tokio::select! {
                    biased;
                    () = feed.run(worker.dying().clone()) => {}
                    () = report => {}
                }
                Ok(())
            },
        ))
    })
    .needs([dbaccessor::NAME, changestream::NAME, presence::NAME])
}

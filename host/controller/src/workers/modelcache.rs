//! **modelcache**: the picture of all models in memory.
//!
//! Trigger: the feed of multiwatcher. Action: it takes the whole state once, applies what
//! follows, and takes the whole state again when the feed began anew; what is not in it is swept
//! out. Effect: readers of events begin with a snapshot that costs the store nothing, statuses
//! are read once for everybody who asks, and the API server accepts nobody before the first full
//! picture has unlocked the gate. It decides nothing and writes nothing.

use periapt_engine::{Manifold, Outputs, TaskWorker};
use periapt_server::{Feed, ModelCache};

use super::multiwatcher::{self, REPORT};

pub const NAME: &str = "model-cache";

/// Lends the [`ModelCache`], whose gate opens with the first full picture.
pub fn manifold() -> Manifold {
    Manifold::new(|context| async move {
        let feed: Feed = context.get(multiwatcher::NAME)?;
        let clock = context.clock();
        let cache = ModelCache::new(feed.clone());
        Ok(TaskWorker::lending(
            Outputs::of(cache.clone()),
            |worker| async move {
                let mut told = feed.told();
                let report = async {
                    cache.initialised().unlocked().await;
                    loop {
                        worker.set_report(cache.report());
                        clock.sleep(REPORT).await;
                        if told.changed().await.is_err() {
                            return;
                        }
                    }
                };
                tokio::select! {
                    biased;
                    () = cache.run(worker.dying().clone()) => {}
                    () = report => {}
                }
                Ok(())
            },
        ))
    })
    .needs([multiwatcher::NAME])
}

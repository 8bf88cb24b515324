//! **dbaccessor**: opens the store and watches over it.
//!
//! Trigger: start, and every 10 seconds. Action: it opens the store, which migrates its schema,
//! and pings it; after three pings in a row that failed it ends, and everything that uses the
//! store stops until it is back. Effect: a database that goes away costs errors that say "try
//! again", never the process. A schema from the future and a database held by somebody else end
//! the process with a plain message, since waiting mends neither.

use std::sync::Arc;
use std::time::Duration;

use periapt_engine::{Manifold, Outputs, ResultExt, TaskWorker, WorkerError, clock};
use periapt_store::{SlowQuery, Store, StoreError, StoreOptions};

use super::{ControllerContext, agent, querylogger};

pub const NAME: &str = "db-accessor";

/// Juju's tracker: a ping each 10 s, three tries.
const PING_PERIOD: Duration = Duration::from_secs(10);
const PING_TRIES: u32 = 3;
const PING_PAUSE: Duration = Duration::from_secs(1);

/// A little longer than the API and the listener take to drain.
const LAST_REQUESTS: Duration = Duration::from_secs(8);

/// Lends the [`Store`].
pub fn manifold() -> Manifold {
    Manifold::new(|context| async move {
        let controller: ControllerContext = context.get(agent::NAME)?;
        let slow_query: SlowQuery = context.get(querylogger::NAME)?;
        let clock = context.clock();
        let options = StoreOptions {
            slow_query: Some(slow_query),
            ..controller.store_options()
        };
        let store = Store::open(options).await.map_err(refused)?;
        Ok(TaskWorker::lending(
            Outputs::of(store.clone()),
            move |worker| async move {
                let ended = loop {
                    worker.set_report(store.report());
                    if worker.or_dying(clock.sleep(PING_PERIOD)).await.is_err() {
                        break Ok(());
                    }
                    let mut failed = 0;
                    let error = loop {
                        match store.ping().await {
                            Ok(()) => break None,
                            Err(error) if failed + 1 == PING_TRIES => break Some(error),
                            Err(_) => failed += 1,
                        }
                        clock.sleep(PING_PAUSE).await;
                    };
                    if let Some(error) = error {
                        break Err(error).while_doing("asking the database for a sign of life");
                    }
                };
                // Requests that run have the time the API gives them.
                controller.store_users.close();
                clock::timeout(clock.as_ref(), LAST_REQUESTS, controller.store_users.wait()).await;
                controller.store_users.reopen();
                store.close().await;
                ended
            },
        ))
    })
    .needs([agent::NAME, querylogger::NAME])
}

fn refused(error: StoreError) -> WorkerError {
    match error {
        StoreError::SchemaTooNew { .. } | StoreError::Locked => {
            WorkerError::fatal(Arc::<str>::from(format!("cannot open the store: {error}")))
        }
        error => WorkerError::other(error).during("opening the store"),
    }
}

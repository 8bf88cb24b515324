//! **dbaccessor**: opens the store and watches over it.
//!
//! Trigger: start, and every 10 seconds. Action: it opens the store, which migrates its schema,
//! and pings it; after three pings in a row that failed or were not answered it ends, and
//! everything that uses the store stops until it is back. Effect: a database that goes away costs
//! errors that say "try again", never the process; a process that lost its database stops
//! claiming to serve, and gives up the models it acted for, before their leases are over. A schema from the future and a database held by somebody else end
//! the process with a plain message, since waiting mends neither.

use std::time::Duration;

use periapt_engine::{
    Clock, Manifold, Outputs, TaskWorker, WorkerContext, WorkerError, WorkerResult, clock,
};
use periapt_store::{DatabaseError, SlowQuery, Store, StoreError, StoreOptions};

use super::{agent, querylogger};
use crate::{ControllerContext, ControllerError};

#[cfg(test)]
mod tests;

pub const NAME: &str = "db-accessor";

/// Juju's tracker: a ping each 10 s, three tries.
const PING_PERIOD: Duration = Duration::from_secs(10);
const PING_TRIES: u32 = 3;
const PING_PAUSE: Duration = Duration::from_secs(1);
/// How long the store may take to answer one: all of them together fit into the rest of a lease
/// that was due for renewal.
const PING_ANSWER: Duration = Duration::from_secs(5);

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
        let opened = open(&controller, options).await;
        let store = opened.map_err(|error| refused(&controller, error))?;
        Ok(TaskWorker::lending(
            Outputs::of(store.clone()),
            move |worker| async move {
                worker.set_report(store.report());
                let ping = || {
                    let (worker, store) = (worker.clone(), store.clone());
                    async move {
                        let answer = store.ping().await;
                        worker.set_report(store.report());
                        answer
                    }
                };
                let ended = watch(&worker, clock.as_ref(), ping).await;
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

/// Pings until the worker is to end, or until the store is lost.
async fn watch<F>(worker: &WorkerContext, clock: &dyn Clock, ping: impl Fn() -> F) -> WorkerResult
where
    F: Future<Output = Result<(), StoreError>>,
{
    loop {
        if worker.or_dying(clock.sleep(PING_PERIOD)).await.is_err() {
            return Ok(());
        }
        let mut failed = 0;
        loop {
            let answer = clock::timeout(clock, PING_ANSWER, ping()).await;
            let error = match answer {
                Some(Ok(())) => break,
                Some(Err(error)) => WorkerError::other(error),
                None => WorkerError::text(format!("no answer within {} s", PING_ANSWER.as_secs())),
            };
            failed += 1;
            if failed == PING_TRIES {
                return Err(error.during("asking the database for a sign of life"));
            }
            clock.sleep(PING_PAUSE).await;
        }
    }
}

/// Where the store keeps which controller it belongs to.
const OWNER_KEY: &str = "controller-uuid";

/// Opens the store of this very controller. One from before stores knew their controller is
/// taken for its own.
async fn open(
    controller: &ControllerContext,
    options: StoreOptions,
) -> Result<Store, ControllerError> {
    let store = Store::open(options).await?;
    let own = controller.config.uuid.as_str();
    let owned = match store.controller_value(OWNER_KEY).await {
        Ok(Some(owner)) if owner != own => Err(ControllerError::OtherDatabase),
        Ok(Some(_)) => Ok(()),
        Ok(None) => Ok(store.set_controller_value(OWNER_KEY, own).await?),
        Err(error) => Err(error.into()),
    };
    if owned.is_err() {
        store.close().await;
    }
    owned.map(|()| store)
}

/// What waiting mends is tried again; the rest ends the process with a plain message.
fn refused(controller: &ControllerContext, error: ControllerError) -> WorkerError {
    match error {
        ControllerError::Store(StoreError::Database(DatabaseError::NoData { place })) => {
            controller.verdict.end(ControllerError::DatabaseGone {
                place,
                directory: controller.data_dir.clone(),
            })
        }
        ControllerError::Store(StoreError::Database(
            DatabaseError::SchemaTooNew { .. } | DatabaseError::Locked,
        ))
        | ControllerError::OtherDatabase => controller.verdict.end(error),
        error => WorkerError::other(error).during("opening the store"),
    }
}

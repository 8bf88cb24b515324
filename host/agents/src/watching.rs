//! What all workers do that follow a watcher: begin to watch, wait for what comes next, stop when
//! they are asked to, and say what they were doing when the API fails.
//!
//! [`notify`] and [`names`] are Juju's NotifyWorker and StringsWorker: what is left of such a worker
//! is its decision. A worker that waits for something else too, or that remembers something from one
//! event to the next, holds a [`Watching`] and loops by itself.

#[cfg(test)]
mod tests;

use std::str::FromStr;

use periapt_engine::{ResultExt, WorkerContext, WorkerError, WorkerResult};
use periapt_wire::{ApiConnection, Call, Watch, Watcher};

/// A watcher, for as long as its worker should run.
pub struct Watching {
    worker: WorkerContext,
    watcher: Watcher,
    doing: &'static str,
}

impl Watching {
    /// Begins to watch; `doing` is what the worker does by that, as in "watching clean-ups".
    ///
    /// # Errors
    /// Those of the API, and [`WorkerError::Dying`] when asked to stop.
    pub async fn begin<W: Call<Reply = Watch>>(
        worker: &WorkerContext,
        api: &ApiConnection,
        watch: &W,
        doing: &'static str,
    ) -> Result<Self, WorkerError> {
        let watcher = worker.or_dying(api.watch(watch)).await?;
        Ok(Self {
            worker: worker.clone(),
            watcher: watcher.while_doing(doing)?,
            doing,
        })
    }

    /// The next event; the first comes at once. Safe to cancel.
    ///
    /// # Errors
    /// Those of the API, and [`WorkerError::Dying`] when asked to stop.
    pub async fn changed(&mut self) -> WorkerResult {
        self.next().await.map(drop)
    }

    /// The names in the next event. What does not read as one is none of this program's.
    ///
    /// # Errors
    /// Those of the API, and [`WorkerError::Dying`] when asked to stop.
    pub async fn names<T: FromStr>(&mut self) -> Result<Vec<T>, WorkerError> {
        let names = self.next().await?;
        Ok(names.iter().filter_map(|name| name.parse().ok()).collect())
    }

    async fn next(&mut self) -> Result<Vec<String>, WorkerError> {
        let event = self.worker.or_dying(self.watcher.next()).await?;
        event.while_doing(self.doing)
    }
}

/// Calls `handle` at each event, and drops what it does when the worker should stop.
///
/// # Errors
/// Those of the API and of `handle`, and [`WorkerError::Dying`] when asked to stop.
pub async fn notify<W, F>(
    worker: &WorkerContext,
    api: &ApiConnection,
    watch: W,
    doing: &'static str,
    mut handle: impl FnMut() -> F,
) -> WorkerResult
where
    W: Call<Reply = Watch>,
    F: Future<Output = WorkerResult>,
{
    let mut watching = Watching::begin(worker, api, &watch, doing).await?;
    loop {
        watching.changed().await?;
        worker.or_dying(handle()).await??;
    }
}

/// Calls `handle` with the names in each event that has any, and drops what it does when the worker
/// should stop.
///
/// # Errors
/// Those of the API and of `handle`, and [`WorkerError::Dying`] when asked to stop.
pub async fn names<T, W, F>(
    worker: &WorkerContext,
    api: &ApiConnection,
    watch: W,
    doing: &'static str,
    mut handle: impl FnMut(Vec<T>) -> F,
) -> WorkerResult
where
    T: FromStr,
    W: Call<Reply = Watch>,
    F: Future<Output = WorkerResult>,
{
    let mut watching = Watching::begin(worker, api, &watch, doing).await?;
    loop {
        let names = watching.names().await?;
        if !names.is_empty() {
            worker.or_dying(handle(names)).await??;
        }
    }
}

//! Scripted workers, for the tests of this crate and of those built on it.
//!
//! A [`Script`] is the other end of a node: it provides the manifold, counts starts, can make the
//! next starts fail, and gives hold of the worker that runs, which ends exactly as it is told.
//! [`settle`] waits until every task is idle. Run tests on a current-thread runtime with a paused
//! timer (`#[tokio::test(start_paused = true)]`, tokio's feature `test-util`): then settling takes
//! no time and is exact.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use tokio::sync::SetOnce;
use tokio_util::sync::CancellationToken;

use crate::clock::FakeClock;
use crate::error::{WorkerError, WorkerResult};
use crate::manifold::{Context, Manifold, Name, StartResult};
use crate::panics::lock;
use crate::worker::{Outputs, SharedWorker, Worker};

/// Waits until every task of a paused current-thread runtime waits for something. (The paused
/// timer moves only when the runtime is idle.) On any other runtime: a millisecond.
pub async fn settle() {
    tokio::time::sleep(Duration::from_millis(1)).await;
}

/// Settles, then moves `clock` from sleeper to sleeper until nobody sleeps, or until `limit` of
/// its time is used up. True when nobody sleeps any more.
pub async fn run_until_idle(clock: &FakeClock, limit: Duration) -> bool {
    let mut left = limit;
    loop {
        settle().await;
        match clock.next_wake() {
            None => return true,
            Some(wait) if wait > left => return false,
            Some(wait) => {
                left -= wait;
                clock.advance(wait);
            }
        }
    }
}

/// A worker that ends as it is told.
pub struct ScriptedWorker {
    serial: u64,
    killed: CancellationToken,
    ended: SetOnce<WorkerResult>,
    on_kill: Option<WorkerResult>,
    outputs: Outputs,
}

impl ScriptedWorker {
    /// A worker that ends cleanly when killed.
    #[must_use]
    pub fn new() -> Arc<Self> {
        Self::with(Some(Ok(())), Outputs::default())
    }

    /// A worker that, when killed, ends with `on_kill`, or goes on until told when that is `None`.
    #[must_use]
    pub fn with(on_kill: Option<WorkerResult>, outputs: Outputs) -> Arc<Self> {
        Self::numbered(0, on_kill, outputs)
    }

    fn numbered(serial: u64, on_kill: Option<WorkerResult>, outputs: Outputs) -> Arc<Self> {
        let (killed, ended) = (CancellationToken::new(), SetOnce::new());
        Arc::new(Self {
            serial,
            killed,
            ended,
            on_kill,
            outputs,
        })
    }

    /// Ends the worker; false when it had ended before.
    pub fn end(&self, result: WorkerResult) -> bool {
        self.ended.set(result).is_ok()
    }

    /// Which of its script's workers this is, counted from 1.
    #[must_use]
    pub fn serial(&self) -> u64 {
        self.serial
    }

    /// True when someone asked it to stop.
    #[must_use]
    pub fn is_killed(&self) -> bool {
        self.killed.is_cancelled()
    }

    /// True when it has ended.
    #[must_use]
    pub fn has_ended(&self) -> bool {
        self.ended.get().is_some()
    }
}

#[async_trait]
impl Worker for ScriptedWorker {
    fn kill(&self) {
        self.killed.cancel();
        if let Some(result) = &self.on_kill {
            self.end(result.clone());
        }
    }

    async fn wait(&self) -> WorkerResult {
        self.ended.wait().await.clone()
    }

    fn report(&self) -> serde_json::Value {
        serde_json::json!({ "serial": self.serial })
    }

    fn outputs(&self) -> Outputs {
        self.outputs.clone()
    }
}

/// The serial number of a scripted worker, which it lends, so that a dependent's script can
/// tell on which of its input's workers it was started.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Serial(pub u64);

/// The other end of a node. Clones are the same script.
#[derive(Clone, Default)]
pub struct Script {
    state: Arc<Mutex<State>>,
}

struct State {
    attempts: u64,
    starts: u64,
    most_alive: usize,
    failures: VecDeque<WorkerError>,
    on_kill: Option<WorkerResult>,
    outputs: Outputs,
    workers: Vec<Arc<ScriptedWorker>>,
    inputs: Vec<(Name, Option<u64>)>,
}

impl Default for State {
    fn default() -> Self {
        Self {
            attempts: 0,
            starts: 0,
            most_alive: 0,
            failures: VecDeque::new(),
            on_kill: Some(Ok(())),
            outputs: Outputs::default(),
            workers: Vec::new(),
            inputs: Vec::new(),
        }
    }
}

impl Script {
    /// Workers that end cleanly when killed and lend only their serial number.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Workers that lend `value` too.
    #[must_use]
    pub fn lending<T: Clone + Send + Sync + 'static>(value: T) -> Self {
        let script = Self::default();
        script.lend(value);
        script
    }

    /// From the next start on, lends `value` in place of what was lent before.
    pub fn lend<T: Clone + Send + Sync + 'static>(&self, value: T) {
        lock(&self.state).outputs = Outputs::of(value);
    }

    /// How later workers end when killed; `None`: not before they are told.
    pub fn on_kill(&self, result: Option<WorkerResult>) {
        lock(&self.state).on_kill = result;
    }

    /// The next start, after those already scripted, fails.
    pub fn fail_next_start(&self, error: WorkerError) {
        lock(&self.state).failures.push_back(error);
    }

    /// Forgets all scripted failures.
    pub fn heal(&self) {
        lock(&self.state).failures.clear();
    }

    /// A row that needs `required` and rests while one of them is missing.
    #[must_use]
    pub fn manifold<I>(&self, required: I) -> Manifold
    where
        I: IntoIterator,
        I::Item: Into<Name>,
    {
        self.manifold_with(required, std::iter::empty::<Name>())
    }

    /// The same with inputs it can do without.
    #[must_use]
    pub fn manifold_with<I, O>(&self, required: I, optional: O) -> Manifold
    where
        I: IntoIterator,
        I::Item: Into<Name>,
        O: IntoIterator,
        O::Item: Into<Name>,
    {
        let required: Vec<Name> = required.into_iter().map(Into::into).collect();
        let optional: Vec<Name> = optional.into_iter().map(Into::into).collect();
        let inputs: Vec<Name> = required.iter().chain(&optional).cloned().collect();
        let script = self.clone();
        Manifold::new(move |context| {
            let result = script.start_with(&context, &required, &optional);
            async move { result }
        })
        .needs(inputs)
    }

    /// Starts a worker as the script says, without an engine: for runners.
    ///
    /// # Errors
    /// The next scripted failure.
    pub fn start(&self) -> StartResult {
        let mut state = lock(&self.state);
        state.attempts += 1;
        if let Some(error) = state.failures.pop_front() {
            return Err(error);
        }
        state.starts += 1;
        let outputs = state.outputs.clone().and(Serial(state.starts));
        let worker = ScriptedWorker::numbered(state.starts, state.on_kill.clone(), outputs);
        state.workers.retain(|worker| !worker.has_ended());
        state.workers.push(worker.clone());
        state.most_alive = state.most_alive.max(state.workers.len());
        Ok(worker as SharedWorker)
    }

    fn start_with(&self, context: &Context, required: &[Name], optional: &[Name]) -> StartResult {
        let mut inputs = Vec::new();
        for name in required {
            context.require(name)?;
            let serial = context.get::<Serial>(name).ok();
            inputs.push((name.clone(), serial.map(|serial| serial.0)));
        }
        for name in optional {
            let serial = context.get::<Serial>(name).ok();
            inputs.push((name.clone(), serial.map(|serial| serial.0)));
        }
        let worker = self.start()?;
        lock(&self.state).inputs = inputs;
        Ok(worker)
    }

    /// The worker that runs now: started, not ended.
    #[must_use]
    pub fn current(&self) -> Option<Arc<ScriptedWorker>> {
        lock(&self.state)
            .workers
            .iter()
            .rev()
            .find(|worker| !worker.has_ended())
            .cloned()
    }

    /// Ends the current worker; false when there is none.
    pub fn end(&self, result: WorkerResult) -> bool {
        self.current().is_some_and(|worker| worker.end(result))
    }

    /// How often a worker was started.
    #[must_use]
    pub fn starts(&self) -> u64 {
        lock(&self.state).starts
    }

    /// How often a start got as far as its inputs allowed, failures included.
    #[must_use]
    pub fn attempts(&self) -> u64 {
        lock(&self.state).attempts
    }

    /// The largest number of workers that were alive at the same time.
    #[must_use]
    pub fn most_alive(&self) -> usize {
        lock(&self.state).most_alive
    }

    /// The serial number of each input's worker that the latest worker was started on.
    #[must_use]
    pub fn inputs_at_start(&self) -> Vec<(Name, Option<u64>)> {
        lock(&self.state).inputs.clone()
    }
}

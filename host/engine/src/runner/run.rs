//! The life of one worker of a runner, as one task.

use std::time::Duration;

use tokio_util::sync::CancellationToken;

use super::{Life, Runner, StartFn};
use crate::error::{WorkerError, WorkerResult};
use crate::panics::{catch, catch_call, lock};
use crate::worker::SharedWorker;

pub(super) async fn run_worker(
    runner: Runner,
    id: String,
    serial: u64,
    start: StartFn,
    stop: CancellationToken,
) {
    let mut delay = Duration::ZERO;
    loop {
        tokio::select! {
            biased;
            () = stop.cancelled() => {}
            () = runner.shared.config.clock.sleep(delay) => {}
        }
        if stop.is_cancelled() {
            break;
        }
        let result = match catch(async { start().await }).await {
            Ok(worker) => {
                runner.running(&id, &worker);
                catch(async { worker.wait().await }).await
            }
            Err(error) => Err(error),
        };
        if !runner.ended(&id, result) {
            break;
        }
        delay = runner.shared.config.restart_delay;
    }
    runner.remove(&id, serial);
}

impl Runner {
    /// A worker has started; if it is no longer wanted it is killed at once.
    fn running(&self, id: &str, worker: &SharedWorker) {
        let stopping = {
            let mut state = lock(&self.shared.state);
            let Some(entry) = state.workers.get_mut(id) else {
                return worker.kill();
            };
            entry.worker = Some(worker.clone());
            entry.started_at = Some(self.shared.config.clock.now());
            entry.stop.is_cancelled()
        };
        if stopping {
            worker.kill();
        }
        self.shared.changed.notify_waiters();
    }

    /// A worker has ended: true when it is to be started again.
    fn ended(&self, id: &str, result: WorkerResult) -> bool {
        let config = &self.shared.config;
        let error = result.err();
        let (worker, stopping) = {
            let mut state = lock(&self.shared.state);
            match state.workers.get_mut(id) {
                Some(entry) => {
                    entry.error.clone_from(&error);
                    (entry.worker.take(), entry.stop.is_cancelled())
                }
                None => (None, true),
            }
        };
        drop(worker);
        let Some(error) = error else { return false };
        // A judgement that panics is taken as the more careful answer.
        if catch_call(|| Ok((config.is_fatal)(&error))).unwrap_or(true) {
            tracing::error!(runner = %config.name, worker = id, %error, "fatal worker error");
            self.begin_stop(Some(error));
            return false;
        }
        if stopping {
            return false;
        }
        let restart = catch_call(|| Ok((config.should_restart)(&error))).unwrap_or(true);
        tracing::info!(runner = %config.name, worker = id, %error, restart, "worker ended");
        restart
    }

    fn remove(&self, id: &str, serial: u64) {
        let removed = {
            let mut state = lock(&self.shared.state);
            match state.workers.get(id) {
                Some(entry) if entry.serial == serial => state.workers.remove(id),
                _ => None,
            }
        };
        drop(removed);
        self.finish_if_empty();
        self.shared.changed.notify_waiters();
    }

    /// Stops everything; called again, it only adds to the reasons.
    pub(super) fn begin_stop(&self, fatal: Option<WorkerError>) {
        let workers: Vec<SharedWorker> = {
            let mut state = lock(&self.shared.state);
            if let Some(fatal) = fatal {
                state.worst = Some((self.shared.config.worst)(fatal, state.worst.take()));
            }
            if state.life == Life::Alive {
                state.life = Life::Dying;
            }
            state.workers.values().for_each(|entry| entry.stop.cancel());
            state
                .workers
                .values()
                .filter_map(|entry| entry.worker.clone())
                .collect()
        };
        workers.iter().for_each(|worker| worker.kill());
        self.finish_if_empty();
    }

    fn finish_if_empty(&self) {
        let mut state = lock(&self.shared.state);
        if state.life == Life::Dying && state.workers.is_empty() {
            state.life = Life::Dead;
            let result = state.worst.take().map_or(Ok(()), Err);
            drop(state);
            let _ = self.shared.dead.set(result);
            self.shared.changed.notify_waiters();
        }
    }
}

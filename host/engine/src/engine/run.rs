//! Carries out what the state machine decided, and runs each node as one task: wait for the
//! delay, start, tell, wait for the worker, tell.

use std::sync::Arc;
use std::time::Duration;

use tokio_util::sync::CancellationToken;

use super::DependencyEngine;
use super::state::{Ending, Phase};
use crate::error::{WorkerError, WorkerResult};
use crate::manifold::{Context, Manifold};
use crate::panics::{catch, catch_call};
use crate::worker::{Outputs, SharedWorker};

/// What follows from one event, done after the state is unlocked: killing a worker, and dropping
/// what it lent, runs code of others, which may well call the engine.
#[derive(Default)]
pub(super) struct Effects {
    cancels: Vec<CancellationToken>,
    kills: Vec<SharedWorker>,
    starts: Vec<Start>,
    discarded: Vec<Phase>,
    removed: Vec<Arc<Manifold>>,
    death: Option<Option<WorkerError>>,
}

/// One attempt to start a node.
pub(super) struct Start {
    pub manifold: Arc<Manifold>,
    pub delay: Duration,
    pub context: Context,
}

impl Effects {
    pub fn cancel(&mut self, abort: CancellationToken) {
        self.cancels.push(abort);
    }

    pub fn kill(&mut self, worker: SharedWorker) {
        self.kills.push(worker);
    }

    pub fn start(&mut self, start: Start) {
        self.starts.push(start);
    }

    pub fn discard(&mut self, phase: Phase) {
        self.discarded.push(phase);
    }

    pub fn discard_node(&mut self, manifold: Arc<Manifold>) {
        self.removed.push(manifold);
    }

    /// The last node has stopped; the worst fatal error, if there was one, is the reason.
    pub fn die(&mut self, worst: Option<WorkerError>) {
        self.death = Some(worst);
    }

    pub fn carry_out(self, engine: &DependencyEngine) {
        self.cancels.iter().for_each(CancellationToken::cancel);
        self.kills.iter().for_each(|worker| worker.kill());
        for start in self.starts {
            tokio::spawn(run_node(engine.clone(), start));
        }
        if let Some(worst) = self.death {
            let result = worst.map_or(Ok(()), Err);
            let filter = engine.shared.config.filter.as_ref();
            let result = catch_call(|| match (result, filter) {
                (Err(error), Some(filter)) => filter(error),
                (result, _) => result,
            });
            let _ = engine.shared.dead.set(result);
        }
    }
}

async fn run_node(engine: DependencyEngine, start: Start) {
    let Start {
        manifold,
        delay,
        context,
    } = start;
    let name = context.name().clone();
    // In a frame of its own, and the context gone with it: a worker may run for weeks.
    let attempt = Box::pin(attempt(&engine, &manifold, delay, context)).await;
    let raw = match attempt {
        Ok((worker, outputs)) => {
            let started = worker.clone();
            engine.apply(|state, config, effects| {
                state.started(&name, started, outputs, config, effects);
            });
            catch(async { worker.wait().await }).await
        }
        Err(error) => Err(error),
    };
    let ending = judge(&engine, &manifold, raw);
    engine.apply(|state, config, effects| state.stopped(&name, ending, config, effects));
}

async fn attempt(
    engine: &DependencyEngine,
    manifold: &Manifold,
    delay: Duration,
    context: Context,
) -> Result<(SharedWorker, Outputs), WorkerError> {
    let attempt = catch(async {
        context
            .or_abort(engine.shared.config.clock.sleep(delay))
            .await?;
        let worker = (manifold.start)(context.clone()).await?;
        let outputs: Outputs = worker.outputs();
        Ok((worker, outputs))
    })
    .await;
    context.expire();
    attempt
}

fn judge(engine: &DependencyEngine, manifold: &Manifold, raw: WorkerResult) -> Ending {
    let filtered = catch_call(|| match (raw.clone(), &manifold.filter) {
        (Err(error), Some(filter)) => filter(error),
        (raw, _) => raw,
    });
    let fatal = match &filtered {
        Ok(()) => false,
        // A judgement that panics cannot be trusted to let the engine go on.
        Err(error) => catch_call(|| Ok((engine.shared.config.is_fatal)(error))).unwrap_or(true),
    };
    Ending {
        raw,
        filtered,
        fatal,
    }
}

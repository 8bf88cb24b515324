//! The rules of the engine, one test each. Properties over random graphs are in `properties`.

mod delays;
mod ends;
mod starts;
mod whole;

use std::sync::{Arc, Mutex};
use std::time::Duration;

use super::{Delays, DependencyEngine, EngineConfig, EngineState, InstallError, NodeState};
use crate::clock::{Clock, FakeClock};
use crate::error::{Fatal, WorkerError, WorkerResult};
use crate::manifold::{Context, Manifold, Manifolds};
use crate::randomness::Seeded;
use crate::task::TaskWorker;
use crate::testing::{Script, Serial, run_until_idle, settle};
use crate::worker::ValueWorker;

const NONE: [&str; 0] = [];
const MINUTE: Duration = Duration::from_secs(60);

fn engine() -> (FakeClock, DependencyEngine) {
    engine_with(|config| config)
}

fn engine_with(change: impl FnOnce(EngineConfig) -> EngineConfig) -> (FakeClock, DependencyEngine) {
    let clock = FakeClock::new();
    let config = EngineConfig::new("test", clock.shared()).randomness(Seeded::shared(7));
    (clock, DependencyEngine::new(change(config)))
}

fn state(engine: &DependencyEngine, node: &str) -> NodeState {
    engine.report().manifolds[node].state
}

async fn idle(clock: &FakeClock) {
    assert!(run_until_idle(clock, MINUTE * 10).await);
}

/// Asserts that the only sleeper waits for `base`, give or take the jitter.
fn assert_waits(clock: &FakeClock, base: Duration) {
    assert_eq!(clock.sleepers(), 1);
    let wait = clock.next_wake().unwrap();
    assert!(
        wait >= base.mul_f64(0.899) && wait < base.mul_f64(1.101),
        "{wait:?}, not {base:?}"
    );
}

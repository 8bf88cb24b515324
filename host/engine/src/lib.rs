//! The engine room: how a process of many small workers is started, stopped, restarted and
//! looked at.
//!
//! An agent is a table of *manifolds*. Each says which other nodes it needs and how its worker is
//! started; the dependency engine does the rest: it starts a node when its inputs are there, stops
//! and restarts it when one of them changes, backs off when it fails, and can say at any moment
//! what runs, what rests, and on which input it rests. The rules are those of Juju's dependency
//! engine, because the catalogue of workers depends on their corners.
//!
//! The parts, from the ground up:
//!
//! | part | what it is |
//! |---|---|
//! | [`clock`], [`randomness`] | time and chance, injected, so that a whole controller runs on virtual time |
//! | [`error`] | how a worker ends: the few errors which the engine understands, found through the cause chain |
//! | [`worker`] | the trait: kill, wait, report, and the values a worker lends to others |
//! | [`tomb`] | a group of tasks with a single reason to die |
//! | [`catacomb`] | a tomb which owns other workers |
//! | [`task`] | the usual way to write a worker: one async function |
//! | [`manifold`] | one row of an agent's table, the table, and what a start function may ask for |
//! | [`engine`] | the dependency engine |
//! | [`runner`] | a dynamic set of workers by id, each restarted by itself |
//! | [`flag`] | a truth that is constant over the life of its worker |
//! | [`gate`] | a one-way latch, and the flag that shows it |
//! | [`fortress`] | many guests, one guard |
//! | [`housing`] | flags and a fortress put around a group of rows |
//! | [`descriptors`] | how many files and connections a process may have open |
//! | [`supervised`] | what a process says on disk to whoever supervises it |
//! | [`failpoint`] | named points at which a test kills or stops the process |
//! | [`fault`] | named steps that a test makes fail |
//! | [`testing`] | scripted workers for the tests of this and other crates |
//!
//! What this crate never does: it knows no Juju entity, opens no socket and no file but those of
//! [`supervised`], polls nothing, keeps no thread and no timer for a worker that rests. A node costs one task while its
//! worker lives and nothing while it rests, for one process holds thousands of engines.
//!
//! ```
//! use periapt_engine::{DependencyEngine, EngineConfig, Manifold, Manifolds, SystemClock};
//! use periapt_engine::{TaskWorker, ValueWorker, Worker};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let engine = DependencyEngine::new(EngineConfig::new("example", SystemClock::shared()));
//! Manifolds::new()
//!     .add("greeting", Manifold::new(|_| async { Ok(ValueWorker::lend(String::from("hello"))) }))
//!     .add("speaker", Manifold::new(|context| async move {
//!         let greeting: String = context.get("greeting")?;
//!         Ok(TaskWorker::spawn(move |worker| async move {
//!             worker.set_report(serde_json::json!({ "says": greeting }));
//!             worker.dying().cancelled().await;
//!             Ok(())
//!         }))
//!     }).needs(["greeting"]))
//!     .install(&engine)?;
//! engine.kill();
//! engine.wait().await?;
//! # Ok(())
//! # }
//! ```

pub mod catacomb;
pub mod clock;
pub mod descriptors;
pub mod engine;
pub mod error;
pub mod failpoint;
pub mod fault;
pub mod flag;
pub mod fortress;
pub mod gate;
pub mod housing;
pub mod manifold;
pub mod program;
pub mod randomness;
pub mod runner;
pub mod supervised;
pub mod task;
pub mod testing;
pub mod tomb;
pub mod worker;

mod panics;
mod race;

pub use catacomb::Catacomb;
pub use clock::{Clock, FakeClock, SharedClock, SystemClock};
pub use engine::{
    Delays, DependencyEngine, EngineConfig, EngineReport, EngineState, InstallError, NodeReport,
    NodeState,
};
pub use error::{Fatal, Kind, ResultExt, WorkerError, WorkerResult, importance, worst_error};
pub use flag::Flag;
pub use fortress::{Fortress, FortressError, Guard, Guest, Visit};
pub use gate::Gate;
pub use housing::Housing;
pub use manifold::{Context, Filter, Manifold, Manifolds, Name, StartResult};
pub use program::own_program;
pub use randomness::{Randomness, Seeded, SharedRandomness, SystemRandomness};
pub use runner::{Runner, RunnerConfig, RunnerError};
pub use task::{TaskWorker, WorkerContext};
pub use tomb::Tomb;
pub use worker::{Outputs, SharedWorker, ValueWorker, Worker};

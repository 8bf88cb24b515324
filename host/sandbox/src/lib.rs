//! The sandbox: runs one hook of one charm in a fresh WebAssembly instance that has nothing but
//! what it was handed, and gives back what the hook asked for.
//!
//! What is here, in the order in which a charm meets it:
//!
//! * [`compile_in_child`] turns a component into machine code in a child process with limits,
//!   because the cost of compiling is outside what wasmtime promises to bound. The result is an
//!   [`Artifact`]: code, [`Inspection`] and a checksum, kept by [`CompileCache`].
//! * [`Foundation`] is the wasmtime engine with its pool, its ticker and the loading of artifacts, which
//!   other kinds of guests than charms have as well (`host/serving`).
//! * [`SandboxEngine`] (one for each agent process) loads artifacts and keeps the loaded ones.
//! * [`SandboxEngine::run`] runs one hook: new store, new instance, directories, limits. Calls
//!   of the charm go to a [`HookContext`] when they take effect at once and into a [`HookTxn`]
//!   when they wait for the commit; `tools` has a file for each kind of them. Effects come back only from a hook that returned ok.
//! * [`lockdown`] takes away from the whole process what no agent needs, so that a guest which
//!   breaks out of WebAssembly still meets a wall.
//!
//! This crate knows neither the API nor the store, and it decides nothing about models.

mod artifact;
mod cache;
mod charm;
mod check;
pub mod clocks;
mod compile;
mod engine;
mod failure;
mod files;
mod foundation;
mod journal;
pub mod lockdown;
mod meter;
mod run;
mod ticker;
mod tools;
mod wait;
mod world;

#[cfg(test)]
mod tests;

pub use artifact::{Artifact, ArtifactError, Inspection, pack, unpack};
pub use cache::CompileCache;
pub use charm::{LoadError, LoadedCharm};
pub use compile::{
    CHARMS, ChildLimits, CompileError, Compiler, compile_child_main, compile_in_child,
};
pub use engine::SandboxEngine;
pub use failure::{HookFailure, out_of_descriptors, trap_reason};
pub use files::{Directories, SharedDirectory, StorageDirectory, UnitFiles};
pub use foundation::{EngineError, Foundation, Settings, engine_hash, imports};
pub use meter::Meter;
pub use periapt_contract::settings::Settings as Bag;
pub use periapt_contract::{CallError, CallErrorCode, HookTxn, Member, OwnBag, RelationInfo};
pub use run::{HookEvent, HookOutcome, HookRun, Usage};
pub use ticker::Ticking;
pub use tools::answers::*;
pub use tools::{
    CloudAccess, Goal, Goals, HookContext, LogLevel, Network, Output, Permission, Tool, When,
    hook_tools,
};
pub use wait::Cancelled;

//! What every kind of guest shares: the wasmtime engine with its pool, the ticker, and the way from a
//! component to code that is ready to be linked.
//!
//! Instances come from a pool of fixed size, so that the memory of guests has a bound which
//! holds for the process, and so that making one costs microseconds. Guests are interrupted by
//! epochs: one thread advances the epoch every tick while a guest runs, and each guest looks at its
//! own deadline when that reaches it. Fuel is not used: it costs more and bounds nothing here that time and
//! host calls do not.
//!
//! What a guest may import and how it is entered is its own kind's: hooks in [`crate::SandboxEngine`],
//! web workloads in `host/serving`.

use std::hash::{Hash, Hasher};

use periapt_model::digest::Digester;
use periapt_model::text;
use serde::{Deserialize, Serialize};
use thiserror::Error;
use wasmtime::component::Component;
use wasmtime::{Config, Enabled, Engine, InstanceAllocationStrategy, PoolingAllocationConfig};

use crate::artifact::{Artifact, FRAME_VERSION, Inspection};
use crate::charm::LoadError;
use crate::compile::CompileError;
use crate::failure;
use crate::ticker::{Ticker, Ticking};

/// Stack of a guest, and of the host functions it calls on the same thread.
const GUEST_STACK_BYTES: usize = 1 << 20;
const WHOLE_STACK_BYTES: usize = 4 << 20;
/// Memory of an instance that stays mapped between two hooks, so that small guests do not
/// fault their pages in again. It is what the guest wrote, where the kernel tells which pages that are;
/// else the lowest addresses, where the stack of most guests ends.
const KEEP_RESIDENT_BYTES: usize = 256 << 10;
/// Linear memories, tables and core modules one component may have. A component made from one
/// module has one memory and up to three tables; one that carries CPython has some 40 modules.
const MEMORIES: u32 = 2;
const TABLES: u32 = 8;
const CORE_INSTANCES: u32 = 100;

/// Handles of a guest where there are plenty, and so many that a charm can still work.
const HANDLES: u32 = 512;
const FEWEST_HANDLES: u32 = 16;
/// Descriptors that a process keeps for itself: its streams and connections, the copying of state
/// directories, and one for the memory of each loaded module.
const RESERVED_DESCRIPTORS: u64 = 384;

/// A page of linear memory.
const PAGE_BYTES: u64 = 64 << 10;

/// What an engine has room for. Compiled code depends on `memory_bytes` only.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
pub struct Settings {
    /// Hooks that run at the same time; further ones wait for room.
    pub slots: u32,
    /// Largest linear memory any hook can be given, bytes. Address space for all slots is
    /// reserved, memory is not.
    pub memory_bytes: u64,
    /// Largest table.
    pub table_elements: u64,
    /// Handles (files, streams, timers) that one guest may hold at once. Each may be a file
    /// descriptor of the process, which all its guests share.
    pub handles: u32,
    /// Charms kept loaded, least recently used go first.
    pub kept_charms: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            slots: 64,
            memory_bytes: 256 << 20,
            table_elements: 32 << 10,
            handles: HANDLES,
            kept_charms: 128,
        }
    }
}

impl Settings {
    /// For a process that may have `descriptors` open and runs `slots` hooks at a time: however
    /// many files all its guests hold, there are some left for the process itself.
    pub fn for_process(slots: u32, descriptors: u64) -> Self {
        let reserve = RESERVED_DESCRIPTORS.min(descriptors / 2);
        let share = (descriptors - reserve) / u64::from(slots.max(1));
        let share = u32::try_from(share).unwrap_or(u32::MAX);
        Self {
            slots,
            handles: share.clamp(FEWEST_HANDLES, HANDLES),
            ..Self::default()
        }
    }
}

/// The engine could not be made.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("the WebAssembly engine cannot start: {0}")]
pub struct EngineError(pub(crate) String);

impl EngineError {
    /// The chain of causes in one line.
    pub fn of(error: &wasmtime::Error) -> Self {
        Self(format!("{error:#}"))
    }
}

/// Opens what the kernel tells of this process's pages, while its path can still be reached: the memory of
/// guests is then made anew by its written pages alone, without giving it back and faulting it in again.
/// Whether this kernel tells (Linux 6.7).
pub(crate) fn keep_page_map() -> bool {
    PoolingAllocationConfig::is_pagemap_scan_available()
}

impl EngineError {
    pub fn code(&self) -> &'static str {
        "sandbox-engine"
    }
}

/// The engine of one kind of guest in a process.
pub struct Foundation {
    engine: Engine,
    ticker: Ticker,
    settings: Settings,
    hash: String,
}

impl Foundation {
    /// Makes the engine and its ticker thread, which ends with this value.
    pub fn new(settings: Settings) -> Result<Self, EngineError> {
        Self::with(settings, true)
    }

    /// For a process that compiles: no pool, hence little address space.
    pub fn for_compiling(settings: Settings) -> Result<Self, EngineError> {
        Self::with(settings, false)
    }

    fn with(settings: Settings, pooled: bool) -> Result<Self, EngineError> {
        let engine = Engine::new(&config(&settings, pooled))
            .map_err(|error| EngineError(format!("{error:#}")))?;
        let ticker = Ticker::start(&engine)
            .map_err(|error| EngineError(format!("no ticker thread: {error}")))?;
        Ok(Self {
            hash: hash(&engine),
            ticker,
            settings,
            engine,
        })
    }

    pub fn engine(&self) -> &Engine {
        &self.engine
    }

    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Digest of everything compiled code depends on: an artifact of another hash is of no use.
    pub fn hash(&self) -> &str {
        &self.hash
    }

    /// Says that a guest runs, for as long as the value lives.
    pub fn guest(&self) -> Ticking<'_> {
        self.ticker.guest()
    }

    /// The code of an artifact, mapped, nothing of it linked.
    pub fn component(&self, artifact: &Artifact) -> Result<Component, LoadError> {
        if artifact.engine_hash() != self.hash {
            return Err(LoadError::OtherEngine);
        }
        deserialize(&self.engine, artifact).map_err(|error| {
            let text = format!("{error:#}");
            match failure::out_of_descriptors(&error) {
                true => LoadError::Descriptors(text),
                false => LoadError::Refused(text),
            }
        })
    }

    /// Compiles a component in this process: `link` says whether it fits its kind, `inspect` which
    /// hooks it has. Only for components that are trusted not to be made to exhaust a compiler;
    /// [`crate::compile_in_child`] is for all others.
    pub fn compile<L>(
        &self,
        component: &[u8],
        link: impl FnOnce(&Component) -> Result<L, CompileError>,
        inspect: impl FnOnce(&L) -> Result<Vec<String>, CompileError>,
    ) -> Result<Artifact, CompileError> {
        check_header(component)?;
        let invalid = |error: wasmtime::Error| CompileError::NotAComponent(plain(&error));
        let compiled = Component::new(&self.engine, component).map_err(invalid)?;
        let linked = link(&compiled)?;
        let initial_memory_bytes = self.check_demand(&compiled)?;
        let hooks = inspect(&linked)?;
        let code = compiled.serialize().map_err(invalid)?;
        let inspection = Inspection {
            hooks,
            imports: imports(&compiled, &self.engine),
            component_bytes: component.len() as u64,
            code_bytes: code.len() as u64,
            initial_memory_bytes,
        };
        Ok(Artifact::new(component, &self.hash, inspection, &code))
    }

    /// The largest memory at start, when there is a place for everything the component needs.
    fn check_demand(&self, component: &Component) -> Result<u64, CompileError> {
        let demand = |text: String| Err(CompileError::TooDemanding(text));
        let Some(needs) = component.resources_required() else {
            return demand("modules that are given to it at run time, which is not offered".into());
        };
        let settings = &self.settings;
        // Told in pages, whose size is fixed as long as custom page sizes are not enabled.
        let memory = needs
            .max_initial_memory_size
            .unwrap_or(0)
            .saturating_mul(PAGE_BYTES);
        if needs.num_memories > MEMORIES {
            return demand(format!(
                "{} memories; at most {MEMORIES} are given",
                needs.num_memories
            ));
        }
        if needs.num_tables > TABLES {
            return demand(format!(
                "{} tables; at most {TABLES} are given",
                needs.num_tables
            ));
        }
        if memory > settings.memory_bytes {
            let most = settings.memory_bytes;
            return demand(format!(
                "{memory} bytes of memory to start; at most {most} are given"
            ));
        }
        let elements = needs.max_initial_table_size.unwrap_or(0);
        if elements > settings.table_elements {
            let most = settings.table_elements;
            return demand(format!(
                "a table of {elements} elements; at most {most} are given"
            ));
        }
        Ok(memory)
    }
}

/// Names of what a component imports, in its order.
pub fn imports(component: &Component, engine: &Engine) -> Vec<String> {
    component
        .component_type()
        .imports(engine)
        .map(|(name, _)| name.to_owned())
        .collect()
}

/// Says what the bytes are when they are something else, before the parser says it at length.
fn check_header(bytes: &[u8]) -> Result<(), CompileError> {
    let not = |text: &str| Err(CompileError::NotAComponent(text.to_owned()));
    match bytes.get(..8) {
        Some(b"\0asm\x0d\0\x01\0") => Ok(()),
        Some(b"\0asm\x01\0\0\0") => not("it is a core module; make a component of it first"),
        _ => not("it does not begin as WebAssembly does"),
    }
}

/// The chain of causes in one line.
fn plain(error: &wasmtime::Error) -> String {
    text::clean_line_at_most(&format!("{error:#}"), crate::world::MESSAGE_BYTES)
}

#[allow(unsafe_code)]
fn deserialize(engine: &Engine, artifact: &Artifact) -> wasmtime::Result<Component> {
    // SAFETY: the bytes are the output of `Component::serialize` in our own compile child, made
    // for an engine of the same hash (checked by the caller), and an `Artifact` exists only
    // after its BLAKE3 checksum was verified. Artifacts come from that child, from the cache it
    // fills, or from the controller, which decides what code this agent runs anyway.
    unsafe { Component::deserialize(engine, artifact.cwasm()) }
}

/// The hash that [`Foundation::hash`] has for these settings, without the pool.
pub fn engine_hash(settings: &Settings) -> Result<String, EngineError> {
    let engine =
        Engine::new(&config(settings, false)).map_err(|error| EngineError(format!("{error:#}")))?;
    Ok(hash(&engine))
}

fn config(settings: &Settings, pooled: bool) -> Config {
    let mut config = Config::new();
    config
        .wasm_component_model(true)
        .epoch_interruption(true)
        .memory_init_cow(true)
        .relaxed_simd_deterministic(true)
        .wasm_backtrace_max_frames(None)
        .memory_reservation(settings.memory_bytes)
        .max_wasm_stack(GUEST_STACK_BYTES)
        .async_stack_size(WHOLE_STACK_BYTES);
    if pooled {
        let slots = settings.slots.max(1);
        let mut pool = PoolingAllocationConfig::new();
        pool.total_component_instances(slots)
            .total_stacks(slots)
            .total_core_instances(slots.saturating_mul(CORE_INSTANCES))
            .max_core_instances_per_component(CORE_INSTANCES)
            .total_memories(slots.saturating_mul(MEMORIES))
            .max_memories_per_component(MEMORIES)
            .total_tables(slots.saturating_mul(TABLES))
            .max_tables_per_component(TABLES)
            .max_tables_per_module(TABLES)
            .max_memories_per_module(MEMORIES)
            .max_memory_size(usize::try_from(settings.memory_bytes).unwrap_or(usize::MAX))
            .table_elements(usize::try_from(settings.table_elements).unwrap_or(usize::MAX))
            .linear_memory_keep_resident(KEEP_RESIDENT_BYTES)
            .table_keep_resident(64 << 10)
            .pagemap_scan(Enabled::Auto);
        config.allocation_strategy(InstanceAllocationStrategy::Pooling(pool));
    }
    config
}

fn hash(engine: &Engine) -> String {
    struct Sha(Digester);
    impl Hasher for Sha {
        fn write(&mut self, bytes: &[u8]) {
            self.0.update(bytes);
        }
        fn finish(&self) -> u64 {
            0
        }
    }
    let mut sha = Sha(Digester::default());
    sha.write(&[FRAME_VERSION]);
    engine.precompile_compatibility_hash().hash(&mut sha);
    sha.0.digest().to_string()
}

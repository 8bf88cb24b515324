//! The wasmtime engine of a process and the room it has for hooks.
//!
//! Instances come from a pool of fixed size, so that the memory of guests has a bound which
//! holds for the process, and so that making one costs microseconds. Guests are interrupted by
//! epochs: one thread advances the epoch every tick while a guest runs, and each hook looks at its
//! own deadline when that reaches it. Fuel is not used: it costs more and bounds nothing here that time and
//! host calls do not.

use std::collections::HashMap;
use std::hash::{Hash, Hasher};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use periapt_model::digest::{Digest, Digester};
use serde::{Deserialize, Serialize};
use thiserror::Error;
use wasmtime::component::Linker;
use wasmtime::{Config, Engine, InstanceAllocationStrategy, PoolingAllocationConfig};

use crate::artifact::{Artifact, FRAME_VERSION};
use crate::charm::{LoadError, LoadedCharm};
use crate::ticker::{Ticker, Ticking};
use crate::world::{self, HookState};

/// Stack of a guest, and of the host functions it calls on the same thread.
const GUEST_STACK_BYTES: usize = 1 << 20;
const WHOLE_STACK_BYTES: usize = 4 << 20;
/// Memory of an instance that stays mapped between two hooks, so that small guests do not
/// fault their pages in again.
const KEEP_RESIDENT_BYTES: usize = 256 << 10;
/// Linear memories, tables and core modules one component may have. A component made from one
/// module has one memory and up to three tables; one that carries CPython has some 40 modules.
pub(crate) const MEMORIES: u32 = 2;
pub(crate) const TABLES: u32 = 8;
const CORE_INSTANCES: u32 = 100;

/// Handles of a guest where there are plenty, and so many that a charm can still work.
const HANDLES: u32 = 512;
const FEWEST_HANDLES: u32 = 16;
/// Descriptors that a process keeps for itself: its streams and connections, the copying of state
/// directories, and one for the memory of each loaded module.
const RESERVED_DESCRIPTORS: u64 = 384;

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
    pub fn code(&self) -> &'static str {
        "sandbox-engine"
    }
}

/// One for each agent process; clones share it.
#[derive(Clone)]
pub struct SandboxEngine {
    shared: Arc<Shared>,
}

struct Shared {
    engine: Engine,
    ticker: Ticker,
    linker: Linker<HookState>,
    settings: Settings,
    hash: String,
    room: Mutex<u32>,
    freed: Condvar,
    kept: Mutex<Kept>,
}

#[derive(Default)]
struct Kept {
    charms: HashMap<Digest, (Arc<LoadedCharm>, u64)>,
    uses: u64,
}

impl SandboxEngine {
    /// Makes the engine and its ticker thread, which ends with the last clone.
    pub fn new(settings: Settings) -> Result<Self, EngineError> {
        Self::with(settings, true)
    }

    /// For the one instance of an inspection: no pool, hence little address space.
    pub(crate) fn for_inspection(settings: Settings) -> Result<Self, EngineError> {
        Self::with(settings, false)
    }

    fn with(settings: Settings, pooled: bool) -> Result<Self, EngineError> {
        let failed = |error: wasmtime::Error| EngineError(format!("{error:#}"));
        let engine = Engine::new(&config(&settings, pooled)).map_err(failed)?;
        let mut linker = Linker::new(&engine);
        world::link(&mut linker).map_err(failed)?;
        let ticker = Ticker::start(&engine)
            .map_err(|error| EngineError(format!("no ticker thread: {error}")))?;
        Ok(Self {
            shared: Arc::new(Shared {
                hash: hash(&engine),
                linker,
                room: Mutex::new(settings.slots.max(1)),
                freed: Condvar::new(),
                kept: Mutex::new(Kept::default()),
                settings,
                ticker,
                engine,
            }),
        })
    }

    pub fn settings(&self) -> &Settings {
        &self.shared.settings
    }

    /// Digest of everything compiled code depends on: an artifact of another hash is of no use.
    pub fn engine_hash(&self) -> &str {
        &self.shared.hash
    }

    /// Makes an artifact ready to run, or finds it ready. `artifact.digest()` names it.
    pub fn load(&self, artifact: &Artifact) -> Result<Arc<LoadedCharm>, LoadError> {
        if let Some(charm) = self.loaded(artifact.digest()) {
            return Ok(charm);
        }
        let charm = Arc::new(LoadedCharm::load(
            artifact,
            &self.shared.linker,
            &self.shared.hash,
        )?);
        let mut kept = lock(&self.shared.kept);
        kept.uses += 1;
        let uses = kept.uses;
        kept.charms.insert(artifact.digest(), (charm.clone(), uses));
        while kept.charms.len() > self.shared.settings.kept_charms.max(1) {
            let oldest = kept.charms.iter().min_by_key(|(_, (_, used))| *used);
            let Some(oldest) = oldest.map(|(digest, _)| *digest) else {
                break;
            };
            kept.charms.remove(&oldest);
        }
        Ok(charm)
    }

    /// The charm whose component has this digest, if it is loaded.
    pub fn loaded(&self, digest: Digest) -> Option<Arc<LoadedCharm>> {
        let mut kept = lock(&self.shared.kept);
        kept.uses += 1;
        let uses = kept.uses;
        let (charm, used) = kept.charms.get_mut(&digest)?;
        *used = uses;
        Some(charm.clone())
    }

    pub(crate) fn wasmtime(&self) -> &Engine {
        &self.shared.engine
    }

    /// Says that a guest runs, for as long as the value lives.
    pub(crate) fn guest(&self) -> Ticking<'_> {
        self.shared.ticker.guest()
    }

    pub(crate) fn linker(&self) -> &Linker<HookState> {
        &self.shared.linker
    }

    /// Waits for room for one more hook. Every hook has a deadline, so the wait ends.
    pub(crate) fn admit(&self) -> Admission {
        let mut room = lock(&self.shared.room);
        while *room == 0 {
            room = self
                .shared
                .freed
                .wait(room)
                .unwrap_or_else(PoisonError::into_inner);
        }
        *room -= 1;
        Admission {
            shared: self.shared.clone(),
        }
    }
}

/// The room of one hook, given back when dropped.
pub(crate) struct Admission {
    shared: Arc<Shared>,
}

impl Drop for Admission {
    fn drop(&mut self) {
        *lock(&self.shared.room) += 1;
        self.shared.freed.notify_one();
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The hash that [`SandboxEngine::engine_hash`] has for these settings, without the pool.
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
            .table_keep_resident(64 << 10);
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

//! The engine of hooks: what is loaded in a process, and the room it has for hooks.

use std::collections::HashMap;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use periapt_model::Digest;
use wasmtime::Engine;
use wasmtime::component::Linker;

use crate::artifact::Artifact;
use crate::charm::{LoadError, LoadedCharm};
use crate::foundation::{EngineError, Foundation, Settings};
use crate::ticker::Ticking;
use crate::world::{self, HookState};

/// One for each agent process; clones share it.
#[derive(Clone)]
pub struct SandboxEngine {
    shared: Arc<Shared>,
}

struct Shared {
    foundation: Foundation,
    linker: Linker<HookState>,
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
        Self::on(Foundation::new(settings)?)
    }

    /// For the one instance of an inspection: no pool, hence little address space.
    pub(crate) fn for_inspection(settings: Settings) -> Result<Self, EngineError> {
        Self::on(Foundation::for_compiling(settings)?)
    }

    fn on(foundation: Foundation) -> Result<Self, EngineError> {
        let mut linker = Linker::new(foundation.engine());
        world::link(&mut linker).map_err(|error| EngineError(format!("{error:#}")))?;
        Ok(Self {
            shared: Arc::new(Shared {
                room: Mutex::new(foundation.settings().slots.max(1)),
                freed: Condvar::new(),
                kept: Mutex::new(Kept::default()),
                linker,
                foundation,
            }),
        })
    }

    pub fn settings(&self) -> &Settings {
        self.shared.foundation.settings()
    }

    /// Digest of everything compiled code depends on: an artifact of another hash is of no use.
    pub fn engine_hash(&self) -> &str {
        self.shared.foundation.hash()
    }

    /// Makes an artifact ready to run, or finds it ready. `artifact.digest()` names it.
    pub fn load(&self, artifact: &Artifact) -> Result<Arc<LoadedCharm>, LoadError> {
        if let Some(charm) = self.loaded(artifact.digest()) {
            return Ok(charm);
        }
        let charm = LoadedCharm::load(artifact, &self.shared.foundation, &self.shared.linker)?;
        let charm = Arc::new(charm);
        let mut kept = lock(&self.shared.kept);
        kept.uses += 1;
        let uses = kept.uses;
        kept.charms.insert(artifact.digest(), (charm.clone(), uses));
        while kept.charms.len() > self.settings().kept_charms.max(1) {
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

    pub(crate) fn foundation(&self) -> &Foundation {
        &self.shared.foundation
    }

    pub(crate) fn wasmtime(&self) -> &Engine {
        self.shared.foundation.engine()
    }

    /// Says that a guest runs, for as long as the value lives.
    pub(crate) fn guest(&self) -> Ticking<'_> {
        self.shared.foundation.guest()
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

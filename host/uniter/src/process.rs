//! What all units of one agent process share: charms, room for hooks, the machines' locks, and
//! the memory of hooks that were broken off because an agent stopped.
//!
//! It outlives the engines of the units, which stop and start with the connection.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use periapt_engine::{SharedClock, SharedRandomness};
use periapt_model::uniter::OperationState;
use periapt_model::{MachineId, ModelName, ModelUuid, UnitName};
use periapt_wire::agent::log_sink::LogRecord;
use periapt_wire::rest::MachineLockReport;
use tokio::sync::Semaphore;

use crate::charms::Charms;
use crate::error::{UniterError, file};
use crate::files;
use crate::machine_lock::MachineLock;
use crate::sandbox::Sandbox;

/// The model that the units belong to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelIdentity {
    pub uuid: ModelUuid,
    pub name: ModelName,
}

/// Where lines for `debug-log` go. Must not block.
pub trait HookLog: Send + Sync + 'static {
    fn write(&self, record: LogRecord);
}

/// What a process is made from.
pub struct ProcessOptions {
    pub clock: SharedClock,
    pub randomness: SharedRandomness,
    pub sandbox: Arc<dyn Sandbox>,
    pub log: Arc<dyn HookLog>,
    /// Holds `charms`, `units`, `containers` and `tmp`.
    pub directory: PathBuf,
    /// Hooks that run at the same time; some of them wait for the controller, so more than
    /// there are cores.
    pub hooks_at_once: usize,
}

/// Clones are the same process.
#[derive(Clone)]
pub struct Process {
    shared: Arc<Shared>,
}

struct Shared {
    clock: SharedClock,
    randomness: SharedRandomness,
    sandbox: Arc<dyn Sandbox>,
    log: Arc<dyn HookLog>,
    directory: PathBuf,
    charms: Charms,
    room: Arc<Semaphore>,
    locks: Mutex<BTreeMap<MachineId, MachineLock>>,
    interrupted: Mutex<BTreeMap<UnitName, OperationState>>,
    /// How often each unit runs: once, or twice while one that stops is not gone yet.
    running: Mutex<BTreeMap<UnitName, usize>>,
}

/// A unit that runs, for as long as this lives.
pub(crate) struct Running {
    process: Process,
    unit: UnitName,
}

impl Drop for Running {
    fn drop(&mut self) {
        let mut running = lock(&self.process.shared.running);
        if let Some(times) = running.get_mut(&self.unit) {
            *times -= 1;
            if *times == 0 {
                running.remove(&self.unit);
            }
        }
    }
}

impl Process {
    /// Makes the directories and removes what a crash left in them. Blocks.
    pub fn open(options: ProcessOptions) -> Result<Self, UniterError> {
        let ProcessOptions {
            clock,
            randomness,
            sandbox,
            log,
            directory,
            hooks_at_once,
        } = options;
        let temporary = directory.join("tmp");
        files::remove(&temporary).map_err(file("remove", &temporary))?;
        std::fs::create_dir_all(&temporary).map_err(file("make", &temporary))?;
        Ok(Self {
            shared: Arc::new(Shared {
                charms: Charms::open(directory.join("charms"))?,
                room: Arc::new(Semaphore::new(hooks_at_once.max(1))),
                clock,
                randomness,
                sandbox,
                log,
                directory,
                locks: Mutex::default(),
                interrupted: Mutex::default(),
                running: Mutex::default(),
            }),
        })
    }

    /// Twice the cores: half of the hooks may wait for the controller or a disk.
    pub fn default_hooks_at_once() -> usize {
        2 * std::thread::available_parallelism().map_or(1, std::num::NonZero::get)
    }

    pub fn clock(&self) -> &SharedClock {
        &self.shared.clock
    }

    pub fn randomness(&self) -> &SharedRandomness {
        &self.shared.randomness
    }

    pub fn sandbox(&self) -> &Arc<dyn Sandbox> {
        &self.shared.sandbox
    }

    pub fn log(&self) -> &Arc<dyn HookLog> {
        &self.shared.log
    }

    pub fn charms(&self) -> &Charms {
        &self.shared.charms
    }

    pub(crate) fn room(&self) -> Arc<Semaphore> {
        self.shared.room.clone()
    }

    /// The lock of a machine, the same one for as long as the process lives.
    pub fn machine_lock(&self, machine: &MachineId) -> MachineLock {
        lock(&self.shared.locks)
            .entry(machine.clone())
            .or_insert_with(|| MachineLock::new(self.shared.clock.clone()))
            .clone()
    }

    /// Who has the locks, who waits and who had them.
    pub fn machine_locks(&self) -> Vec<MachineLockReport> {
        let locks = lock(&self.shared.locks);
        locks
            .iter()
            .map(|(machine, lock)| lock.report(machine))
            .collect()
    }

    /// Forgets a machine that is gone.
    pub fn forget_machine(&self, machine: &MachineId) {
        lock(&self.shared.locks).remove(machine);
    }

    /// Says that a unit runs from now on.
    pub(crate) fn running(&self, unit: &UnitName) -> Running {
        *lock(&self.shared.running).entry(unit.clone()).or_default() += 1;
        Running {
            process: self.clone(),
            unit: unit.clone(),
        }
    }

    pub(crate) fn is_running(&self, unit: &UnitName) -> bool {
        lock(&self.shared.running).contains_key(unit)
    }

    /// Where the directories of units are.
    pub(crate) fn units(&self) -> PathBuf {
        self.shared.directory.join("units")
    }

    /// Where the directories of containers are.
    pub(crate) fn containers(&self) -> PathBuf {
        self.shared.directory.join("containers")
    }

    /// The directory of a unit; `state` is in it.
    pub fn unit_directory(&self, unit: &UnitName) -> PathBuf {
        self.units().join(unit.as_str().replace('/', "-"))
    }

    /// What the units of one container share, a directory for each name; it goes with the
    /// principal unit.
    pub fn container_directory(&self, principal: &UnitName) -> PathBuf {
        self.containers().join(principal.as_str().replace('/', "-"))
    }

    /// Where hooks get their `/tmp`.
    pub(crate) fn temporary(&self) -> PathBuf {
        self.shared.directory.join("tmp")
    }

    /// Remembers that the hook recorded in `state` was broken off and is not to blame.
    pub(crate) fn remember_interrupted(&self, unit: &UnitName, state: OperationState) {
        lock(&self.shared.interrupted).insert(unit.clone(), state);
    }

    /// Whether what is recorded is a hook that was broken off. Forgets it.
    pub(crate) fn take_interrupted(&self, unit: &UnitName, recorded: &OperationState) -> bool {
        lock(&self.shared.interrupted)
            .remove(unit)
            .is_some_and(|state| state == *recorded)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

//! What all units of one agent process share: charms, turns for hooks, and the memory of hooks that were broken off because an agent stopped.
//!
//! It outlives the engines of the units, which stop and start with the connection.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use periapt_engine::{SharedClock, SharedRandomness};
use periapt_files::{Limits, Over};
use periapt_model::bounds::DIRECTORY_LEVELS;
use periapt_model::turns::Room;
use periapt_model::uniter::OperationState;
use periapt_model::workload::desired::Observed;
use periapt_model::{ModelName, ModelUuid, UnitName};
use periapt_wire::agent::log_sink::LogRecord;
use tokio::sync::{Semaphore, SemaphorePermit};

use crate::charms::Charms;
use crate::courses::Courses;
use crate::directories;
use crate::discard;
use crate::error::{UniterError, file};
use crate::intents::{self, Intents};
use crate::journal::{self, Journal, Machine};
use crate::look::reads::Reads;
use crate::resources::{self, Resources};
use crate::restricted;
use crate::sandbox::Sandbox;
use crate::settings::SharedSettings;
use crate::standing::{StandingUnit, Standings};
use crate::state_directory::StateDirectory;
use crate::turns::Turns;
use crate::workloads::{self, Workloads};

/// The model that the units belong to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelIdentity {
    pub uuid: ModelUuid,
    pub name: ModelName,
}

/// Where lines for `debug-log` go. Must not block.
pub trait HookLog: Send + Sync + 'static {
    fn write(&self, record: LogRecord);
    /// Those of these lines that may be logged; they go another way.
    fn admit(&self, records: Vec<LogRecord>) -> Vec<LogRecord>;
}

/// What a process is made from.
pub struct ProcessOptions {
    pub clock: SharedClock,
    pub randomness: SharedRandomness,
    pub sandbox: Arc<dyn Sandbox>,
    pub log: Arc<dyn HookLog>,
    /// Holds the [`Process::DIRECTORIES`]; nothing is made, renamed or removed beside them.
    pub directory: PathBuf,
    /// How many hooks run at the same time.
    pub room: Room,
    /// What names this boot of the kernel, if that is known.
    pub boot: Option<String>,
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
    workloads: Workloads,
    charms: Charms,
    resources: Resources,
    turns: Turns,
    intents: Intents,
    journal: Arc<Journal>,
    reads: Reads,
    interrupted: Mutex<BTreeMap<UnitName, OperationState>>,
    /// How often each unit runs: once, or twice while one that stops is not gone yet.
    running: Mutex<BTreeMap<UnitName, usize>>,
    /// Shared directories in which nothing is deeper than it may be.
    shallow: Mutex<BTreeSet<PathBuf>>,
    courses: Courses,
    standings: Standings,
    settings: SharedSettings,
    restricted: Semaphore,
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
    /// What it keeps in its directory.
    pub const DIRECTORIES: &[&str] = &[
        "charms",
        directories::UNITS,
        directories::SHARED,
        "tmp",
        discard::DISCARDED,
        intents::DIRECTORY,
        journal::DIRECTORY,
        resources::DIRECTORY,
        workloads::DIRECTORY,
    ];

    /// Makes the directories, takes away what a crash left in them, and makes files of units anew that
    /// the machine lost. Blocks.
    pub fn open(options: ProcessOptions) -> Result<Self, UniterError> {
        let ProcessOptions {
            clock,
            randomness,
            sandbox,
            log,
            directory,
            room,
            boot,
        } = options;
        let temporary = directory.join("tmp");
        std::fs::create_dir_all(&temporary).map_err(file("make", &temporary))?;
        discard::discard(&directory, &temporary).map_err(file("empty", &temporary))?;
        let disk = Box::new(Machine);
        let journal = Journal::open(&directory, boot.as_deref(), clock.clone(), disk);
        Ok(Self {
            shared: Arc::new(Shared {
                workloads: Workloads::open(&directory)?,
                charms: Charms::open(directory.join("charms"))?,
                resources: Resources::open(&directory)?,
                turns: Turns::new(clock.clone(), room),
                intents: Intents::open(&directory)?,
                journal: journal.map_err(file("go on with the journal in", &directory))?,
                clock,
                randomness,
                sandbox,
                log,
                directory,
                reads: Reads::default(),
                interrupted: Mutex::default(),
                running: Mutex::default(),
                shallow: Mutex::default(),
                courses: Courses::default(),
                standings: Standings::default(),
                settings: SharedSettings::default(),
                restricted: Semaphore::new(restricted::AT_ONCE),
            }),
        })
    }

    /// Places for twice the cores, since a guest may sleep or wait for a disk, and in reserve for a
    /// dozen applications more. Twice as many hooks may wait for the controller: a hook does so
    /// for longer than it computes.
    pub fn default_room() -> Room {
        let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        Room {
            shared: 2 * cores,
            reserve: 12,
            aside: 4 * cores,
        }
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

    /// Files that were attached to applications.
    pub(crate) fn resources(&self) -> &Resources {
        &self.shared.resources
    }

    /// Who may run a hook, and when.
    pub fn turns(&self) -> &Turns {
        &self.shared.turns
    }

    /// How long hooks took lately.
    pub(crate) fn settings(&self) -> &SharedSettings {
        &self.shared.settings
    }

    pub fn courses(&self) -> &Courses {
        &self.shared.courses
    }

    /// What of the units' charms may be run beside their hooks.
    pub fn standings(&self) -> &Standings {
        &self.shared.standings
    }

    /// A unit as it stands now; none while its charm may not be run.
    pub fn standing_unit(&self, unit: &UnitName) -> Option<StandingUnit> {
        self.shared.standings.unit(self, unit)
    }

    /// Waits until one more unit may run a hook beside its others, until the permit is dropped.
    pub async fn may_run_beside(&self) -> Option<SemaphorePermit<'_>> {
        self.shared.restricted.acquire().await.ok()
    }

    /// What units want of their containers.
    pub(crate) fn workloads(&self) -> &Workloads {
        &self.shared.workloads
    }

    /// Where files come with what runs in the units' containers.
    pub fn observed(&self) -> PathBuf {
        self.shared.workloads.observed()
    }

    /// Where services write, by unit.
    pub fn workload_logs(&self) -> PathBuf {
        self.shared.workloads.logs()
    }

    /// What runs in the units' containers. Blocks.
    pub fn all_observed(&self) -> Vec<Observed> {
        self.shared.workloads.all_seen()
    }

    /// Where everything is.
    pub(crate) fn directory(&self) -> &Path {
        &self.shared.directory
    }

    /// Which hook each unit is about to run.
    pub(crate) fn intents(&self) -> &Intents {
        &self.shared.intents
    }

    /// The files that hooks of a unit keep.
    pub(crate) fn state_directory(&self, unit: &UnitName) -> StateDirectory {
        let root = directories::state(&self.shared.directory, unit);
        StateDirectory::new(root, unit.clone(), self.shared.journal.clone())
    }

    /// What people read of them part by part.
    pub(crate) fn reads(&self) -> &Reads {
        &self.shared.reads
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
        self.shared.directory.join(directories::UNITS)
    }

    /// Where the shared directories are.
    pub(crate) fn shared_directories(&self) -> PathBuf {
        self.shared.directory.join(directories::SHARED)
    }

    /// Where the directories of storage are.
    pub(crate) fn storage(&self) -> PathBuf {
        self.shared.directory.join(directories::STORAGE)
    }

    /// The directory of a unit; `state` is in it.
    pub fn unit_directory(&self, unit: &UnitName) -> PathBuf {
        directories::unit(&self.shared.directory, unit)
    }

    /// What a principal and its subordinates share, a directory for each name; it goes with the
    /// principal unit.
    pub fn shared_directory(&self, principal: &UnitName) -> PathBuf {
        directories::shared(&self.shared.directory, principal)
    }

    /// Bytes in the directory of a unit, and in what it shares as a principal. What is not there has none.
    /// Blocks.
    pub fn measure(&self, unit: &UnitName) -> Result<[u64; 2], UniterError> {
        let own = bytes_in(&self.unit_directory(unit))?;
        Ok([own, bytes_in(&self.shared_directory(unit))?])
    }

    /// What runs in the containers of a unit ends, and begins anew with the unit's next engine. Blocks.
    pub fn end_workloads(&self, unit: &UnitName) -> Result<(), UniterError> {
        self.workloads().empty(unit)
    }

    /// Makes a shared directory. One that was there before this process is cut to the
    /// depth that the sandbox allows, so that no hook fails for what another one left when its
    /// agent was killed. Blocks.
    pub(crate) fn prepare_shared(&self, path: &Path) -> Result<(), UniterError> {
        std::fs::create_dir_all(path).map_err(file("make", path))?;
        if lock(&self.shared.shallow).contains(path) {
            return Ok(());
        }
        match periapt_files::cut(path, DIRECTORY_LEVELS.most) {
            Ok(false) => {}
            Ok(true) => {
                tracing::warn!(path = %path.display(), "removed directories that were too deep");
            }
            Err(error) if periapt_files::out_of_descriptors(&error) => {
                return Err(file("read", path)(error));
            }
            // The sandbox measures it as well, and says so in a failed hook.
            Err(error) => {
                tracing::warn!(path = %path.display(), %error, "cannot remove directories that are too deep");
                return Ok(());
            }
        }
        lock(&self.shared.shallow).insert(path.to_owned());
        Ok(())
    }

    /// Where hooks get their `/tmp`.
    pub(crate) fn temporary(&self) -> PathBuf {
        self.shared.directory.join("tmp")
    }

    /// Remembers that the hook that `state` says is running was broken off and is not to blame.
    pub(crate) fn remember_interrupted(&self, unit: &UnitName, state: OperationState) {
        lock(&self.shared.interrupted).insert(unit.clone(), state);
    }

    /// Whether the hook that `running` says is running was broken off.
    pub(crate) fn was_interrupted(&self, unit: &UnitName, running: &OperationState) -> bool {
        lock(&self.shared.interrupted)
            .get(unit)
            .is_some_and(|state| state == running)
    }

    /// A hook begins: what became of an earlier one does not matter any more.
    pub(crate) fn forget_interrupted(&self, unit: &UnitName) {
        lock(&self.shared.interrupted).remove(unit);
    }
}

fn bytes_in(directory: &Path) -> Result<u64, UniterError> {
    let limits = Limits {
        bytes: u64::MAX,
        levels: u64::MAX,
    };
    let error = match periapt_files::measure(directory, limits) {
        Ok(bytes) => return Ok(bytes),
        Err(Over::Unreadable(error)) => error,
        Err(Over::Bytes | Over::Levels) => io::Error::from(io::ErrorKind::FileTooLarge),
    };
    match error.kind() {
        io::ErrorKind::NotFound => Ok(0),
        _ => Err(file("measure", directory)(error)),
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

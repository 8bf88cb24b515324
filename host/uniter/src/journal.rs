//! What hooks wrote into the files of their units, durable with one shared sync.
//!
//! Making the files of a generation durable takes a sync for each of them, for each directory and for
//! the name of the generation. So it is not done while somebody waits: the agent's process has a
//! journal, into which each generation goes by how it differs from the one before, and hooks that seal
//! at the moment share the sync of that one file, which is there already and has its length, so that
//! nothing but its content has to be written. The files themselves are in place as well, only not
//! durable. Behind the hooks, when there is enough, everything on the file system is made durable at
//! once, and what the journal holds is not needed any more.
//!
//! A process that is killed loses nothing, since the kernel has what it wrote, and the next one goes on
//! with the journal where it was left. What a machine that lost power has of files that were not
//! durable nobody can know. So when another boot of the kernel is found, what the journal holds is
//! made anew from the last generation that was durable, which stays until then. Whether what was made
//! is committed, or goes again, the controller's record decides as ever.
//!
//! There are two files, one that is written to and one that is being given up. Everything in a file is
//! in place before the file is closed, so what makes all durable after that covers it.

mod disk;
mod log;
mod rebuild;
mod record;
#[cfg(test)]
mod tests;

use std::fs::{self, File};
use std::io;
use std::path::Path;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use periapt_engine::{SharedClock, failpoint};
use periapt_model::UnitName;

use crate::directories;
pub(crate) use disk::{Disk, Machine};
use log::{FULL, Half, Log};
use record::Said;

/// The directory, in that of the process.
pub(crate) const DIRECTORY: &str = "journal";
/// In which boot of the kernel the files of units are what they were written as.
const BOOT: &str = "boot";
const FILES: [&str; 2] = ["0", "1"];
/// Bytes of a difference that goes into the journal. Of more the files are synced themselves, so that
/// it is not written twice.
pub(crate) const MOST: usize = 1 << 20;
/// For how long a file holds records before it is given up, should it not be full earlier. A hook that
/// seals looks at that; while none does, nothing more is at stake.
const AGE: Duration = Duration::from_secs(30);

/// The journal of a process.
pub(crate) struct Journal {
    disk: Box<dyn Disk>,
    clock: SharedClock,
    /// The directory of all units, opened before anything is written, so that the kernel tells of each
    /// failure to write.
    units: File,
    log: Mutex<Log>,
    moved: Condvar,
}

impl Journal {
    /// Reads what an earlier process left, and makes what it holds anew if `boot`, which names this
    /// boot of the kernel, is not the one that it was written in. Blocks.
    pub fn open(
        agent: &Path,
        boot: Option<&str>,
        clock: SharedClock,
        disk: Box<dyn Disk>,
    ) -> io::Result<Arc<Self>> {
        let directory = agent.join(DIRECTORY);
        let units = agent.join(directories::UNITS);
        fs::create_dir_all(&directory)?;
        fs::create_dir_all(&units)?;
        let boot_file = directory.join(BOOT);
        let is_same = fs::read_to_string(&boot_file).is_ok_and(|was| Some(was.as_str()) == boot);
        let files = FILES.map(|name| directory.join(name));
        let contents = [read(&files[0])?, read(&files[1])?];
        let [first, second] = &contents;
        let found = [record::read(first), record::read(second)];
        let log = Log {
            halves: [
                Half::open(&files[0], found[0].end, first.len())?,
                Half::open(&files[1], found[1].end, second.len())?,
            ],
            active: usize::from(found[1].last > found[0].last),
            last: found[0].last.max(found[1].last),
            durable: 0,
            is_syncing: false,
            is_checkpointing: false,
            failed: None,
            since: clock.monotonic(),
        };
        periapt_files::sync_directory(&directory)?;
        let journal = Self {
            disk,
            clock,
            units: File::open(&units)?,
            log: Mutex::new(log),
            moved: Condvar::new(),
        };
        journal.go_on(agent, found, is_same)?;
        fs::write(&boot_file, boot.unwrap_or_default())?;
        Ok(Arc::new(journal))
    }

    fn go_on(
        &self,
        agent: &Path,
        found: [record::Records<'_>; 2],
        is_same_boot: bool,
    ) -> io::Result<()> {
        let newer = self.log().active;
        if is_same_boot {
            let mut log = self.log();
            for (half, records) in found.into_iter().enumerate() {
                for said in &records.said {
                    log.note(half, said);
                }
            }
            return Ok(());
        }
        let [first, second] = found.map(|records| records.said);
        let (older, said) = match newer {
            0 => (1, second.into_iter().chain(first)),
            _ => (0, first.into_iter().chain(second)),
        };
        let chains = rebuild::chains(said);
        for (unit, chain) in &chains {
            rebuild::rebuild(&directories::state(agent, unit), chain)?;
        }
        if !chains.is_empty() {
            tracing::info!(
                units = chains.len(),
                "files of units were made anew after the machine stopped"
            );
            self.disk.sync_all(&self.units)?;
        }
        // What the older file says is built on what is durable without the newer one.
        self.empty(newer)?;
        self.empty(older)
    }

    /// Makes durable that `generation` of a unit, which is in place, is the one before it with this
    /// difference. Blocks.
    pub fn seal(
        self: &Arc<Self>,
        unit: &UnitName,
        generation: u64,
        difference: &[u8],
    ) -> io::Result<()> {
        let number = self.append(&Said::Sealed {
            unit: unit.clone(),
            generation,
            difference,
        })?;
        failpoint::reach("journal-after-append");
        self.wait(number)?;
        failpoint::reach("journal-after-sync");
        self.checkpoint_behind();
        Ok(())
    }

    /// Says that what is kept of a unit here does not count any more: what it has was made durable
    /// otherwise, or goes. Blocks.
    pub fn forget(&self, unit: &UnitName) -> io::Result<()> {
        if !self.knows(unit) {
            return Ok(());
        }
        let number = self.append(&Said::Forgotten { unit: unit.clone() })?;
        self.wait(number)
    }

    /// Whether there are records of a unit, so that not all of its files may be durable.
    pub fn knows(&self, unit: &UnitName) -> bool {
        let log = self.log();
        log.halves.iter().any(|half| half.bases.contains_key(unit))
    }

    /// Whether records are built on this generation, so that it has to stay.
    pub fn needs(&self, unit: &UnitName, generation: u64) -> bool {
        let log = self.log();
        let mut bases = log.halves.iter().map(|half| half.bases.get(unit));
        bases.any(|base| base == Some(&generation))
    }

    fn append(&self, said: &Said<'_>) -> io::Result<u64> {
        let mut log = self.log();
        log.usable()?;
        let (number, active) = (log.last + 1, log.active);
        let half = &mut log.halves[active];
        let is_first = half.end == 0;
        half.write(&record::encode(number, said))?;
        if is_first {
            log.since = self.clock.monotonic();
        }
        log.last = number;
        log.note(active, said);
        Ok(number)
    }

    /// Waits until a record is durable. Who finds nobody at it makes all durable that is there.
    fn wait(&self, number: u64) -> io::Result<()> {
        let mut log = self.log();
        while log.durable < number {
            log.usable()?;
            if log.is_syncing {
                log = self.moved(log);
                continue;
            }
            log.is_syncing = true;
            let (last, file) = (log.last, log.halves[log.active].file.clone());
            drop(log);
            let synced = self.disk.sync(&file);
            log = self.log();
            log.is_syncing = false;
            self.synced(&mut log, last, synced)?;
        }
        Ok(())
    }

    fn synced(&self, log: &mut Log, last: u64, synced: io::Result<()>) -> io::Result<()> {
        match &synced {
            Ok(()) => log.durable = last,
            Err(error) => log.failed = Some(error.kind()),
        }
        self.moved.notify_all();
        synced
    }

    /// Gives up a file that is full or old, on a thread of its own.
    fn checkpoint_behind(self: &Arc<Self>) {
        let now = self.clock.monotonic();
        {
            let mut log = self.log();
            let is_old = now.saturating_sub(log.since) >= AGE;
            let is_full = log.halves[log.active].end >= FULL;
            if log.is_checkpointing || !(is_old || is_full) {
                return;
            }
            log.is_checkpointing = true;
            log.since = now;
        }
        let journal = self.clone();
        let thread = thread::Builder::new().name("journal".to_owned());
        let started = thread.spawn(move || {
            if let Err(error) = journal.checkpoint() {
                tracing::warn!(%error, "what hooks wrote stays in the journal for longer");
            }
            journal.log().is_checkpointing = false;
        });
        if let Err(error) = started {
            tracing::warn!(%error, "no thread for emptying a file of the journal");
            self.log().is_checkpointing = false;
        }
    }

    /// Makes everything durable that the records of a file are about, and empties it.
    fn checkpoint(&self) -> io::Result<()> {
        let half = self.close()?;
        failpoint::reach("journal-during-checkpoint");
        self.disk.sync_all(&self.units)?;
        failpoint::reach("journal-before-recycle");
        self.empty(half)
    }

    /// The file that is not written to any more: the active one, unless the other is still to be
    /// given up.
    fn close(&self) -> io::Result<usize> {
        let mut log = self.log();
        let active = log.active;
        let other = 1 - active;
        if log.halves[other].end > 0 {
            return Ok(other);
        }
        while log.is_syncing {
            log = self.moved(log);
        }
        log.usable()?;
        let (last, file) = (log.last, log.halves[active].file.clone());
        self.synced(&mut log, last, self.disk.sync(&file))?;
        log.active = other;
        Ok(active)
    }

    /// Takes its records from a file.
    fn empty(&self, half: usize) -> io::Result<()> {
        let mut log = self.log();
        let nothing = record::encode(log.last, &Said::Nothing);
        let half = &mut log.halves[half];
        // One that was never written to has nothing.
        if half.length > 0 {
            half.clear(&nothing)?;
            self.disk.sync(&half.file)?;
        }
        half.bases.clear();
        Ok(())
    }

    fn log(&self) -> MutexGuard<'_, Log> {
        self.log.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn moved<'a>(&self, log: MutexGuard<'a, Log>) -> MutexGuard<'a, Log> {
        self.moved.wait(log).unwrap_or_else(PoisonError::into_inner)
    }
}

/// What a file holds that may not be there.
fn read(path: &Path) -> io::Result<Vec<u8>> {
    match fs::read(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        read => read,
    }
}

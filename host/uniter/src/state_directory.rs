//! The state directory of a unit, `/state` of its charm, in generations.
//!
//! A hook never writes into the generation that was committed. It gets a stage, a copy; when
//! the hook succeeded and changed something, the stage becomes the next generation, durable
//! before the hook is committed with its number: by the [`journal`], or by itself where it is too
//! much for that. So the number in the controller decides: a crash before the commit leaves a
//! generation that nobody asks for, and the next start removes it. A hook that changed nothing
//! leaves the generation as it is.
//!
//! Generations share the files that did not change from one to the next, so that a hook pays for
//! those that it wrote. Nothing ever writes to a file of a generation: a stage has copies.
//!
//! The last [`KEPT`] generations before the committed one stay, for a controller whose database is
//! restored from a moment earlier, and the one that the journal builds on. Others are removed
//! behind the hooks, or by the next start, unless somebody reads them: a request that began in a
//! generation finds the whole of it to its end, however many hooks are committed meanwhile. So that
//! slow readers do not fill the disk, at most [`READ`] stay for that alone, and beyond it the oldest is
//! withdrawn from who reads it. What stayed goes with a later hook, or by the next start.
//!
//! A generation that the controller names and that is not there is never made up: a person decides
//! whether the unit goes on with the newest files there are or without any.
//!
//! All functions block; the caller runs them where blocking is allowed.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use periapt_model::UnitName;

use crate::behind;
use crate::error::{UniterError, file};
use crate::journal::{self, Journal};

#[cfg(test)]
mod tests;

pub(crate) const STAGE: &str = "stage-";
/// Generations that are kept besides the committed one. Each costs what the unit's files take, and
/// a hook that writes no file makes none.
pub(crate) const KEPT: u64 = 2;
/// Generations that are kept besides those because somebody reads them.
pub(crate) const READ: usize = 16;
/// What a generation is called while it is withdrawn from who reads it. No generation has such a name.
const WITHDRAWN: &str = "withdrawn-";

/// The generations of one unit, in a directory of their own.
#[derive(Clone)]
pub struct StateDirectory {
    root: PathBuf,
    unit: UnitName,
    journal: Arc<Journal>,
    /// A generation stayed for who reads it.
    left: Arc<AtomicBool>,
}

/// Whether the generation that the controller names is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Settled {
    Ready,
    /// It is not; the newest one that is, if any.
    Missing {
        newest: Option<u64>,
    },
}

/// The copy that one hook works on. Dropping it removes it.
pub struct Stage {
    directory: StateDirectory,
    path: PathBuf,
    base: u64,
}

impl StateDirectory {
    pub(crate) fn new(root: PathBuf, unit: UnitName, journal: Arc<Journal>) -> Self {
        Self {
            root,
            unit,
            journal,
            left: Arc::default(),
        }
    }

    /// Removes what a crash left and generations that are too old to be kept; makes the first
    /// generation, which is empty. When another one is missing, nothing is removed.
    pub fn settle(&self, generation: u64) -> Result<Settled, UniterError> {
        // What is still to be removed for an earlier executor may be what this one is told to use.
        behind::caught_up();
        fs::create_dir_all(&self.root).map_err(file("make", &self.root))?;
        let wanted = self.generation(generation);
        if !wanted.is_dir() {
            if generation > 0 {
                let newest = self.generations()?.into_iter().max();
                return Ok(Settled::Missing { newest });
            }
            fs::create_dir(&wanted).map_err(file("make", &wanted))?;
        }
        for name in self.names()? {
            let number: Option<u64> = name.to_string_lossy().parse().ok();
            if number.is_none_or(|number| number > generation) {
                let path = self.root.join(name);
                periapt_files::remove(&path).map_err(file("remove", &path))?;
            }
        }
        self.drop_old(generation)?;
        Ok(Settled::Ready)
    }

    /// Whether nobody asks for a generation any more once `committed` counts.
    fn is_old(&self, number: u64, committed: u64) -> bool {
        number.saturating_add(KEPT) < committed && !self.journal.needs(&self.unit, number)
    }

    /// Gives the content of `newest`, or none, the number `generation`.
    pub fn adopt(&self, newest: Option<u64>, generation: u64) -> Result<(), UniterError> {
        let target = self.generation(generation);
        match newest {
            Some(newest) => fs::rename(self.generation(newest), &target),
            None => fs::create_dir(&target),
        }
        .map_err(file("make", &target))?;
        self.make_durable(&target)
    }

    /// Makes a generation durable without the journal, and those beside it that only the journal has.
    fn make_durable(&self, generation: &Path) -> Result<(), UniterError> {
        let tree = match self.journal.knows(&self.unit) {
            true => {
                // Nothing may go while it is walked.
                behind::caught_up();
                &self.root
            }
            false => generation,
        };
        periapt_files::sync(tree).map_err(file("sync", tree))?;
        periapt_files::sync_directory(&self.root).map_err(file("sync", &self.root))?;
        self.forget()
    }

    fn forget(&self) -> Result<(), UniterError> {
        let forgotten = self.journal.forget(&self.unit);
        forgotten.map_err(file("write to the journal about", &self.root))
    }

    /// A copy of `generation` for one hook.
    pub fn stage(&self, generation: u64) -> Result<Stage, UniterError> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let path = self
            .root
            .join(format!("{STAGE}{}-{number}", std::process::id()));
        periapt_files::remove(&path).map_err(file("remove", &path))?;
        let stage = Stage {
            directory: self.clone(),
            path,
            base: generation,
        };
        let (from, to) = (self.generation(generation), &stage.path);
        periapt_files::copy(&from, to).map_err(file("copy to", to))?;
        Ok(stage)
    }

    /// Removes the generation after this one, which was not committed.
    pub fn drop_refused(&self, generation: u64) -> Result<(), UniterError> {
        let refused = self.generation(generation + 1);
        periapt_files::remove(&refused).map_err(file("remove", &refused))
    }

    /// The same; and, behind the caller's back, removes those that are too old to be kept beside this one
    /// and that nobody reads.
    pub fn drop_others(&self, generation: u64) -> Result<(), UniterError> {
        self.drop_refused(generation)?;
        let directory = self.clone();
        behind::later(move || {
            // A unit that is gone has taken them with it.
            if directory.root.exists()
                && let Err(error) = directory.drop_old(generation)
            {
                tracing::warn!(%error, "old files of a unit stay until its next start");
            }
        });
        Ok(())
    }

    /// Removes the generations that are too old to be kept beside `committed`. Those that are read stay,
    /// but for the oldest of too many.
    fn drop_old(&self, committed: u64) -> Result<(), UniterError> {
        let mut old = self.generations()?;
        old.retain(|number| self.is_old(*number, committed));
        old.sort_unstable();
        let mut read = Vec::new();
        for number in old {
            let path = self.generation(number);
            if !periapt_files::remove_unheld(&path).map_err(file("remove", &path))? {
                read.push(number);
            }
        }
        let too_many = read.len().saturating_sub(READ);
        for number in &read[..too_many] {
            let path = self.generation(*number);
            let aside = self.root.join(format!("{WITHDRAWN}{number}"));
            periapt_files::withdraw(&path, &aside).map_err(file("remove", &path))?;
        }
        self.left.store(read.len() > too_many, Ordering::Relaxed);
        Ok(())
    }

    /// Whether a generation stayed for who read it, since this was last asked. It may be read no more.
    pub fn take_left(&self) -> bool {
        self.left.swap(false, Ordering::Relaxed)
    }

    fn generations(&self) -> Result<Vec<u64>, UniterError> {
        let names = self.names()?;
        let numbers = names.iter().filter_map(|name| name.to_str()?.parse().ok());
        Ok(numbers.collect())
    }

    fn names(&self) -> Result<Vec<OsString>, UniterError> {
        let entries = fs::read_dir(&self.root).map_err(file("read", &self.root))?;
        entries
            .map(|entry| Ok(entry.map_err(file("read", &self.root))?.file_name()))
            .collect()
    }

    /// Removes everything, when the unit is gone.
    pub fn remove(&self) -> Result<(), UniterError> {
        self.forget()?;
        periapt_files::remove(&self.root).map_err(file("remove", &self.root))
    }

    /// Where a generation is.
    pub fn generation(&self, generation: u64) -> PathBuf {
        self.root.join(generation.to_string())
    }
}

impl Stage {
    /// Where the hook finds it.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The generation that holds what the hook left: the one before when nothing changed, else
    /// the next one, now durable.
    pub fn seal(self) -> Result<u64, UniterError> {
        let Stage {
            directory,
            path,
            base,
        } = &self;
        let before = directory.generation(*base);
        let difference = periapt_files::difference(&before, path, journal::MOST);
        let Some(difference) = difference.map_err(file("compare", path))? else {
            return Ok(*base);
        };
        let generation = base + 1;
        let target = directory.generation(generation);
        periapt_files::remove(&target).map_err(file("remove", &target))?;
        fs::rename(path, &target).map_err(file("rename to", &target))?;
        match difference.record {
            Some(record) => {
                let sealed = directory.journal.seal(&directory.unit, generation, &record);
                sealed.map_err(file("write to the journal about", &target))?;
            }
            None => directory.make_durable(&target)?,
        }
        Ok(generation)
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        if let Err(error) = periapt_files::remove(&self.path) {
            tracing::warn!(path = %self.path.display(), %error, "cannot remove the copy that a hook worked on; the next start does");
        }
    }
}

//! The state directory of a unit, `/state` of its charm, in generations.
//!
//! A hook never writes into the generation that was committed. It gets a stage, a copy; when
//! the hook succeeded and changed something, the stage becomes the next generation, durable
//! before the hook is committed with its number. So the number in the controller decides: a
//! crash before the commit leaves a generation that nobody asks for, and the next start removes
//! it. A hook that changed nothing leaves the generation as it is.
//!
//! The last [`KEPT`] generations before the committed one stay, for a controller whose database is
//! restored from a moment earlier. A generation that the controller names and that is not there
//! is never made up: a person decides whether the unit goes on with the newest files there are or
//! without any.
//!
//! All functions block; the caller runs them where blocking is allowed.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use periapt_files::Picture;

use crate::error::{UniterError, file};

#[cfg(test)]
mod tests;

const STAGE: &str = "stage-";
/// Generations that are kept besides the committed one. Each costs what the unit's files take, and
/// a hook that writes no file makes none.
const KEPT: u64 = 2;

/// The generations of one unit, in a directory of their own.
#[derive(Clone, Debug)]
pub struct StateDirectory {
    root: PathBuf,
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

/// Whether `name` is a generation that stays while `committed` is the one that counts.
fn is_kept(name: &str, committed: u64) -> bool {
    name.parse::<u64>()
        .is_ok_and(|number| number <= committed && number.saturating_add(KEPT) >= committed)
}

/// The copy that one hook works on. Dropping it removes it.
#[derive(Debug)]
pub struct Stage {
    root: PathBuf,
    path: PathBuf,
    base: u64,
    before: Picture,
}

impl StateDirectory {
    pub fn new(root: impl Into<PathBuf>) -> Self {
        Self { root: root.into() }
    }

    /// Removes what a crash left and generations that are too old to be kept; makes the first
    /// generation, which is empty. When another one is missing, nothing is removed.
    pub fn settle(&self, generation: u64) -> Result<Settled, UniterError> {
        fs::create_dir_all(&self.root).map_err(file("make", &self.root))?;
        let wanted = self.generation(generation);
        if !wanted.is_dir() {
            if generation > 0 {
                let newest = self.generations()?.into_iter().max();
                return Ok(Settled::Missing { newest });
            }
            fs::create_dir(&wanted).map_err(file("make", &wanted))?;
        }
        self.sweep(|name| !is_kept(name, generation))?;
        Ok(Settled::Ready)
    }

    /// Gives the content of `newest`, or none, the number `generation`.
    pub fn adopt(&self, newest: Option<u64>, generation: u64) -> Result<(), UniterError> {
        let target = self.generation(generation);
        match newest {
            Some(newest) => fs::rename(self.generation(newest), &target),
            None => fs::create_dir(&target),
        }
        .map_err(file("make", &target))?;
        periapt_files::sync_directory(&self.root).map_err(file("sync", &self.root))
    }

    /// A copy of `generation` for one hook.
    pub fn stage(&self, generation: u64) -> Result<Stage, UniterError> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let path = self
            .root
            .join(format!("{STAGE}{}-{number}", std::process::id()));
        periapt_files::remove(&path).map_err(file("remove", &path))?;
        periapt_files::copy(&self.generation(generation), &path).map_err(file("copy to", &path))?;
        let before = periapt_files::picture(&path).map_err(file("read", &path))?;
        Ok(Stage {
            root: self.root.clone(),
            path,
            base: generation,
            before,
        })
    }

    /// Removes the generations that are not kept beside this one. Stages of hooks that run stay.
    pub fn drop_others(&self, generation: u64) -> Result<(), UniterError> {
        self.sweep(|name| !name.starts_with(STAGE) && !is_kept(name, generation))
    }

    fn sweep(&self, goes: impl Fn(&str) -> bool) -> Result<(), UniterError> {
        for name in self.names()? {
            if goes(&name.to_string_lossy()) {
                let path = self.root.join(name);
                periapt_files::remove(&path).map_err(file("remove", &path))?;
            }
        }
        Ok(())
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
        if periapt_files::picture(&self.path).map_err(file("read", &self.path))? == self.before {
            return Ok(self.base);
        }
        let generation = self.base + 1;
        let target = self.root.join(generation.to_string());
        periapt_files::sync(&self.path).map_err(file("sync", &self.path))?;
        periapt_files::remove(&target).map_err(file("remove", &target))?;
        fs::rename(&self.path, &target).map_err(file("rename to", &target))?;
        periapt_files::sync_directory(&self.root).map_err(file("sync", &self.root))?;
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

//! The state directory of a unit, `/state` of its charm, in generations.
//!
//! A hook never writes into the generation that was committed. It gets a stage, a copy; when
//! the hook succeeded and changed something, the stage becomes the next generation, durable
//! before the hook is committed with its number. So the number in the controller decides: a
//! crash before the commit leaves a generation that nobody asks for, and the next start removes
//! it. A hook that changed nothing leaves the generation as it is.
//!
//! All functions block; the caller runs them where blocking is allowed.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use crate::error::{UniterError, file};
use crate::files::{self, Picture};

#[cfg(test)]
mod tests;

const STAGE: &str = "stage-";

/// The generations of one unit, in a directory of their own.
#[derive(Clone, Debug)]
pub struct StateDirectory {
    root: PathBuf,
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

    /// Makes `generation` the only one there is: removes what a crash left, makes the first
    /// one.
    pub fn settle(&self, generation: u64) -> Result<(), UniterError> {
        fs::create_dir_all(&self.root).map_err(file("make", &self.root))?;
        let wanted = self.generation(generation);
        for entry in fs::read_dir(&self.root).map_err(file("read", &self.root))? {
            let path = entry.map_err(file("read", &self.root))?.path();
            if path != wanted {
                files::remove(&path).map_err(file("remove", &path))?;
            }
        }
        if !wanted.is_dir() {
            if generation > 0 {
                tracing::warn!(path = %wanted.display(), "state directory is gone; beginning with an empty one");
            }
            fs::create_dir(&wanted).map_err(file("make", &wanted))?;
        }
        Ok(())
    }

    /// A copy of `generation` for one hook.
    pub fn stage(&self, generation: u64) -> Result<Stage, UniterError> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let path = self
            .root
            .join(format!("{STAGE}{}-{number}", std::process::id()));
        files::remove(&path).map_err(file("remove", &path))?;
        files::copy(&self.generation(generation), &path).map_err(file("copy to", &path))?;
        let before = files::picture(&path).map_err(file("read", &path))?;
        Ok(Stage {
            root: self.root.clone(),
            path,
            base: generation,
            before,
        })
    }

    /// Removes all generations but this one, and keeps stages of hooks that run.
    pub fn drop_others(&self, generation: u64) -> Result<(), UniterError> {
        for entry in fs::read_dir(&self.root).map_err(file("read", &self.root))? {
            let entry = entry.map_err(file("read", &self.root))?;
            let name = entry.file_name();
            let is_stage = name.to_string_lossy().starts_with(STAGE);
            if !is_stage && entry.path() != self.generation(generation) {
                files::remove(&entry.path()).map_err(file("remove", &entry.path()))?;
            }
        }
        Ok(())
    }

    /// Removes everything, when the unit is gone.
    pub fn remove(&self) -> Result<(), UniterError> {
        files::remove(&self.root).map_err(file("remove", &self.root))
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
        if files::picture(&self.path).map_err(file("read", &self.path))? == self.before {
            return Ok(self.base);
        }
        let generation = self.base + 1;
        let target = self.root.join(generation.to_string());
        files::sync(&self.path).map_err(file("sync", &self.path))?;
        files::remove(&target).map_err(file("remove", &target))?;
        fs::rename(&self.path, &target).map_err(file("rename to", &target))?;
        files::sync_directory(&self.root).map_err(file("sync", &self.root))?;
        Ok(generation)
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        if let Err(error) = files::remove(&self.path) {
            tracing::warn!(path = %self.path.display(), %error, "stage of a hook stays until the next start");
        }
    }
}

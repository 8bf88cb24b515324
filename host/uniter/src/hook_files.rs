//! The files of a unit for one hook, made ready when the hook uses them.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use periapt_sandbox::{HookFailure, UnitFiles};

use crate::error::UniterError;
use crate::process::Process;
use crate::resources::OfHook;
use crate::state_directory::{Stage, StateDirectory};

/// A hook that uses no files costs nothing here. Dropping this removes what a hook left that was not
/// sealed.
pub(crate) struct HookFiles {
    directory: StateDirectory,
    generation: u64,
    process: Process,
    resources: OfHook,
    left: Mutex<Left>,
}

#[derive(Default)]
struct Left {
    stage: Option<Stage>,
    changed: bool,
    /// Not the charm's fault.
    failure: Option<UniterError>,
}

impl HookFiles {
    pub(crate) fn new(
        directory: StateDirectory,
        generation: u64,
        process: Process,
        resources: OfHook,
    ) -> Self {
        Self {
            directory,
            generation,
            process,
            resources,
            left: Mutex::default(),
        }
    }

    /// Why something could not be made ready for the hook, which failed for that.
    pub(crate) fn failure(&self) -> Option<UniterError> {
        self.left().failure.take()
    }

    /// The generation that holds, durable, what a hook left that went well.
    pub(crate) fn seal(&self) -> Result<u64, UniterError> {
        let left = std::mem::take(&mut *self.left());
        match left.stage {
            Some(stage) if left.changed => stage.seal(),
            _ => Ok(self.generation),
        }
    }

    fn failed(&self, error: UniterError) -> HookFailure {
        let text = error.to_string();
        let failure = match error.is_out_of_descriptors() {
            true => HookFailure::Descriptors(text),
            false => HookFailure::Directories(text),
        };
        self.left().failure = Some(error);
        failure
    }

    fn left(&self) -> MutexGuard<'_, Left> {
        self.left.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl UnitFiles for HookFiles {
    fn committed(&self) -> PathBuf {
        self.directory.generation(self.generation)
    }

    fn stage(&self) -> Result<PathBuf, HookFailure> {
        let staged = self.directory.stage(self.generation);
        let stage = staged.map_err(|error| self.failed(error))?;
        Ok(self.left().stage.insert(stage).path().to_owned())
    }

    fn changed(&self) {
        self.left().changed = true;
    }

    fn share(&self, directory: &Path) -> Result<(), HookFailure> {
        let shared = self.process.prepare_shared(directory);
        shared.map_err(|error| self.failed(error))
    }

    fn resource(&self, name: &str) -> Option<PathBuf> {
        self.resources.directory(name)
    }
}

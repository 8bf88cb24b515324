//! Who keeps a controller running where no service manager does: a process that holds the lock in
//! `keeper/` of the controller's directory for as long as it lives.

use std::path::{Path, PathBuf};

use periapt_engine::supervised::{Holder, Lock, holder};

use crate::ControllerError;
use crate::error::file;

/// The right to keep a controller, held until this is dropped.
pub struct Keeper {
    _lock: Lock,
}

impl Keeper {
    /// Takes it; none while another process has it.
    ///
    /// # Errors
    /// The files of the lock.
    pub fn take(data_dir: &Path) -> Result<Option<Self>, ControllerError> {
        let directory = directory(data_dir);
        std::fs::create_dir_all(&directory).map_err(file("make", &directory))?;
        Ok(Lock::take(&directory)?.map(|_lock| Self { _lock }))
    }
}

/// The process that keeps the controller of a directory.
pub fn keeper_pid(data_dir: &Path) -> Option<u32> {
    let directory = directory(data_dir);
    if !directory.is_dir() {
        return None;
    }
    match holder(&directory) {
        Ok(Holder::Process(pid)) => u32::try_from(pid.as_raw_nonzero().get()).ok(),
        _ => None,
    }
}

fn directory(data_dir: &Path) -> PathBuf {
    data_dir.join("keeper")
}

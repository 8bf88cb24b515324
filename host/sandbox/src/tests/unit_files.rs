//! Files of a unit for tests, below its home: `state` is what was committed, `stage` the copy.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::SystemTime;

use crate::{HookFailure, UnitFiles};

pub struct Files {
    home: PathBuf,
    changed: AtomicBool,
    /// Resources that the hook asked for.
    fetched: Mutex<BTreeSet<String>>,
}

impl Files {
    pub fn new(home: &Path) -> Self {
        Self {
            home: home.to_owned(),
            changed: AtomicBool::new(false),
            fetched: Mutex::default(),
        }
    }

    /// The hook asks for a resource; whether there is one.
    pub fn fetch(&self, name: &str) -> bool {
        let there = self.home.join("resources").join(name).is_dir();
        if there {
            self.fetched.lock().unwrap().insert(name.to_owned());
        }
        there
    }

    fn stage_path(&self) -> PathBuf {
        self.home.join("stage")
    }

    /// Whether the copy was made.
    pub fn is_staged(&self) -> bool {
        self.stage_path().exists()
    }

    pub fn is_changed(&self) -> bool {
        self.changed.load(Ordering::SeqCst)
    }

    /// What was changed becomes the state, or is forgotten.
    pub fn end(&self, well: bool) {
        if self.is_staged() && self.is_changed() && well {
            periapt_files::remove(&self.committed()).unwrap();
            fs::rename(self.stage_path(), self.committed()).unwrap();
        }
        periapt_files::remove(&self.stage_path()).unwrap();
    }
}

impl UnitFiles for Files {
    fn committed(&self) -> PathBuf {
        self.home.join("state")
    }

    fn stage(&self) -> Result<PathBuf, HookFailure> {
        let (from, to) = (self.committed(), self.stage_path());
        assert!(!to.exists(), "asked for once");
        match periapt_files::copy(&from, &to) {
            Ok(()) => Ok(to),
            Err(error) => {
                let text = format!("{}: {error}", from.display());
                Err(HookFailure::Directories(text))
            }
        }
    }

    fn changed(&self) {
        self.changed.store(true, Ordering::SeqCst);
    }

    fn share(&self, directory: &Path) -> Result<(), HookFailure> {
        assert!(directory.is_dir());
        Ok(())
    }

    fn resource(&self, name: &str) -> Option<PathBuf> {
        let fetched = self.fetched.lock().unwrap().contains(name);
        fetched.then(|| self.home.join("resources").join(name))
    }
}

/// Everything below a directory that may not be there: path, time, and what a file holds. What is
/// beyond the longest path is left out.
pub fn content(root: &Path) -> Vec<(PathBuf, Option<SystemTime>, Vec<u8>)> {
    let mut found = Vec::new();
    let mut pending = vec![root.to_owned()];
    while let Some(path) = pending.pop() {
        let Ok(metadata) = fs::symlink_metadata(&path) else {
            continue;
        };
        let mut bytes = Vec::new();
        if metadata.is_dir() {
            let entries = fs::read_dir(&path).unwrap();
            pending.extend(entries.map(|entry| entry.unwrap().path()));
        } else if metadata.is_file() {
            bytes = fs::read(&path).unwrap();
        }
        found.push((path, metadata.modified().ok(), bytes));
    }
    found.sort();
    found
}

//! Batches of metrics of one unit that wait for the controller: a file each, in the unit's directory, and
//! so gone with it.
//!
//! A file is written aside and renamed, so one that is there is whole. It is not synced: a machine that
//! loses power may lose what was measured last, and a metric is not worth a sync. When more wait than
//! may, the oldest go.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use periapt_model::bounds::METRIC_BATCHES;
use periapt_wire::agent::metrics::MetricBatch;

use crate::error::{UniterError, file};

#[cfg(test)]
mod tests;

const DIRECTORY: &str = "metrics";
const ASIDE: &str = "new";

pub(super) struct Spool {
    directory: PathBuf,
}

impl Spool {
    /// That of the unit with this directory.
    pub fn new(unit: &Path) -> Self {
        Self {
            directory: unit.join(DIRECTORY),
        }
    }

    /// Keeps a batch; how many older ones went for it. Blocks.
    pub fn put(&self, batch: &MetricBatch) -> Result<usize, UniterError> {
        let text = serde_json::to_vec(batch).map_err(io::Error::from);
        let (aside, path) = (self.directory.join(ASIDE), self.path(batch.at));
        // Not those above it: the unit may be gone.
        let made = match fs::create_dir(&self.directory) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
            made => made,
        };
        made.and_then(|()| fs::write(&aside, text?))
            .and_then(|()| fs::rename(&aside, &path))
            .map_err(file("write", &path))?;
        let kept = self.files()?;
        let more = kept.len().saturating_sub(METRIC_BATCHES.length());
        self.remove(&kept[..more])?;
        Ok(more)
    }

    /// What waits, oldest first. A file that is none of ours goes. Blocks.
    pub fn read(&self) -> Result<Vec<(PathBuf, MetricBatch)>, UniterError> {
        let mut found = Vec::new();
        for path in self.files()? {
            let bytes = fs::read(&path).map_err(file("read", &path))?;
            match serde_json::from_slice(&bytes) {
                Ok(batch) => found.push((path, batch)),
                Err(error) => {
                    tracing::warn!(path = %path.display(), %error, "metrics that cannot be read are removed");
                    self.remove(&[path])?;
                }
            }
        }
        Ok(found)
    }

    /// Blocks.
    pub fn remove(&self, files: &[PathBuf]) -> Result<(), UniterError> {
        for path in files {
            match fs::remove_file(path) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => {
                    return Err(file("remove", path)(error));
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Names sort as times do.
    fn path(&self, at: i64) -> PathBuf {
        self.directory.join(format!("{:020}", at.max(0)))
    }

    fn files(&self) -> Result<Vec<PathBuf>, UniterError> {
        let entries = match fs::read_dir(&self.directory) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            entries => entries.map_err(file("read", &self.directory))?,
        };
        let mut found = Vec::new();
        for entry in entries {
            let entry = entry.map_err(file("read", &self.directory))?;
            if entry.file_name() != ASIDE {
                found.push(entry.path());
            }
        }
        found.sort();
        Ok(found)
    }
}

//! Where a journal stands: its two files, what was written to them and what of it is durable.

use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use periapt_model::UnitName;

use super::record::Said;

/// What a file is cut to when it is emptied, which is when it is full.
pub(super) const FULL: u64 = 16 << 20;
/// By how much a file grows, ahead of what is written to it.
const STEP: u64 = 1 << 20;

pub(super) struct Log {
    pub halves: [Half; 2],
    /// Which of them is written to.
    pub active: usize,
    /// The number of the last record.
    pub last: u64,
    /// That of the last one that is known to be durable.
    pub durable: u64,
    pub is_syncing: bool,
    pub is_checkpointing: bool,
    /// After a failed sync nobody can know what is on the disk, whatever later ones say.
    pub failed: Option<io::ErrorKind>,
    /// Since when there is something in the active file, or when giving one up was tried last.
    pub since: Duration,
}

pub(super) struct Half {
    pub file: Arc<File>,
    pub end: u64,
    pub length: u64,
    /// On which generation of each unit its records are built.
    pub bases: HashMap<UnitName, u64>,
}

impl Log {
    pub fn usable(&self) -> io::Result<()> {
        match self.failed {
            None => Ok(()),
            Some(kind) => Err(io::Error::new(
                kind,
                "the journal could not be made durable; nothing is written until the agent starts again",
            )),
        }
    }

    pub fn note(&mut self, half: usize, said: &Said<'_>) {
        match said {
            Said::Nothing => {}
            Said::Sealed {
                unit, generation, ..
            } => {
                let base = generation.saturating_sub(1);
                let bases = self.halves[half].bases.entry(unit.clone());
                bases
                    .and_modify(|known| *known = base.min(*known))
                    .or_insert(base);
            }
            Said::Forgotten { unit } => {
                for half in &mut self.halves {
                    half.bases.remove(unit);
                }
            }
        }
    }
}

impl Half {
    pub fn open(path: &Path, end: usize, length: usize) -> io::Result<Self> {
        let mut options = OpenOptions::new();
        let file = options
            .write(true)
            .create(true)
            .truncate(false)
            .open(path)?;
        Ok(Self {
            file: Arc::new(file),
            end: end as u64,
            length: length as u64,
            bases: HashMap::new(),
        })
    }

    /// Writes behind what is there, in a file that has the length for it.
    pub fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        let end = self.end + bytes.len() as u64;
        self.file.write_all_at(bytes, self.end)?;
        if end > self.length {
            let length = end.next_multiple_of(STEP);
            let ahead = usize::try_from(length - end).unwrap_or(0);
            self.file.write_all_at(&vec![0; ahead], end)?;
            self.length = length;
        }
        self.end = end;
        Ok(())
    }

    /// Puts `nothing`, a record that says so, in the place of all records; not durable yet.
    pub fn clear(&mut self, nothing: &[u8]) -> io::Result<()> {
        self.end = 0;
        self.write(nothing)?;
        self.end = 0;
        if self.length > FULL {
            self.file.set_len(FULL)?;
            self.length = FULL;
        }
        Ok(())
    }
}

//! Which hook each unit is about to run, on this machine's disk.
//!
//! A hook that runs is no news for the controller until it ends or lasts. Its agent has to know of it
//! all the same: one that died in the middle of a hook did so for a reason, and the hook is then in
//! error and not run again at once. So the agent writes an intent into a file before the guest
//! starts: one write into a place that is there already, and no sync, since what a killed process
//! has written is not lost. It may be lost with the machine; then nobody can tell whether the hook
//! had begun, and the same decision is made again.
//!
//! An intent is never taken back when its hook ends. It names the state that the hook was chosen in
//! by its sequence and digest, and says nothing once another state is recorded. So the controller's
//! record alone decides what is true.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

use periapt_model::hook::Info;
use periapt_model::uniter::OperationState;
use periapt_model::{Digest, UnitName};
use serde::{Deserialize, Serialize};

use crate::error::{UniterError, file};

#[cfg(test)]
mod tests;

/// The directory, in that of the process.
pub(crate) const DIRECTORY: &str = "intents";
const FILE: &str = "hooks";
/// Bytes of a slot: a length, a checksum and the intent. It never crosses a page.
const SLOT: usize = 1024;
const HEAD: usize = 2 + 32;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Intent {
    unit: UnitName,
    /// The recorded state that the hook was chosen in.
    sequence: u64,
    state: Digest,
    hook: Info,
}

/// The intents of a process.
pub(crate) struct Intents {
    book: Mutex<Book>,
}

struct Book {
    file: File,
    /// Who has which slot; a unit keeps its own.
    slots: BTreeMap<UnitName, usize>,
    free: Vec<usize>,
    length: usize,
    /// What an earlier process was about to do.
    found: BTreeMap<UnitName, Intent>,
}

impl Intents {
    /// Reads what an earlier process left. A slot that is torn says nothing. Blocks.
    pub fn open(directory: &Path) -> Result<Self, UniterError> {
        let directory = directory.join(DIRECTORY);
        std::fs::create_dir_all(&directory).map_err(file("make", &directory))?;
        let path = directory.join(FILE);
        let book = Book::open(&path).map_err(file("read", &path))?;
        Ok(Self {
            book: Mutex::new(book),
        })
    }

    /// Says that `hook`, chosen in the recorded state, is about to run; false if that cannot be
    /// written here.
    pub fn say(&self, unit: &UnitName, sequence: u64, state: &OperationState, hook: &Info) -> bool {
        let intent = Intent {
            unit: unit.clone(),
            sequence,
            state: digest(state),
            hook: hook.clone(),
        };
        let Some(slot) = encode(&intent) else {
            return false;
        };
        let written = self.book().write(unit, &slot);
        if let Err(error) = &written {
            tracing::warn!(%unit, %error, "cannot write down which hook is about to run");
        }
        written.is_ok()
    }

    /// The hook that an earlier process was about to run in the recorded state, and of which the
    /// controller has not heard since.
    pub fn unfinished(
        &self,
        unit: &UnitName,
        sequence: u64,
        state: &OperationState,
    ) -> Option<Info> {
        let book = self.book();
        let intent = book.found.get(unit)?;
        let same = intent.sequence == sequence && intent.state == digest(state);
        same.then(|| intent.hook.clone())
    }

    /// The hook does not run after all, or the unit is gone.
    pub fn withdraw(&self, unit: &UnitName) {
        let mut book = self.book();
        book.found.remove(unit);
        let Some(number) = book.slots.remove(unit) else {
            return;
        };
        book.free.push(number);
        if let Err(error) = book.file.write_all_at(&[0; HEAD], offset(number)) {
            tracing::warn!(%unit, %error, "cannot take back which hook was about to run");
        }
    }

    fn book(&self) -> MutexGuard<'_, Book> {
        self.book.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Book {
    fn open(path: &Path) -> io::Result<Self> {
        let mut options = OpenOptions::new();
        let mut file = options
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(path)?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes)?;
        let mut book = Self {
            file,
            slots: BTreeMap::new(),
            free: Vec::new(),
            length: bytes.len().div_ceil(SLOT),
            found: BTreeMap::new(),
        };
        for (number, slot) in bytes.chunks(SLOT).enumerate() {
            match decode(slot).filter(|intent| !book.slots.contains_key(&intent.unit)) {
                Some(intent) => {
                    book.slots.insert(intent.unit.clone(), number);
                    book.found.insert(intent.unit.clone(), intent);
                }
                None => book.free.push(number),
            }
        }
        Ok(book)
    }

    fn write(&mut self, unit: &UnitName, slot: &[u8; SLOT]) -> io::Result<()> {
        let number = match self.slots.get(unit) {
            Some(number) => *number,
            None => {
                let number = self.free.pop().unwrap_or(self.length);
                self.length = self.length.max(number + 1);
                self.slots.insert(unit.clone(), number);
                number
            }
        };
        self.file.write_all_at(slot, offset(number))
    }
}

fn offset(number: usize) -> u64 {
    (number * SLOT) as u64
}

fn digest(state: &OperationState) -> Digest {
    Digest::of(serde_json::to_vec(state).unwrap_or_default())
}

/// None for one that is too long for a slot.
fn encode(intent: &Intent) -> Option<[u8; SLOT]> {
    let text = serde_json::to_vec(intent).ok()?;
    let length = u16::try_from(text.len()).ok()?.to_le_bytes();
    let mut slot = [0; SLOT];
    slot.get_mut(..2)?.copy_from_slice(&length);
    slot.get_mut(2..HEAD)?
        .copy_from_slice(Digest::of(&text).as_bytes());
    slot.get_mut(HEAD..HEAD + text.len())?
        .copy_from_slice(&text);
    Some(slot)
}

fn decode(slot: &[u8]) -> Option<Intent> {
    let (length, rest) = slot.split_first_chunk::<2>()?;
    let (sum, rest) = rest.split_first_chunk::<32>()?;
    let text = rest.get(..usize::from(u16::from_le_bytes(*length)))?;
    match Digest::of(text).as_bytes() == sum {
        true => serde_json::from_slice(text).ok(),
        false => None,
    }
}

//! Reads what is new in a directory of logs.
//!
//! A file is the one read before if it still begins as that one did: a log only ever grows at
//! its end. That recognises it under another name, and a new file under an old name.

use std::fmt;
use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::Path;

use periapt_charm::Result;
use serde::{Deserialize, Serialize};

/// Bytes at the start of a file by which it is known. They hold the time of its first lines.
const BEGINNING: u64 = 256;
/// Bytes read in one hook at most; the rest is for the next.
const BUDGET: u64 = 8 << 20;

/// How far a file was read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Position {
    /// The name it had then.
    pub name: String,
    /// The bytes it begins with: up to [`BEGINNING`] of those that were read, as a digest.
    pub beginning: u64,
    /// Where reading goes on: after the last complete line.
    pub offset: u64,
}

/// What was read since the unit began.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Totals {
    pub lines: u64,
    pub bytes: u64,
    /// Files of which a line was read; a rotated one counts once.
    pub files: u64,
}

impl fmt::Display for Totals {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let counted = |count: u64, what: &str| match count {
            1 => format!("1 {what}"),
            count => format!("{count} {what}s"),
        };
        if self.files == 0 {
            return f.write_str("nothing shared yet");
        }
        let (lines, files) = (counted(self.lines, "line"), counted(self.files, "file"));
        write!(f, "read {lines} of {files}")
    }
}

/// Reads every complete line that is new and adds it to `totals`. Gives the positions of the
/// files that are there now.
pub fn read(
    directory: &Path,
    only: &str,
    mut known: Vec<Position>,
    totals: &mut Totals,
) -> Result<Vec<Position>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(directory)? {
        let entry = entry?;
        // What is no plain file is not a log; links are not followed.
        if entry.file_type()?.is_file() {
            names.push(entry.file_name().to_string_lossy().into_owned());
        }
    }
    names.sort();
    let mut budget = BUDGET;
    let mut positions = Vec::new();
    for name in names {
        if !name.contains(only) {
            // Whoever asks for it again does not get its lines twice.
            positions.extend(known.iter().find(|known| known.name == name).cloned());
            continue;
        }
        let mut file = File::open(directory.join(&name))?;
        let position = take_known(&mut file, &name, &mut known)?;
        let position = read_on(&mut file, position, &mut budget, totals)?;
        positions.extend(position);
    }
    Ok(positions)
}

/// The position of a file that was read before, under this name or another; else its start.
fn take_known(file: &mut File, name: &str, known: &mut Vec<Position>) -> Result<Position> {
    let size = file.metadata()?.len();
    // The same name first: of two files that begin alike it is the likelier.
    known.sort_by_key(|position| position.name != name);
    for index in 0..known.len() {
        let position = &known[index];
        if position.offset <= size && digest(file, position.offset)? == position.beginning {
            let mut position = known.remove(index);
            position.name = name.to_owned();
            return Ok(position);
        }
    }
    Ok(Position {
        name: name.to_owned(),
        beginning: digest(file, 0)?,
        offset: 0,
    })
}

/// Reads complete lines from the position. None while the file has none.
fn read_on(
    file: &mut File,
    mut position: Position,
    budget: &mut u64,
    totals: &mut Totals,
) -> Result<Option<Position>> {
    file.seek(SeekFrom::Start(position.offset))?;
    let is_new = position.offset == 0;
    let mut reader = BufReader::new(Read::take(&mut *file, *budget));
    let mut line = Vec::new();
    loop {
        line.clear();
        let length = reader.read_until(b'\n', &mut line)? as u64;
        let complete = line.last() == Some(&b'\n');
        // A line longer than the whole budget would never become complete.
        if length == 0 || (!complete && length < BUDGET) {
            break;
        }
        position.offset += length;
        *budget -= length;
        totals.bytes += length;
        totals.lines += 1;
    }
    if position.offset == 0 {
        return Ok(None);
    }
    totals.files += u64::from(is_new);
    position.beginning = digest(file, position.offset)?;
    Ok(Some(position))
}

/// A digest (FNV-1a) of the first bytes of a file, of those before `offset`.
fn digest(file: &mut File, offset: u64) -> Result<u64> {
    file.seek(SeekFrom::Start(0))?;
    let mut bytes = Vec::new();
    Read::take(&mut *file, offset.min(BEGINNING)).read_to_end(&mut bytes)?;
    Ok(bytes.iter().fold(0xcbf2_9ce4_8422_2325, |digest, byte| {
        (digest ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    }))
}

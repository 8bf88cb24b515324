//! Files that are in the way, removed behind everybody's back.
//!
//! What a killed process left may be large, deep, or not removable at all for the moment. None of
//! that may keep an agent from starting: leftovers are renamed, which is one step, and removed by
//! a thread of their own.

use std::fs;
use std::io;
use std::path::Path;
use std::thread;
use std::time::Duration;

/// Where they go, in the directory of the process.
pub(crate) const DISCARDED: &str = "discarded";
/// Between two attempts where there are no file descriptors.
const AGAIN: Duration = Duration::from_secs(5);

/// Empties `path` and removes what was in it behind. What cannot even be renamed stays where it is,
/// and the log says so. Nothing is made or removed beside the two directories, since an agent that has
/// locked itself down may change nothing there.
pub(crate) fn discard(directory: &Path, path: &Path) -> io::Result<()> {
    let discarded = directory.join(DISCARDED);
    fs::create_dir_all(&discarded)?;
    if let Err(error) = aside(&discarded, path) {
        tracing::warn!(path = %path.display(), %error, "cannot take leftover files away");
    }
    let removing = thread::Builder::new().name("discard".to_owned());
    if let Err(error) = removing.spawn(move || remove(&discarded)) {
        tracing::warn!(%error, "leftover files are removed at the next start");
    }
    Ok(())
}

/// Moves each entry of `path` into `discarded`, under a number that is free there.
fn aside(discarded: &Path, path: &Path) -> io::Result<()> {
    let mut number = 0_u64;
    for entry in fs::read_dir(path)? {
        let entry = entry?.path();
        loop {
            let place = discarded.join(number.to_string());
            number += 1;
            if fs::symlink_metadata(&place).is_err() {
                fs::rename(&entry, &place)?;
                break;
            }
        }
    }
    Ok(())
}

#[expect(
    clippy::disallowed_methods,
    reason = "a thread of the process alone, on which no rule waits"
)]
fn remove(discarded: &Path) {
    let path = discarded.display();
    let entries = match fs::read_dir(discarded) {
        Ok(entries) => entries,
        Err(error) => {
            tracing::warn!(%path, %error, "cannot remove leftover files; the next start tries again");
            return;
        }
    };
    for entry in entries.flatten() {
        loop {
            match periapt_files::remove(&entry.path()) {
                Ok(()) => break,
                Err(error) if periapt_files::out_of_descriptors(&error) => thread::sleep(AGAIN),
                Err(error) => {
                    tracing::warn!(%path, %error, "cannot remove leftover files; the next start tries again");
                    break;
                }
            }
        }
    }
}

//! `location.json`: where a controller's directory was when it was last used. A directory that was
//! copied and started beside its original would run every agent twice, so a controller refuses to
//! start anywhere else than where it was, until a person says that it was moved.
//!
//! It compares the machine and the path. Not the inode: a directory that was brought back to its
//! old place from an archive cannot run beside its original, whose place it has taken.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::ControllerError;
use crate::config::write_json;
use crate::error::file;

const FILE: &str = "location.json";

/// Systemd's and D-Bus' identity of a machine; each installation has its own.
const MACHINE: [&str; 2] = ["/etc/machine-id", "/var/lib/dbus/machine-id"];

/// The file's content.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
struct Location {
    /// Empty on a machine without an identity.
    machine: String,
    path: PathBuf,
}

/// Writes down that the directory belongs here.
///
/// # Errors
/// The file cannot be written.
pub fn mark(directory: &Path) -> Result<(), ControllerError> {
    write(directory, &here(directory)?)
}

/// Fails when the directory was last used elsewhere, unless that is accepted.
///
/// # Errors
/// [`ControllerError::Moved`]; the file cannot be read or written.
pub fn check(directory: &Path, accept_move: bool) -> Result<(), ControllerError> {
    let here = here(directory)?;
    let path = directory.join(FILE);
    let before = match std::fs::read(&path) {
        // Of a controller from before there was this file.
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => None,
        read => Some(read.map_err(file("read", &path))?),
    };
    let before: Option<Location> = match before {
        None => None,
        Some(bytes) => {
            let read = serde_json::from_slice(&bytes);
            Some(read.map_err(|error| file("read", &path)(error.into()))?)
        }
    };
    match before {
        Some(before) if before == here => Ok(()),
        Some(before) if !accept_move => Err(ControllerError::Moved {
            directory: here.path.clone(),
            before: before.unlike(&here),
        }),
        _ => write(directory, &here),
    }
}

impl Location {
    /// What differs, as the end of a sentence.
    fn unlike(&self, here: &Location) -> String {
        let path = self.path.display();
        if self.machine == here.machine {
            format!("was last used in {path}")
        } else {
            format!("was last used on another machine, in {path}")
        }
    }
}

fn here(directory: &Path) -> Result<Location, ControllerError> {
    let identity = MACHINE
        .iter()
        .find_map(|path| std::fs::read_to_string(path).ok());
    Ok(Location {
        machine: identity.unwrap_or_default().trim().to_owned(),
        path: std::fs::canonicalize(directory).map_err(file("find", directory))?,
    })
}

fn write(directory: &Path, location: &Location) -> Result<(), ControllerError> {
    write_json(&directory.join(FILE), location)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_directory_is_at_home_where_it_was_marked_and_nowhere_else() {
        let home = tempfile::TempDir::new().unwrap();
        let first = home.path().join("first");
        std::fs::create_dir(&first).unwrap();
        // One from before there was a mark gets one.
        check(&first, false).unwrap();
        check(&first, false).unwrap();

        let copy = home.path().join("copy");
        std::fs::create_dir(&copy).unwrap();
        std::fs::copy(first.join(FILE), copy.join(FILE)).unwrap();
        let refused = check(&copy, false).unwrap_err();
        assert_eq!(refused.code(), "controller-moved");
        let said = refused.to_string();
        let here = first.canonicalize().unwrap().display().to_string();
        assert!(said.contains(&here), "{said}");
        assert!(refused.advice().contains("--accept-move"));

        check(&copy, true).unwrap();
        check(&copy, false).unwrap();
    }

    #[test]
    fn the_same_path_on_another_machine_is_another_place() {
        let home = tempfile::TempDir::new().unwrap();
        mark(home.path()).unwrap();
        let elsewhere = Location {
            machine: "another".to_owned(),
            ..here(home.path()).unwrap()
        };
        write(home.path(), &elsewhere).unwrap();
        let refused = check(home.path(), false).unwrap_err().to_string();
        assert!(refused.contains("another machine"), "{refused}");
    }

    #[test]
    fn a_damaged_mark_is_no_leave_to_start() {
        let home = tempfile::TempDir::new().unwrap();
        std::fs::write(home.path().join(FILE), "{").unwrap();
        assert!(check(home.path(), false).is_err());
    }
}

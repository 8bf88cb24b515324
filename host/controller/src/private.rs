//! The data directory is its owner's alone: it holds keys, hashes of passwords and every model's
//! configuration.
//!
//! A new directory is made that way. One that is there may have been made by anybody, in any mode,
//! so what is in it is looked at before it is used, and closed before the first secret is written.
//! Agents' directories are left to the agents, who have users of their own.

use std::fs::{self, DirBuilder, Metadata, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};
use std::path::Path;

use crate::ControllerError;
use crate::config::AGENTS;
use crate::error::file;

/// Makes the directory, or takes one that is there and closes it with all it holds. Blocks.
///
/// # Errors
/// A directory of somebody else, or one with something of somebody else in it, is left as it is.
pub fn claim(directory: &Path) -> Result<(), ControllerError> {
    DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(directory)
        .map_err(file("make", directory))?;
    let me = rustix::process::geteuid().as_raw();
    let mut mine = |path: &Path, found: &Metadata| match found.uid() == me && !found.is_symlink() {
        true => Ok(()),
        false => Err(ControllerError::NotYours {
            path: path.to_owned(),
            owner: found.uid(),
        }),
    };
    let found = fs::metadata(directory).map_err(file("look at", directory))?;
    mine(directory, &found)?;
    visit(directory, &mut mine)?;
    close(directory)
}

/// Closes the directory and everything in it to others. Links are not followed. Blocks.
pub fn close(directory: &Path) -> Result<(), ControllerError> {
    let set = |path: &Path, mode| match fs::set_permissions(path, Permissions::from_mode(mode)) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        set => set.map_err(file("close", path)),
    };
    set(directory, 0o700)?;
    visit(directory, &mut |path, found| {
        let open = found.mode() & 0o077 != 0;
        match found.file_type() {
            kind if !open || kind.is_symlink() => Ok(()),
            kind if kind.is_dir() => set(path, 0o700),
            _ => set(path, 0o600),
        }
    })
}

/// Everything in the directory but what agents have. What goes away meanwhile is passed over.
fn visit(
    root: &Path,
    look: &mut dyn FnMut(&Path, &Metadata) -> Result<(), ControllerError>,
) -> Result<(), ControllerError> {
    let mut pending = vec![root.to_owned()];
    while let Some(directory) = pending.pop() {
        let entries = fs::read_dir(&directory).map_err(file("read", &directory))?;
        for entry in entries {
            let path = entry.map_err(file("read", &directory))?.path();
            let found = match fs::symlink_metadata(&path) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                found => found.map_err(file("look at", &path))?,
            };
            look(&path, &found)?;
            if found.is_dir() && path != root.join(AGENTS) {
                pending.push(path);
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{chown, symlink};

    use super::*;

    fn mode(path: &Path) -> u32 {
        fs::symlink_metadata(path).unwrap().mode() & 0o777
    }

    fn open(path: &Path, mode: u32) {
        fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
    }

    #[test]
    fn a_directory_that_was_open_is_closed_with_all_it_holds() {
        let home = tempfile::tempdir().unwrap();
        let directory = home.path().join("controller");
        fs::create_dir_all(directory.join("cache/compiled")).unwrap();
        fs::create_dir_all(directory.join("agents/model/units")).unwrap();
        for name in ["controller.db", "controller.db-wal", "cache/compiled/one"] {
            fs::write(directory.join(name), "").unwrap();
            open(&directory.join(name), 0o644);
        }
        for name in [
            "",
            "cache",
            "cache/compiled",
            "agents",
            "agents/model/units",
        ] {
            open(&directory.join(name), 0o755);
        }
        claim(&directory).unwrap();
        for name in ["", "cache", "cache/compiled", "agents"] {
            assert_eq!(mode(&directory.join(name)), 0o700, "{name}");
        }
        for name in ["controller.db", "controller.db-wal", "cache/compiled/one"] {
            assert_eq!(mode(&directory.join(name)), 0o600, "{name}");
        }
        assert_eq!(mode(&directory.join("agents/model/units")), 0o755);
        claim(&home.path().join("a/b")).unwrap();
        assert_eq!(mode(&home.path().join("a")), 0o700);
    }

    #[test]
    fn what_belongs_to_somebody_else_is_refused_and_left_alone() {
        let home = tempfile::tempdir().unwrap();
        let linked = home.path().join("linked");
        fs::create_dir(&linked).unwrap();
        symlink("/etc/hostname", linked.join("controller.db")).unwrap();
        let error = claim(&linked).unwrap_err();
        assert_eq!(error.code(), "controller-directory-not-yours");
        // Only root can make such a directory, and only root can be fooled by one of its own.
        if rustix::process::geteuid().is_root() {
            let foreign = home.path().join("foreign");
            fs::create_dir(&foreign).unwrap();
            open(&foreign, 0o755);
            chown(&foreign, Some(65_534), None).unwrap();
            let error = claim(&foreign).unwrap_err();
            assert_eq!(error.code(), "controller-directory-not-yours");
            assert!(error.to_string().contains("65534"), "{error}");
            assert_eq!(mode(&foreign), 0o755);
            let within = home.path().join("within");
            fs::create_dir(&within).unwrap();
            fs::write(within.join("controller.db"), "").unwrap();
            chown(within.join("controller.db"), Some(65_534), None).unwrap();
            assert!(claim(&within).is_err());
        }
    }
}

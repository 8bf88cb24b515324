//! The guest SDK that this program was built with, and how it comes into a project.
//!
//! A project has a copy of its own, so that a colleague or a CI builds it as it stands, and a newer program
//! changes it when its author says so. The copy is the source of the checkout, byte for byte.

use std::fs;
use std::path::Path;

use crate::PackingError;
use crate::error::At;

mod carried {
    include!(concat!(env!("OUT_DIR"), "/sdk.rs"));
}

/// Where a project has its copy.
pub const FOLDER: &str = "vendor/periapt";

/// The versions that the SDK was tested with, for a new project.
pub(crate) const LOCK: &str = carried::LOCK;

/// Writes the SDK into a project, in the place of one that is there. Says how many files it has.
///
/// # Errors
/// When the folder cannot be written.
pub fn vendor(project: &Path) -> Result<usize, PackingError> {
    let folder = project.join(FOLDER);
    if folder.exists() {
        fs::remove_dir_all(&folder).at(&folder)?;
    }
    for (name, text) in carried::FILES {
        let path = folder.join(name);
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent).at(parent)?;
        }
        fs::write(&path, text).at(&path)?;
    }
    Ok(carried::FILES.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copy_has_what_its_manifests_name_and_takes_the_place_of_another() {
        let project = tempfile::tempdir().unwrap();
        let old = project.path().join(FOLDER).join("guest-sdk/old.rs");
        fs::create_dir_all(old.parent().unwrap()).unwrap();
        fs::write(&old, "").unwrap();
        let files = vendor(project.path()).unwrap();
        assert!(files > 100, "{files}");
        assert!(!old.exists());
        let read = |name: &str| fs::read_to_string(project.path().join(FOLDER).join(name)).unwrap();
        assert!(read("Cargo.toml").contains("members = [\"host/contract\", \"host/plan\"]\n"));
        assert!(!read("Cargo.toml").contains("exclude"));
        let charms = read("charms/Cargo.toml");
        assert!(charms.contains("\"../guest-sdk/rust\"]\n"), "{charms}");
        assert!(!charms.contains("counter\","), "{charms}");
        assert!(read("guest-sdk/rust/Cargo.toml").contains("path = \"../../host/contract\""));
        assert!(read("guest-sdk/wit/charm.wit").contains("package periapt:charm"));
    }
}

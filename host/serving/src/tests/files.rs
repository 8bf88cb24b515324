//! The directory of a unit, as a workload sees it.

use std::io;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use wasmtime_wasi::WasiCtxBuilder;

use crate::{Failure, Mount};

/// A unit's generations, with the name of the one that is committed in a file.
struct Unit(tempfile::TempDir);

impl Unit {
    fn new() -> Self {
        let unit = Self(tempfile::tempdir().unwrap());
        for generation in ["1", "2"] {
            std::fs::create_dir_all(unit.path().join(generation).join("site")).unwrap();
        }
        unit.commit("1");
        unit
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn commit(&self, generation: &str) {
        std::fs::write(self.path().join("committed"), generation).unwrap();
    }

    fn mount(&self, below: &str) -> Mount {
        let root = self.path().to_owned();
        let committed = move || -> io::Result<PathBuf> {
            Ok(root.join(std::fs::read_to_string(root.join("committed"))?))
        };
        Mount::new(Arc::new(committed), below.into(), "/site".to_owned())
    }
}

fn mounted(mount: &Mount) -> Result<(), Failure> {
    mount.add_to(&mut WasiCtxBuilder::new())
}

#[test]
fn a_directory_that_is_there_is_mounted() {
    let unit = Unit::new();
    for below in ["", "site"] {
        assert_eq!(mounted(&unit.mount(below)), Ok(()), "{below}");
    }
    let missing = mounted(&unit.mount("none")).unwrap_err();
    assert_eq!(missing.code(), "files");
    assert!(missing.to_string().contains("/site"), "{missing}");
}

#[test]
fn a_commit_is_seen_by_the_next_request() {
    let unit = Unit::new();
    let mount = unit.mount("site/new");
    std::fs::create_dir(unit.path().join("2/site/new")).unwrap();
    assert!(mounted(&mount).is_err());
    unit.commit("2");
    assert_eq!(mounted(&mount), Ok(()));
}

#[test]
fn a_directory_that_was_made_anew_is_another_one() {
    let unit = Unit::new();
    let mount = unit.mount("site");
    assert_eq!(mounted(&mount), Ok(()));
    let site = unit.path().join("1/site");
    std::fs::remove_dir(&site).unwrap();
    assert!(mounted(&mount).is_err());
    std::fs::create_dir(&site).unwrap();
    assert_eq!(mounted(&mount), Ok(()));
    assert_eq!(mounted(&mount), Ok(()), "and stays open");
}

#[test]
fn a_directory_that_may_be_written_to_is_mounted_as_well() {
    let unit = Unit::new();
    assert_eq!(mounted(&unit.mount("site").writable()), Ok(()));
    let missing = mounted(&unit.mount("none").writable()).unwrap_err();
    assert_eq!(missing.code(), "files");
}

#[test]
fn a_link_that_a_guest_made_leads_nowhere() {
    let unit = Unit::new();
    let generation = unit.path().join("1");
    symlink("/etc", generation.join("absolute")).unwrap();
    symlink("../2", generation.join("relative")).unwrap();
    symlink("site", generation.join("within")).unwrap();
    for below in [
        "absolute",
        "relative",
        "within",
        "../2",
        "/etc",
        "relative/site",
    ] {
        assert!(mounted(&unit.mount(below)).is_err(), "{below}");
    }
}

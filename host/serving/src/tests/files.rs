//! The directory of a unit, as a workload sees it.

use std::io;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use hyper::header::RETRY_AFTER;
use periapt_files::{remove_unheld, withdraw};
use wasmtime_wasi::WasiCtxBuilder;

use super::guest::Guest;
use super::stage::{Setting, engine, get, load};
use crate::files::Sight;
use crate::{Ended, Failure, Listener, Mount, Service, Stream, Workload};

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
    seen(mount).map(drop)
}

fn seen(mount: &Mount) -> Result<Sight, Failure> {
    let sight = Sight::default();
    sight.open([mount].into_iter(), &mut WasiCtxBuilder::new())?;
    Ok(sight)
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

#[test]
fn committed_files_stay_as_long_as_a_request_reads_them() {
    let unit = Unit::new();
    let (mount, first) = (unit.mount("site").held(), unit.path().join("1"));
    let before = seen(&mount).unwrap();
    unit.commit("2");
    let after = seen(&mount).unwrap();
    assert!(!remove_unheld(&first).unwrap());
    assert!(before.is_in_place() && after.is_in_place());
    drop(before);
    assert!(remove_unheld(&first).unwrap());
    assert!(!remove_unheld(&unit.path().join("2")).unwrap());
    drop((after, mount));
    assert!(remove_unheld(&unit.path().join("2")).unwrap());
}

#[test]
fn storage_is_held_by_nobody() {
    let unit = Unit::new();
    let sight = seen(&unit.mount("site").writable()).unwrap();
    assert!(remove_unheld(&unit.path().join("1")).unwrap());
    assert!(sight.is_in_place());
}

/// Withdraws the files of a request as soon as its guest says something.
struct Withdraws(PathBuf);

impl Listener for Withdraws {
    fn line(&self, _: Stream, _: &str) {
        withdraw(&self.0, &self.0.with_file_name("aside")).unwrap();
    }

    fn ended(&self, _: &Ended) {}

    fn computed(&self, _: Duration) {}
}

#[tokio::test]
async fn a_guest_whose_files_were_withdrawn_cannot_say_that_there_are_none() {
    let guest = Guest {
        imports: r#"(import "wasi:filesystem/preopens@0.2.0" "get-directories" (func $directories (param i32)))"#,
        items: r#"(data (i32.const 2048) "one\n")"#,
        handle: "(call $say (i32.const 2048) (i32.const 4))
            (call $answer (local.get $out) (i32.const 404)) (call $close)",
        world: "import wasi:filesystem/preopens@0.2.0;",
    };
    let unit = Unit::new();
    let Setting {
        limits, connector, ..
    } = Setting::default();
    let workload = Workload {
        server: load(&guest.component()),
        limits,
        environment: Vec::new(),
        mounts: vec![unit.mount("site").held()],
        granted: Arc::new([]),
        connector,
        listener: Arc::new(Withdraws(unit.path().join("1"))),
    };
    let service = Service::new(engine(), workload);
    // The second finds them gone when it begins.
    for _ in 0..2 {
        let answer = service.answer(get("/")).await;
        let failure = answer.extensions().get::<Failure>();
        assert_eq!(failure, Some(&Failure::Outdated));
        assert_eq!(answer.status().as_u16(), 503);
        assert_eq!(answer.headers()[RETRY_AFTER], "1");
    }
    unit.commit("2");
    let answer = service.answer(get("/")).await;
    assert_eq!(answer.status().as_u16(), 404, "of files that are there");
}

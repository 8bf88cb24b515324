use std::fs;
use std::os::unix::fs::{MetadataExt, symlink};
use std::time::{Duration, SystemTime};

use super::*;
use crate::testing::{levels, nest, place};
use crate::{difference, remove, sync};

#[test]
fn a_copy_has_the_content_and_the_times() {
    let home = place();
    let (from, to) = (home.path().join("from"), home.path().join("to"));
    fs::create_dir_all(from.join("deep/er")).unwrap();
    fs::write(from.join("deep/er/file"), "content").unwrap();
    fs::write(from.join("empty"), "").unwrap();
    symlink("deep/er/file", from.join("link")).unwrap();
    symlink("/etc", from.join("out")).unwrap();
    let old = SystemTime::UNIX_EPOCH + Duration::from_nanos(1_000_000_007);
    for path in ["deep/er/file", "deep/er", "deep", "."] {
        let opened = File::open(from.join(path)).unwrap();
        opened.set_modified(old).unwrap();
    }
    copy(&from, &to).unwrap();
    assert_eq!(fs::read_to_string(to.join("link")).unwrap(), "content");
    assert_eq!(fs::read(to.join("empty")).unwrap(), b"");
    assert_eq!(
        fs::read_link(to.join("out")).unwrap(),
        Path::new("/etc"),
        "a link stays one"
    );
    for path in ["deep/er/file", "deep/er", "deep", "."] {
        let metadata = fs::metadata(to.join(path)).unwrap();
        assert_eq!(metadata.modified().unwrap(), old, "{path}");
    }
    let mode = |path: &Path| fs::metadata(path).unwrap().mode();
    assert_eq!(mode(&from.join("empty")), mode(&to.join("empty")));
    assert!(copy(&from, &to).is_err(), "what is there is not mixed with");
}

#[test]
fn names_of_250_bytes_and_depth_beyond_any_path_are_copied() {
    let home = place();
    let (from, to) = (home.path().join("from"), home.path().join("to"));
    fs::create_dir(&from).unwrap();
    let name = "n".repeat(250);
    nest(&from, &name, 60, 10);
    copy(&from, &to).unwrap();
    assert_eq!(levels(&to, &name), 60);
    sync(&to).unwrap();
    assert_eq!(difference(&from, &to, 1 << 20).unwrap(), None);
    remove(home.path()).unwrap();
}

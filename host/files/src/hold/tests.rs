use std::fs;

use super::*;
use crate::testing::place;

/// A tree with a file in it, in a directory of its own.
fn tree() -> (tempfile::TempDir, PathBuf) {
    let home = place();
    let root = home.path().join("1");
    fs::create_dir_all(root.join("deep")).unwrap();
    fs::write(root.join("deep/file"), "whole").unwrap();
    (home, root)
}

#[test]
fn a_tree_that_is_held_stays_until_the_last_lets_go() {
    let (_home, root) = tree();
    let holds = [Hold::take(&root).unwrap(), Hold::take(&root).unwrap()];
    for hold in holds {
        assert!(!remove_unheld(&root).unwrap());
        assert!(hold.is_in_place());
        assert_eq!(fs::read(root.join("deep/file")).unwrap(), b"whole");
    }
    assert!(remove_unheld(&root).unwrap());
    assert!(!root.exists());
    assert!(remove_unheld(&root).unwrap(), "it is gone already");
}

#[test]
fn what_is_gone_or_is_being_removed_cannot_be_held() {
    let (_home, root) = tree();
    let removing = cursor::open(&root).unwrap();
    flock(&removing, FlockOperation::NonBlockingLockExclusive).unwrap();
    let refused = Hold::take(&root).map(drop).unwrap_err();
    assert_eq!(refused.kind(), io::ErrorKind::NotFound);
    drop(removing);
    assert!(Hold::take(&root).is_ok());
    remove(&root).unwrap();
    let refused = Hold::take(&root).map(drop).unwrap_err();
    assert_eq!(refused.kind(), io::ErrorKind::NotFound);
}

#[test]
fn whoever_holds_a_tree_learns_that_it_was_withdrawn() {
    let (home, root) = tree();
    let hold = Hold::take(&root).unwrap();
    let aside = home.path().join("aside");
    // An earlier withdrawal may have been cut short.
    fs::create_dir_all(aside.join("left")).unwrap();
    withdraw(&root, &aside).unwrap();
    assert!(!root.exists() && !aside.exists());
    assert!(!hold.is_in_place());
    fs::create_dir(&root).unwrap();
    assert!(!hold.is_in_place(), "another tree has its name");
    withdraw(&root, &aside).unwrap();
    withdraw(&root, &aside).unwrap();
}

#[test]
fn what_is_no_directory_is_held_by_nobody() {
    let (home, root) = tree();
    let (file, link) = (home.path().join("file"), home.path().join("link"));
    fs::write(&file, "").unwrap();
    std::os::unix::fs::symlink(&root, &link).unwrap();
    for path in [&file, &link] {
        assert!(Hold::take(path).is_err(), "{}", path.display());
        assert!(remove_unheld(path).unwrap());
        assert!(fs::symlink_metadata(path).is_err());
    }
    assert!(root.join("deep/file").exists(), "a link is not followed");
}

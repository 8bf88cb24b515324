use std::fs::{self, File};
use std::os::unix::fs::symlink;
use std::time::{Duration, Instant};

use rustix::fs::{CWD, RenameFlags, renameat_with};

use super::*;
use crate::testing::{levels, nest, place};

#[test]
fn a_tree_of_20000_levels_is_removed() {
    let home = place();
    let root = home.path().join("root");
    fs::create_dir(&root).unwrap();
    nest(&root, "d", 20_000, 10);
    // Depth has to cost as much as width, and not its square.
    let begun = Instant::now();
    remove(&root).unwrap();
    assert!(begun.elapsed() < Duration::from_secs(60));
    assert!(!root.exists());
    remove(&root).unwrap();
}

#[test]
fn many_deep_trees_beside_one_another_are_removed() {
    let home = place();
    let root = home.path().join("root");
    fs::create_dir(&root).unwrap();
    for number in 0..50 {
        nest(&root, &format!("d{number}"), 4 * LIFT, 10);
    }
    // Names that moved directories would have got.
    nest(&root, ".lifted-0", LIFT + 2, 0);
    fs::write(root.join(".lifted-1"), "").unwrap();
    symlink("/", root.join(".lifted-2")).unwrap();
    remove(&root).unwrap();
    assert!(!root.exists());
}

#[test]
fn names_of_250_bytes_are_removed() {
    let home = place();
    let root = home.path().join("root");
    fs::create_dir(&root).unwrap();
    nest(&root, &"n".repeat(250), 3_000, 10);
    remove(&root).unwrap();
    assert!(!root.exists());
}

#[test]
fn a_link_is_removed_and_what_it_leads_to_stays() {
    let home = place();
    let (root, outside) = (home.path().join("root"), home.path().join("outside"));
    fs::create_dir_all(root.join("deep")).unwrap();
    fs::create_dir(&outside).unwrap();
    fs::write(outside.join("file"), "mine").unwrap();
    symlink(&outside, root.join("deep/link")).unwrap();
    symlink(outside.join("file"), root.join("deep/file")).unwrap();
    remove(&root).unwrap();
    assert!(!root.exists());
    symlink(&outside, &root).unwrap();
    remove(&root).unwrap();
    assert!(fs::symlink_metadata(&root).is_err());
    fs::write(&root, "a file").unwrap();
    remove(&root).unwrap();
    assert!(fs::symlink_metadata(&root).is_err());
    assert_eq!(fs::read_to_string(outside.join("file")).unwrap(), "mine");
}

#[test]
fn a_directory_swapped_for_a_link_meanwhile_is_not_followed() {
    let home = place();
    let (tree, outside) = (home.path().join("tree"), home.path().join("outside"));
    fs::create_dir(&outside).unwrap();
    fs::write(outside.join("file"), "mine").unwrap();
    let link = home.path().join("link");
    symlink(&outside, &link).unwrap();
    for _ in 0..300 {
        let directory = tree.join("directory");
        fs::create_dir_all(&directory).unwrap();
        for number in 0..20 {
            fs::write(directory.join(number.to_string()), "").unwrap();
        }
        std::thread::scope(|scope| {
            let swapping = scope.spawn(|| {
                for _ in 0..50 {
                    // There until it is removed.
                    let _ = renameat_with(CWD, &directory, CWD, &link, RenameFlags::EXCHANGE);
                }
            });
            while !swapping.is_finished() {
                let _ = remove(&tree);
            }
        });
        remove(&tree).unwrap();
        assert_eq!(fs::read_to_string(outside.join("file")).unwrap(), "mine");
        remove(&link).unwrap();
        symlink(&outside, &link).unwrap();
    }
}

#[test]
fn a_removal_ends_beside_somebody_who_writes() {
    let home = place();
    let root = home.path().join("root");
    fs::create_dir(&root).unwrap();
    std::thread::scope(|scope| {
        let writing = scope.spawn(|| {
            for number in 0..2_000 {
                let _ = fs::create_dir(root.join("d"));
                let _ = File::create(root.join("d").join(number.to_string()));
            }
        });
        while !writing.is_finished() {
            // It may fail; it may not hang.
            let _ = remove(&root);
        }
    });
    remove(&root).unwrap();
}

#[test]
fn what_is_too_deep_is_cut_and_the_rest_stays() {
    let home = place();
    fs::write(home.path().join("file"), "kept").unwrap();
    nest(home.path(), "shallow", 5, 10);
    nest(home.path(), "deep", 20_000, 10);
    assert!(cut(home.path(), 256).unwrap());
    assert_eq!(levels(home.path(), "deep"), 256);
    assert_eq!(levels(home.path(), "shallow"), 5);
    assert!(home.path().join("file").exists());
    assert!(!cut(home.path(), 256).unwrap(), "nothing is left to cut");
    remove(home.path()).unwrap();
}

use std::fs::{self, File};
use std::os::unix::fs::symlink;

use rustix::fs::{CWD, RenameFlags, renameat_with};

use super::*;
use crate::testing::{nest, place};

const ANY: Limits = Limits {
    bytes: u64::MAX,
    levels: u64::MAX,
};

fn levels(levels: u64) -> Limits {
    Limits { levels, ..ANY }
}

#[test]
fn sparse_and_empty_files_count() {
    let root = place();
    assert_eq!(measure(root.path(), ANY).unwrap(), 0);
    fs::create_dir(root.path().join("deep")).unwrap();
    let file = File::create(root.path().join("deep/sparse")).unwrap();
    file.set_len(1 << 30).unwrap();
    assert_eq!(
        measure(root.path(), ANY).unwrap(),
        (1 << 30) + 2 * ENTRY_BYTES
    );
    // A link to a big file is not a big file.
    symlink("deep/sparse", root.path().join("link")).unwrap();
    assert_eq!(
        measure(root.path(), ANY).unwrap(),
        (1 << 30) + 3 * ENTRY_BYTES
    );
}

#[test]
fn what_lies_below_the_longest_path_counts() {
    let root = place();
    nest(root.path(), &"n".repeat(250), 40, 1 << 30);
    let over = measure(
        root.path(),
        Limits {
            bytes: 1 << 28,
            levels: 256,
        },
    );
    assert!(matches!(over, Err(Over::Bytes)), "{over:?}");
    assert_eq!(
        measure(root.path(), ANY).unwrap(),
        (1 << 30) + 41 * ENTRY_BYTES
    );
    crate::remove(root.path()).unwrap();
}

#[test]
fn levels_are_counted_to_the_last_one_allowed() {
    let root = place();
    nest(root.path(), "d", 7, 0);
    assert!(measure(root.path(), levels(7)).is_ok());
    let over = measure(root.path(), levels(6));
    assert!(matches!(over, Err(Over::Levels)), "{over:?}");
    // A file is no level.
    assert!(matches!(measure(root.path(), levels(0)), Err(Over::Levels)));
    fs::remove_dir_all(root.path().join("d")).unwrap();
    File::create(root.path().join("file")).unwrap();
    assert!(measure(root.path(), levels(0)).is_ok());
}

#[test]
fn a_tree_of_20000_levels_is_measured_to_its_end() {
    let root = place();
    nest(root.path(), "d", 20_000, 100_000);
    let bytes = measure(root.path(), ANY).unwrap();
    assert_eq!(bytes, 100_000 + 20_001 * ENTRY_BYTES);
    let over = measure(root.path(), levels(19_999));
    assert!(matches!(over, Err(Over::Levels)), "{over:?}");
    crate::remove(root.path()).unwrap();
}

#[test]
fn what_cannot_be_read_is_an_error_and_not_nothing() {
    let root = place();
    let missing = measure(&root.path().join("missing"), ANY);
    assert!(matches!(missing, Err(Over::Unreadable(_))), "{missing:?}");
    // Nor is a link measured in place of a directory.
    symlink("/", root.path().join("link")).unwrap();
    let link = measure(&root.path().join("link"), ANY);
    assert!(matches!(link, Err(Over::Unreadable(_))), "{link:?}");
}

#[test]
fn a_directory_swapped_for_a_link_meanwhile_is_not_followed() {
    let home = place();
    let (tree, outside) = (home.path().join("tree"), home.path().join("outside"));
    fs::create_dir_all(tree.join("directory")).unwrap();
    fs::create_dir(&outside).unwrap();
    File::create(outside.join("big"))
        .unwrap()
        .set_len(1 << 40)
        .unwrap();
    symlink(&outside, tree.join("link")).unwrap();
    let swap = {
        let tree = tree.clone();
        move || {
            let (directory, link) = (tree.join("directory"), tree.join("link"));
            renameat_with(CWD, &directory, CWD, &link, RenameFlags::EXCHANGE).unwrap();
        }
    };
    std::thread::scope(|scope| {
        let swapping = scope.spawn(|| (0..20_000).for_each(|_| swap()));
        while !swapping.is_finished() {
            let bytes = measure(&tree, ANY).unwrap();
            assert!(bytes < 1 << 40, "{bytes} bytes of what is outside");
        }
    });
}

use std::fs::{self, File};
use std::io::Read;
use std::os::unix::fs::MetadataExt;

use super::*;
use crate::copy;
use crate::testing::place;

#[test]
fn what_was_opened_is_found_in_the_copy() {
    let home = place();
    let (from, to) = (home.path().join("from"), home.path().join("to"));
    fs::create_dir_all(from.join("deep/er")).unwrap();
    fs::write(from.join("deep/er/file"), "content").unwrap();
    fs::write(from.join("deep/other"), "").unwrap();
    copy(&from, &to).unwrap();
    let inode = |path: &Path| fs::metadata(path).unwrap().ino();
    let wanted = ["deep/er", "deep/er/file"].map(|path| (inode(&from.join(path)), to.join(path)));
    let inodes = wanted.iter().map(|(inode, _)| *inode).collect();
    let mut found = counterparts(&from, &to, inodes).unwrap();
    assert_eq!(found.len(), 2);
    for (before, path) in &wanted {
        let mut opened = File::from(found.remove(before).unwrap());
        let metadata = opened.metadata().unwrap();
        assert_eq!(metadata.ino(), inode(path));
        if metadata.is_file() {
            let mut content = String::new();
            opened.read_to_string(&mut content).unwrap();
            assert_eq!(content, "content");
        }
    }
    assert!(counterparts(&from, &to, HashSet::new()).unwrap().is_empty());
}

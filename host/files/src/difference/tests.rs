use std::fs;
use std::os::unix::fs::{MetadataExt, symlink};
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use super::*;
use crate::testing::{levels, nest, place};
use crate::{apply, copy, share};

const MOST: usize = 1 << 20;

/// A tree and what is done to its copy.
struct Trees {
    _home: tempfile::TempDir,
    from: PathBuf,
    to: PathBuf,
}

impl Trees {
    fn new(fill: impl FnOnce(&Path)) -> Self {
        let home = place();
        let (from, to) = (home.path().join("from"), home.path().join("to"));
        fs::create_dir(&from).unwrap();
        fill(&from);
        copy(&from, &to).unwrap();
        Self {
            _home: home,
            from,
            to,
        }
    }

    fn difference(&self) -> Option<Difference> {
        difference(&self.from, &self.to, MOST).unwrap()
    }

    /// How many files and directories are written down, and how many files are shared.
    fn counts(&self) -> Option<(u64, u64)> {
        let difference = self.difference();
        difference.map(|difference| (difference.recorded, difference.linked))
    }

    /// What a record makes of the tree that was copied.
    fn applied(&self, difference: Difference) -> PathBuf {
        let made = self.from.with_file_name("made");
        share(&self.from, &made).unwrap();
        apply(&difference.record.unwrap(), &made).unwrap();
        made
    }

    fn is_shared(&self, path: &str) -> bool {
        let inode = |tree: &Path| fs::metadata(tree.join(path)).unwrap().ino();
        inode(&self.from) == inode(&self.to)
    }
}

fn small(root: &Path) {
    for name in ["a", "b"] {
        fs::create_dir(root.join(name)).unwrap();
        fs::write(root.join(name).join("file"), name).unwrap();
    }
    fs::write(root.join("empty"), "").unwrap();
    symlink("a/file", root.join("link")).unwrap();
}

/// What is done to a tree, by its name.
type Change<'a> = (&'a str, &'a dyn Fn(&Path));

#[test]
fn one_of_a_thousand_files_that_changed_is_written_down_alone() {
    let trees = Trees::new(|root| {
        fs::create_dir(root.join("deep")).unwrap();
        for number in 0..1_000 {
            fs::write(root.join(format!("deep/{number}")), number.to_string()).unwrap();
        }
    });
    fs::write(trees.to.join("deep/500"), "other").unwrap();
    // The file, its directory and the root.
    assert_eq!(trees.counts(), Some((3, 999)));
    assert!(trees.is_shared("deep/1") && !trees.is_shared("deep/500"));
    let content = |tree: &Path| fs::read_to_string(tree.join("deep/500")).unwrap();
    assert_eq!(content(&trees.to), "other");
    assert_eq!(content(&trees.from), "500", "nothing was changed there");
    assert_eq!(fs::read_dir(trees.to.join("deep")).unwrap().count(), 1_000);
}

#[test]
fn every_change_is_seen_kept_and_written_down() {
    let file = |path: &Path| File::options().write(true).open(path).unwrap();
    let changes: [Change; 12] = [
        ("content of the same length and time", &|root| {
            let path = root.join("a/file");
            let time = fs::metadata(&path).unwrap().modified().unwrap();
            fs::write(&path, "x").unwrap();
            file(&path).set_modified(time).unwrap();
        }),
        ("length", &|root| {
            fs::write(root.join("a/file"), "longer").unwrap()
        }),
        ("time of a file", &|root| {
            file(&root.join("a/file"))
                .set_modified(SystemTime::UNIX_EPOCH)
                .unwrap();
        }),
        ("time of a directory", &|root| {
            let directory = File::open(root.join("a")).unwrap();
            directory.set_modified(SystemTime::UNIX_EPOCH).unwrap();
        }),
        ("a file more", &|root| {
            fs::write(root.join("new"), "").unwrap()
        }),
        ("a file less", &|root| {
            fs::remove_file(root.join("empty")).unwrap()
        }),
        ("a directory more", &|root| {
            fs::create_dir_all(root.join("new/er")).unwrap()
        }),
        ("a directory less", &|root| {
            fs::remove_dir_all(root.join("a")).unwrap()
        }),
        ("a link elsewhere", &|root| {
            fs::remove_file(root.join("link")).unwrap();
            symlink("b/file", root.join("link")).unwrap();
        }),
        ("a file in place of a directory", &|root| {
            fs::remove_dir_all(root.join("a")).unwrap();
            fs::write(root.join("a"), "").unwrap();
        }),
        ("a directory in place of a link", &|root| {
            fs::remove_file(root.join("link")).unwrap();
            fs::create_dir(root.join("link")).unwrap();
            fs::write(root.join("link/file"), "a").unwrap();
        }),
        ("directories that changed places", &|root| {
            fs::rename(root.join("a"), root.join("aside")).unwrap();
            fs::rename(root.join("b"), root.join("a")).unwrap();
            fs::rename(root.join("aside"), root.join("b")).unwrap();
        }),
    ];
    for (what, change) in changes {
        let trees = Trees::new(small);
        change(&trees.to);
        let (changed, before) = (content(&trees.to), content(&trees.from));
        assert_ne!(changed, before, "{what}");
        let difference = trees.difference();
        assert_eq!(content(&trees.to), changed, "{what}");
        assert_eq!(content(&trees.from), before, "{what}");
        let made = trees.applied(difference.expect(what));
        assert_eq!(content(&made), changed, "{what}: what the record makes");
        assert_eq!(content(&trees.from), before, "{what}: shared files stay");
    }
}

/// Everything below `root`: path, what it is and holds, time.
fn content(root: &Path) -> Vec<(PathBuf, String, Option<SystemTime>)> {
    let mut found = Vec::new();
    let mut pending = vec![root.to_owned()];
    while let Some(directory) = pending.pop() {
        for entry in fs::read_dir(&directory).unwrap() {
            let path = entry.unwrap().path();
            let metadata = fs::symlink_metadata(&path).unwrap();
            let time = Some(metadata.modified().unwrap());
            let name = path.strip_prefix(root).unwrap().to_owned();
            found.push(if metadata.is_symlink() {
                (name, format!("{:?}", fs::read_link(&path).unwrap()), None)
            } else if metadata.is_dir() {
                pending.push(path);
                (name, "directory".to_owned(), time)
            } else {
                (name, fs::read_to_string(&path).unwrap(), time)
            });
        }
    }
    found.sort();
    found
}

#[test]
fn what_was_not_changed_is_no_difference() {
    let trees = Trees::new(small);
    assert_eq!(trees.difference(), None);
    let trees = Trees::new(small);
    fs::write(trees.to.join("passing"), "").unwrap();
    fs::remove_file(trees.to.join("passing")).unwrap();
    assert_eq!(trees.difference(), None);
}

#[test]
fn a_change_in_the_last_of_many_blocks_is_seen() {
    let long = vec![7; 3 * BLOCK + 5];
    let trees = Trees::new(|root| fs::write(root.join("long"), &long).unwrap());
    let path = trees.to.join("long");
    let time = fs::metadata(&path).unwrap().modified().unwrap();
    let mut changed = long.clone();
    changed[3 * BLOCK + 4] = 8;
    fs::write(&path, &changed).unwrap();
    let file = File::options().write(true).open(&path).unwrap();
    file.set_modified(time).unwrap();
    assert!(trees.difference().is_some());
    assert_eq!(fs::read(&path).unwrap(), changed);
    assert_eq!(fs::read(trees.from.join("long")).unwrap(), long);
}

#[test]
fn a_name_that_is_taken_costs_room_and_nothing_else() {
    let trees = Trees::new(|root| {
        small(root);
        fs::write(root.join(".periapt-link"), "the guest's").unwrap();
    });
    fs::write(trees.to.join("a/file"), "other").unwrap();
    assert!(trees.difference().is_some());
    assert!(!trees.is_shared("empty") && trees.is_shared("b/file"));
    let taken = fs::read_to_string(trees.to.join(".periapt-link")).unwrap();
    assert_eq!(taken, "the guest's");
}

#[test]
fn times_of_directories_are_as_they_were_left() {
    let trees = Trees::new(small);
    let old = SystemTime::UNIX_EPOCH + Duration::from_nanos(1_000_000_007);
    File::open(trees.to.join("b"))
        .unwrap()
        .set_modified(old)
        .unwrap();
    trees.difference().unwrap();
    assert!(trees.is_shared("b/file"));
    let time = fs::metadata(trees.to.join("b"))
        .unwrap()
        .modified()
        .unwrap();
    assert_eq!(time, old);
}

#[test]
fn names_and_depth_beyond_any_path_are_compared_like_others() {
    let name = "n".repeat(250);
    let trees = Trees::new(|root| nest(root, &name, 60, 10));
    fs::write(trees.to.join("file"), "").unwrap();
    let difference = trees.difference().unwrap();
    assert_eq!((difference.recorded, difference.linked), (62, 1));
    let made = trees.applied(difference);
    assert_eq!(levels(&made, &name), 60);
    crate::remove(&made).unwrap();
    crate::remove(&trees.to).unwrap();
    crate::remove(&trees.from).unwrap();
}

#[test]
fn of_more_than_was_asked_for_there_is_no_record() {
    let trees = Trees::new(small);
    fs::write(trees.to.join("large"), vec![1; MOST]).unwrap();
    let difference = trees.difference().unwrap();
    assert_eq!(difference.record, None);
    assert_eq!(difference.linked, 3, "files are shared all the same");
    fs::write(trees.to.join("large"), vec![1; MOST - 1024]).unwrap();
    assert!(trees.difference().unwrap().record.is_some());
}

#[test]
fn what_is_no_record_is_refused() {
    let trees = Trees::new(small);
    for wrong in [&b""[..], b"?", b"U", b"X\x02\0\0\0..", b"F\x03\0\0\0a/b"] {
        assert!(apply(wrong, &trees.to).is_err(), "{wrong:?}");
    }
    let mut whole = Vec::new();
    crate::pack(&trees.from, &mut whole).unwrap();
    for end in 0..whole.len() {
        assert!(apply(&whole[..end], &trees.to).is_err(), "{end}");
    }
    apply(&whole, &trees.to).unwrap();
    assert_eq!(content(&trees.to), content(&trees.from));
}

//! Everything works with few descriptors, and says so when there is none. The limit is that of the
//! process, so this is a program of its own with one test.

#![allow(clippy::unwrap_used, reason = "these are tests")]

#[path = "../src/testing.rs"]
mod testing;

use std::fs::{self, File};

use periapt_files::{
    Limits, Over, copy, counterparts, cut, difference, measure, out_of_descriptors, remove, sync,
};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use testing::{nest, place};

#[test]
fn deep_trees_need_few_descriptors_and_a_full_table_loses_nothing() {
    let home = place();
    let before = getrlimit(Resource::Nofile);
    setrlimit(
        Resource::Nofile,
        Rlimit {
            current: Some(64),
            maximum: before.maximum,
        },
    )
    .unwrap();
    let (from, to) = (home.path().join("from"), home.path().join("to"));
    fs::create_dir(&from).unwrap();
    nest(&from, "d", 20_000, 0);
    let any = Limits {
        bytes: u64::MAX,
        levels: u64::MAX,
    };
    copy(&from, &to).unwrap();
    sync(&to).unwrap();
    assert_eq!(measure(&to, any).unwrap(), measure(&from, any).unwrap());
    assert_eq!(difference(&from, &to, 1 << 20).unwrap(), None);
    assert!(
        counterparts(&from, &to, [u64::MAX].into())
            .unwrap()
            .is_empty()
    );
    assert!(cut(&to, 10_000).unwrap());
    let over = measure(
        &to,
        Limits {
            levels: 9_999,
            ..any
        },
    );
    assert!(matches!(over, Err(Over::Levels)), "{over:?}");

    let mut held = Vec::new();
    while let Ok(file) = File::open("/dev/null") {
        held.push(file);
    }
    let full = remove(&to).unwrap_err();
    assert!(out_of_descriptors(&full), "{full}");
    let unreadable = measure(&to, any);
    assert!(
        matches!(&unreadable, Err(Over::Unreadable(error)) if out_of_descriptors(error)),
        "{unreadable:?}"
    );
    // Three are enough for the whole tree.
    held.truncate(held.len() - 3);
    remove(&to).unwrap();
    remove(&from).unwrap();
    assert!(!to.exists() && !from.exists());
}

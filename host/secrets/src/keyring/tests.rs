use std::os::unix::fs::PermissionsExt;

use super::*;

const ABOUT: &[&str] = &["model"];

fn keys() -> (tempfile::TempDir, Keyring) {
    let directory = tempfile::tempdir().unwrap();
    let keys = Keyring::open(directory.path(), "authority", 1).unwrap();
    (directory, keys)
}

fn again(directory: &tempfile::TempDir) -> Keyring {
    Keyring::open(directory.path(), "another", 2).unwrap()
}

#[test]
fn processes_of_a_controller_begin_with_the_same_key_and_keep_it() {
    let (directory, keys) = keys();
    let (other, same) = self::keys();
    assert_eq!(keys.current().0, same.current().0);
    assert_eq!(again(&directory).current(), keys.current());
    let path = directory.path().join(KEY_FILE);
    let mode = std::fs::metadata(path).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let names: Vec<_> = std::fs::read_dir(other.path()).unwrap().collect();
    assert_eq!(names.len(), 1);
}

/// A crash is a process that begins anew between two steps.
#[test]
fn whatever_is_sealed_opens_wherever_a_replacement_is_cut_short() {
    let (directory, keys) = keys();
    let (before, sealed) = keys.seal(ABOUT, b"model's key").unwrap();
    let next = keys.add(5).unwrap();
    let keys = again(&directory);
    assert_eq!(keys.current().0, before);
    assert_eq!(
        keys.open_under(&before, ABOUT, &sealed).unwrap(),
        b"model's key"
    );
    let resealed = keys.seal_under(&next, ABOUT, b"model's key").unwrap();
    let keys = again(&directory);
    assert_eq!(
        keys.open_under(&next, ABOUT, &resealed).unwrap(),
        b"model's key"
    );
    keys.settle(&next).unwrap();
    let keys = again(&directory);
    assert_eq!(keys.current(), (next.clone(), 5));
    assert_eq!(
        keys.open_under(&next, ABOUT, &resealed).unwrap(),
        b"model's key"
    );
    let gone = keys.open_under(&before, ABOUT, &sealed);
    assert!(matches!(gone, Err(KeyError::Missing { .. })), "{gone:?}");
    let text = std::fs::read_to_string(directory.path().join(KEY_FILE)).unwrap();
    assert!(!text.contains(&before));
}

#[test]
fn another_process_takes_a_key_over_by_the_one_that_it_has() {
    let (first, second) = (keys(), keys());
    let next = first.1.add(7).unwrap();
    let (under, sealed) = first.1.handed_on(&next).unwrap();
    first.1.settle(&next).unwrap();
    assert!(!second.1.has(&next));
    assert_eq!(second.1.take_over(&under, &sealed, 7).unwrap(), next);
    second.1.settle(&next).unwrap();
    assert_eq!(again(&second.0).current(), (next, 7));
}

#[test]
fn a_file_that_was_cut_short_is_refused_and_left_as_it_is() {
    let (directory, _) = keys();
    let path = directory.path().join(KEY_FILE);
    let whole = std::fs::read_to_string(&path).unwrap();
    for text in [
        String::new(),
        whole[..whole.len() / 2].to_owned(),
        "{}".to_owned(),
    ] {
        std::fs::write(&path, &text).unwrap();
        let refused = Keyring::open(directory.path(), "authority", 3);
        assert!(matches!(refused, Err(KeyError::Damaged { .. })), "{text}");
        assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
    }
}

#[test]
fn a_union_has_the_keys_of_both() {
    let (directory, keys) = keys();
    let read = || std::fs::read_to_string(directory.path().join(KEY_FILE)).unwrap();
    let earlier = read();
    let (before, _) = keys.current();
    let next = keys.add(9).unwrap();
    keys.settle(&next).unwrap();
    let both = union(&earlier, &read()).unwrap();
    put(&directory.path().join(KEY_FILE), &both).unwrap();
    let keys = again(&directory);
    assert!(keys.has(&before) && keys.has(&next));
    assert_eq!(keys.current().0, next);
}

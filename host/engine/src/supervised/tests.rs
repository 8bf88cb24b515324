use rustix::process::getpid;

use super::*;

#[test]
fn a_lock_names_its_process_and_has_one_holder() {
    let home = tempfile::tempdir().unwrap();
    assert_eq!(holder(home.path()).unwrap(), Holder::Nobody);
    let lock = Lock::take(home.path()).unwrap().unwrap();
    assert_eq!(holder(home.path()).unwrap(), Holder::Process(getpid()));
    assert!(Lock::take(home.path()).unwrap().is_none());
    drop(lock);
    assert_eq!(holder(home.path()).unwrap(), Holder::Nobody);
    assert!(Lock::take(home.path()).unwrap().is_some());
}

#[test]
fn an_end_for_good_stays_until_it_is_taken_back() {
    let home = tempfile::tempdir().unwrap();
    assert_eq!(ended(home.path()).unwrap(), None);
    unmark(home.path()).unwrap();
    mark_ended(home.path(), "SIGABRT").unwrap();
    assert_eq!(ended(home.path()).unwrap().as_deref(), Some("SIGABRT"));
    unmark(home.path()).unwrap();
    assert_eq!(ended(home.path()).unwrap(), None);
    let missing = home.path().join("missing");
    let refused = mark_ended(&missing, "SIGABRT").unwrap_err().to_string();
    assert!(refused.contains("cannot write"), "{refused}");
}

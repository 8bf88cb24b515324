use std::sync::Arc;

use super::{Fatal, Kind, ResultExt, WorkerError, importance, worst_error};

#[derive(Debug, thiserror::Error)]
#[error("cannot read the life of the unit")]
struct Wrapped(#[source] WorkerError);

#[derive(Debug, thiserror::Error)]
#[error("plain")]
struct Plain;

fn upgrade() -> WorkerError {
    Fatal::UpgradeReady {
        to: Arc::from("1.2.3"),
    }
    .into()
}

#[test]
fn the_kind_is_found_through_any_number_of_causes() {
    let error = WorkerError::other(Wrapped(WorkerError::Bounce.during("outer"))).during("more");
    assert_eq!(error.kind(), Kind::Bounce);
    assert_eq!(error.code(), "bounce");
    assert_eq!(error.to_string(), "more: cannot read the life of the unit");
    let missing = WorkerError::other(Wrapped(WorkerError::missing("agent")));
    assert_eq!(missing.missing_input().map(AsRef::as_ref), Some("agent"));
}

#[test]
fn an_error_without_a_wish_is_an_ordinary_one() {
    let error: Result<(), _> = Err(Plain).while_doing("claiming the lease");
    let error = error.unwrap_err();
    assert_eq!(error.kind(), Kind::Other);
    assert_eq!(error.to_string(), "claiming the lease: plain");
    assert!(error.find::<Plain>().is_some());
    assert!(error.find::<std::io::Error>().is_none());
    assert_eq!(WorkerError::text("only text").to_string(), "only text");
}

#[test]
fn a_worker_error_keeps_its_kind_when_it_is_wrapped_as_any_other() {
    let result: Result<(), WorkerError> = Err(WorkerError::Uninstall);
    let error = result.while_doing("looking around").unwrap_err();
    assert_eq!(error.kind(), Kind::Uninstall);
    let fatal = Err::<(), _>(WorkerError::fatal("broken"))
        .worker_error()
        .unwrap_err();
    assert_eq!(fatal.kind(), Kind::Fatal(Fatal::Explicit("broken".into())));
    assert_eq!(fatal.to_string(), "broken");
}

#[test]
fn importance_is_nothing_ordinary_upgrade_reboot_terminate() {
    assert_eq!(importance(None), 0);
    assert_eq!(importance(Some(&WorkerError::text("x"))), 1);
    assert_eq!(importance(Some(&Fatal::RestartAgent.into())), 1);
    assert_eq!(importance(Some(&WorkerError::fatal("x"))), 1);
    assert_eq!(importance(Some(&upgrade())), 2);
    assert_eq!(importance(Some(&Fatal::RebootMachine.into())), 3);
    assert_eq!(importance(Some(&Fatal::ShutdownMachine.into())), 3);
    let wrapped = WorkerError::from(Fatal::TerminateAgent).during("leaving");
    assert_eq!(importance(Some(&wrapped)), 4);
}

#[test]
fn the_worse_error_wins_and_among_equals_the_earlier() {
    let worst = worst_error(upgrade(), None);
    let worst = worst_error(WorkerError::text("ordinary"), Some(worst));
    assert_eq!(worst.code(), "upgrade-ready");
    let worst = worst_error(Fatal::ShutdownMachine.into(), Some(worst));
    let worst = worst_error(Fatal::RebootMachine.into(), Some(worst));
    assert_eq!(worst.code(), "shutdown-machine");
}

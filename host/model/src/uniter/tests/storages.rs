//! The hooks of storage among all the others.

use super::*;
use crate::storage::{Kind as StorageKind, RemoteAttachment, StorageId};

fn id(text: &str) -> StorageId {
    text.parse().unwrap()
}

fn attachment(id: &str) -> RemoteAttachment {
    RemoteAttachment {
        life: Life::Alive,
        ready: true,
        kind: StorageKind::Filesystem,
        location: format!("/storage/{id}"),
        read_only: false,
        directory: id.replace('/', "-"),
    }
}

fn with(ids: &[&str]) -> RemoteState {
    let storage = ids.iter().map(|text| (id(text), attachment(text)));
    RemoteState {
        storage: storage.collect(),
        ..remote()
    }
}

fn told(ids: &[&str]) -> LocalState {
    let mut local = settled();
    local.operation.storage = ids.iter().map(|text| id(text)).collect();
    local
}

fn name(decision: &Decision) -> String {
    match decision {
        Decision::Run(operation) => operation.to_string(),
        other => format!("{other:?}"),
    }
}

#[test]
fn all_initial_storage_is_attached_before_install() {
    let mut local = LocalState::recorded(None);
    let (names, decision) = drive(&mut local, &with(&["data/0", "data/10", "data/2"]));
    assert_eq!(
        names,
        [
            "install local:site-0",
            "run data-storage-attached hook",
            "run data-storage-attached hook",
            "run data-storage-attached hook",
            "run install hook",
            "run leader-settings-changed hook",
            "run config-changed hook",
            "run start hook"
        ]
    );
    assert_eq!(decision, Decision::NoOperation);
    assert_eq!(local.operation.storage.len(), 3);
}

#[test]
fn install_waits_for_storage_that_is_not_ready_and_nothing_later_does() {
    let mut remote = with(&["data/0", "logs/1"]);
    remote.storage.get_mut(&id("data/0")).unwrap().ready = false;
    let mut local = LocalState::recorded(None);
    let (names, decision) = drive(&mut local, &remote);
    assert_eq!(
        names,
        ["install local:site-0", "run logs-storage-attached hook"]
    );
    assert_eq!(decision, Decision::Waiting);
    assert_eq!(resolve(&told(&["logs/1"]), &remote), Decision::NoOperation);
}

#[test]
fn a_dying_unit_lets_go_of_its_storage_before_it_stops() {
    let mut remote = with(&["data/0"]);
    remote.life = Life::Dying;
    let mut local = told(&["data/0"]);
    assert_eq!(
        name(&resolve(&local, &remote)),
        "run data-storage-detaching hook"
    );
    remote.storage.clear();
    local.operation.storage.clear();
    assert_eq!(resolve(&local, &remote), hook(Kind::Stop));
}

#[test]
fn what_was_never_attached_is_let_go_of_without_a_hook() {
    let mut remote = with(&["data/0"]);
    remote.storage.get_mut(&id("data/0")).unwrap().life = Life::Dying;
    assert_eq!(
        name(&resolve(&told(&[]), &remote)),
        "skip data-storage-detaching hook"
    );
    assert_eq!(
        name(&resolve(&told(&["data/0"]), &remote)),
        "run data-storage-detaching hook"
    );
    let mut leaving = with(&["data/0"]);
    leaving.life = Life::Dying;
    let fresh = LocalState::recorded(None);
    assert_eq!(
        name(&resolve(&fresh, &leaving)),
        "skip data-storage-detaching hook"
    );
}

#[test]
fn storage_that_was_taken_away_is_forgotten_and_its_failed_hook_is_moot() {
    let mut local = told(&["data/0"]);
    assert_eq!(
        name(&resolve(&local, &remote())),
        "skip data-storage-detaching hook"
    );
    let (names, _) = drive(&mut local, &remote());
    assert_eq!(names, ["skip data-storage-detaching hook"]);
    assert!(local.operation.storage.is_empty());
    let mut failed = failed(Kind::StorageAttached);
    let event = attachment("data/0").event(&id("data/0"));
    failed.operation.hook = Some(Info::storage(Kind::StorageAttached, event));
    assert_eq!(
        name(&resolve(&failed, &remote())),
        "skip data-storage-attached hook"
    );
    assert_eq!(resolve(&failed, &with(&["data/0"])), Decision::NoOperation);
}

//! Hooks of secrets among all others: after what a leader says and before what people ask for, while
//! nothing else is under way.

use super::*;
use crate::hook::SecretEvent;
use crate::secret::{DueSecret, SecretId};
use crate::task::{Beside, DueTask, TaskStatus};

fn due(id: u8, leaders: bool) -> DueSecret {
    let event = SecretEvent {
        id: SecretId::of_random([id; 12]),
        label: String::new(),
        revision: 2,
    };
    DueSecret { event, leaders }
}

fn run(kind: Kind, due: &DueSecret) -> Decision {
    Decision::Run(Operation::RunHook {
        hook: Info::secret(kind, due.event.clone()),
    })
}

fn changed(due: &DueSecret) -> RemoteState {
    RemoteState {
        secrets: DueSecrets {
            changed: vec![due.clone()],
            ..DueSecrets::default()
        },
        ..remote()
    }
}

#[test]
fn one_hook_after_the_other_is_run_for_what_is_due() {
    let mut remote = RemoteState {
        secrets: DueSecrets {
            expired: vec![due(1, false)],
            rotate: vec![due(2, false)],
            changed: vec![due(3, false), due(4, false)],
            remove: vec![due(5, false)],
            next: Some(1),
        },
        ..remote()
    };
    for (kind, number) in [
        (Kind::SecretExpired, 1),
        (Kind::SecretRotate, 2),
        (Kind::SecretChanged, 3),
        (Kind::SecretChanged, 4),
        (Kind::SecretRemove, 5),
    ] {
        let one = due(number, false);
        assert_eq!(resolve(&settled(), &remote), run(kind, &one));
        let secrets = &mut remote.secrets;
        for list in [
            &mut secrets.expired,
            &mut secrets.rotate,
            &mut secrets.changed,
            &mut secrets.remove,
        ] {
            list.retain(|other| *other != one);
        }
    }
    assert_eq!(resolve(&settled(), &remote), Decision::NoOperation);
}

#[test]
fn a_secrets_hook_comes_after_leader_settings_changed_and_before_a_task_and_config_changed() {
    let one = due(1, false);
    let mut remote = changed(&one);
    remote.config_hash = "two".to_owned();
    remote.leader_settings_version = 1;
    let task = DueTask {
        id: 7,
        dispatch: "actions/rebuild".to_owned(),
        status: TaskStatus::Pending,
        beside: Beside::Nothing,
    };
    remote.task = Some(task.clone());
    let mut local = settled();
    assert_eq!(resolve(&local, &remote), hook(Kind::LeaderSettingsChanged));
    local.operation.leader_settings_version = Some(1);
    assert_eq!(resolve(&local, &remote), run(Kind::SecretChanged, &one));
    remote.secrets = DueSecrets::default();
    let asked = Decision::Run(Operation::RunTask { task });
    assert_eq!(resolve(&local, &remote), asked);
    remote.task = None;
    assert_eq!(resolve(&local, &remote), hook(Kind::ConfigChanged));
}

#[test]
fn while_a_hook_has_failed_or_is_queued_no_secrets_hook_is_run() {
    let remote = changed(&due(1, false));
    assert_eq!(
        resolve(&failed(Kind::ConfigChanged), &remote),
        Decision::NoOperation
    );
    let queued = recorded(Kind::ConfigChanged, OperationStep::Queued);
    assert_eq!(resolve(&queued, &remote), hook(Kind::ConfigChanged));
}

/// It is tried again as every other, also when nothing is due of its secret any more.
#[test]
fn a_secrets_hook_that_failed_is_retried_before_another_one() {
    let (one, other) = (due(1, false), due(2, false));
    let mut local = settled();
    local.operation.kind = OperationKind::RunHook;
    local.operation.step = OperationStep::Pending;
    local.operation.hook = Some(Info::secret(Kind::SecretRotate, one.event.clone()));
    let mut remote = changed(&other);
    assert_eq!(resolve(&local, &remote), Decision::NoOperation);
    remote.retry_hook_version = 1;
    assert_eq!(resolve(&local, &remote), run(Kind::SecretRotate, &one));
    remote.resolved = Resolved::NoHooks;
    let Decision::Run(Operation::SkipHook { hook, .. }) = resolve(&local, &remote) else {
        panic!("not skipped")
    };
    assert_eq!(hook, Info::secret(Kind::SecretRotate, one.event));
}

#[test]
fn a_unit_that_leaves_or_has_not_come_runs_no_secrets_hook() {
    let mut remote = changed(&due(1, false));
    assert!(deploys(
        &resolve(&LocalState::recorded(None), &remote),
        "local:site-0",
        true
    ));
    let mut shut_down = settled();
    shut_down.shutdown = true;
    let (secret, none) = (remote.clone(), self::remote());
    assert_eq!(resolve(&shut_down, &secret), resolve(&shut_down, &none));
    remote.life = Life::Dying;
    assert_eq!(resolve(&settled(), &remote), hook(Kind::Stop));
}

#[test]
fn hooks_of_the_applications_secrets_are_its_leaders() {
    let (own, applications) = (due(1, false), due(2, true));
    let mut remote = RemoteState {
        secrets: DueSecrets {
            rotate: vec![applications.clone()],
            remove: vec![own.clone()],
            ..DueSecrets::default()
        },
        ..remote()
    };
    assert_eq!(
        resolve(&settled(), &remote),
        run(Kind::SecretRemove, &own),
        "one that comes later in the order, and is its own"
    );
    remote.secrets.remove.clear();
    assert_eq!(resolve(&settled(), &remote), Decision::NoOperation);
    let mut leads = settled();
    leads.operation.leader = true;
    remote.leader = true;
    assert_eq!(
        resolve(&leads, &remote),
        run(Kind::SecretRotate, &applications)
    );
}

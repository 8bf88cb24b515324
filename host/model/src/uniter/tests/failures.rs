//! Hooks and upgrades that failed, and what a person answers.

use super::*;
use crate::task::{Beside, DueTask, TaskStatus};

#[test]
fn a_failed_hook_waits_for_its_timer() {
    let mut local = failed(Kind::ConfigChanged);
    let changed = RemoteState {
        config_hash: "two".to_owned(),
        update_status_version: 3,
        ..remote()
    };
    assert_eq!(resolve(&local, &changed), Decision::NoOperation);
    let tick = RemoteState {
        retry_hook_version: 1,
        ..changed
    };
    let Decision::Run(operation) = resolve(&local, &tick) else {
        panic!("no retry")
    };
    assert_eq!(Decision::Run(operation.clone()), hook(Kind::ConfigChanged));
    local.begin(&operation, &tick);
    assert_eq!(
        resolve(&local, &tick),
        Decision::NoOperation,
        "one tick is one retry"
    );
}

#[test]
fn resolved_retries_or_skips_and_is_used_up() {
    let local = failed(Kind::Start);
    let retry = RemoteState {
        resolved: Resolved::RetryHooks,
        ..remote()
    };
    let Decision::Run(operation) = resolve(&local, &retry) else {
        panic!("nothing to run")
    };
    assert!(operation.takes_answer());
    let no_hooks = RemoteState {
        resolved: Resolved::NoHooks,
        ..remote()
    };
    assert_eq!(resolve(&local, &no_hooks), skip(Kind::Start));
}

#[test]
fn a_skipped_hook_does_its_bookkeeping() {
    let mut local = failed(Kind::ConfigChanged);
    local.operation.started = false;
    local.operation.config_hash = None;
    let no_hooks = RemoteState {
        resolved: Resolved::NoHooks,
        ..remote()
    };
    let Decision::Run(operation) = resolve(&local, &no_hooks) else {
        panic!("nothing to run")
    };
    assert_eq!(operation.prepare(&local.operation).unwrap(), None);
    let state = operation.commit(&local.operation).unwrap();
    assert_eq!(state.config_hash.as_deref(), Some("one"));
    assert_eq!(state.hook, Some(Info::new(Kind::Start)));
}

#[test]
fn leadership_is_taken_and_given_up_around_a_failed_hook() {
    let mut local = failed(Kind::UpdateStatus);
    let leader = RemoteState {
        leader: true,
        ..remote()
    };
    assert_eq!(
        resolve(&local, &leader),
        Decision::NoOperation,
        "not while a hook is pending"
    );
    local.operation.leader = true;
    assert_eq!(
        resolve(&local, &remote()),
        Decision::Run(Operation::ResignLeadership)
    );
    let state = Operation::ResignLeadership
        .commit(&local.operation)
        .unwrap();
    assert_eq!(state.failed_hook(), Some(&Info::new(Kind::UpdateStatus)));
}

#[test]
fn a_forced_refresh_in_error_goes_back_to_the_failed_hook() {
    let mut local = failed(Kind::Install);
    local.operation.installed = false;
    let wanted = RemoteState {
        charm_url: "local:site-1".to_owned(),
        ..remote()
    };
    assert_eq!(
        resolve(&local, &wanted),
        Decision::NoOperation,
        "a refresh without force waits"
    );
    let forced = RemoteState {
        force_charm_upgrade: true,
        ..wanted
    };
    let Decision::Run(operation) = resolve(&local, &forced) else {
        panic!("no upgrade")
    };
    let prepared = operation.prepare(&local.operation).unwrap().unwrap();
    assert_eq!(
        (prepared.kind, prepared.step),
        (OperationKind::Upgrade, OperationStep::Pending)
    );
    let state = operation.commit(&prepared).unwrap();
    assert_eq!(state.failed_hook(), Some(&Info::new(Kind::Install)));
    assert_eq!(state.charm_url.as_deref(), Some("local:site-1"));
    local.committed(&operation, state);
    assert_eq!(resolve(&local, &forced), Decision::Restart);
    local.restart = false;
    assert_eq!(
        resolve(&local, &forced),
        Decision::NoOperation,
        "the new charm is in place"
    );
}

#[test]
fn a_conflicted_upgrade_waits_for_a_person_or_a_forced_charm() {
    let mut local = settled();
    local.operation.kind = OperationKind::Upgrade;
    local.operation.charm_url = Some("local:site-1".to_owned());
    let wanted = RemoteState {
        charm_url: "local:site-1".to_owned(),
        ..remote()
    };
    assert!(
        deploys(&resolve(&local, &wanted), "local:site-1", false),
        "a crash in between goes on"
    );
    local.conflicted = true;
    assert_eq!(resolve(&local, &wanted), Decision::Waiting);
    let resolved = RemoteState {
        resolved: Resolved::RetryHooks,
        ..wanted.clone()
    };
    let Decision::Run(operation) = resolve(&local, &resolved) else {
        panic!("no upgrade")
    };
    assert!(operation.takes_answer());
    let forced = RemoteState {
        charm_url: "local:site-2".to_owned(),
        force_charm_upgrade: true,
        ..wanted
    };
    assert!(deploys(&resolve(&local, &forced), "local:site-2", false));
}

#[test]
fn an_answer_that_came_in_between_keeps_a_hook_from_beginning() {
    use Resolved::{NoHooks, None, RetryHooks};
    assert!(!NoHooks.lets_begin(None));
    assert!(!NoHooks.lets_begin(RetryHooks));
    for (found, seen) in [
        (None, None),
        (RetryHooks, None),
        (None, NoHooks),
        (NoHooks, NoHooks),
    ] {
        assert!(found.lets_begin(seen), "{found:?} after {seen:?}");
    }
}

#[test]
fn going_on_without_a_hook_comes_before_a_forced_charm() {
    let both = RemoteState {
        resolved: Resolved::NoHooks,
        force_charm_upgrade: true,
        charm_url: "local:site-1".to_owned(),
        ..remote()
    };
    assert_eq!(resolve(&failed(Kind::Start), &both), skip(Kind::Start));
}

#[test]
fn a_task_comes_before_a_failed_hook_and_after_one_that_is_queued() {
    let mut remote = remote();
    let due = |status| DueTask {
        id: 7,
        dispatch: "actions/rebuild".to_owned(),
        status,
        beside: Beside::Nothing,
    };
    remote.task = Some(due(TaskStatus::Pending));
    let run = Decision::Run(Operation::RunTask {
        task: due(TaskStatus::Pending),
    });
    assert_eq!(resolve(&settled(), &remote), run);
    assert_eq!(resolve(&failed(Kind::ConfigChanged), &remote), run);
    remote.retry_hook_version = 1;
    assert_eq!(resolve(&failed(Kind::ConfigChanged), &remote), run);
    let queued = recorded(Kind::ConfigChanged, OperationStep::Queued);
    assert_eq!(resolve(&queued, &remote), hook(Kind::ConfigChanged));
    let mut stopped = settled();
    stopped.operation.stopped = true;
    assert_ne!(resolve(&stopped, &remote), run);
    let mut shut_down = settled();
    shut_down.shutdown = true;
    assert_ne!(resolve(&shut_down, &remote), run);
    assert_ne!(resolve(&LocalState::recorded(None), &remote), run);
    // What is said to run nobody runs who decides.
    for status in [TaskStatus::Running, TaskStatus::Aborting] {
        remote.task = Some(due(status));
        let end = Operation::EndTask { task: due(status) };
        assert_eq!(resolve(&queued, &remote), Decision::Run(end.clone()));
        assert_eq!(end.commit(&queued.operation), Ok(queued.operation.clone()));
    }
}

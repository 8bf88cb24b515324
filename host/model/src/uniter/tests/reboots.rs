//! Reboots of the machine: nothing begins before, `start` runs once afterwards.

use super::*;

/// The unit's agent, as it starts after so many reboots of its machine.
fn after(reboots: u64) -> RemoteState {
    RemoteState {
        reboots,
        ..remote()
    }
}

fn restarted(local: &LocalState, remote: &RemoteState) -> LocalState {
    let mut local = LocalState::recorded(Some(local.operation.clone()));
    local.hears(remote);
    local
}

#[test]
fn after_a_reboot_start_runs_exactly_once() {
    let mut local = restarted(&settled(), &after(1));
    let (names, decision) = drive(&mut local, &after(1));
    assert_eq!(names, ["run start hook"]);
    assert_eq!(decision, Decision::NoOperation);
    assert_eq!(local.operation.reboots, 1);
    let mut again = restarted(&local, &after(1));
    assert_eq!(drive(&mut again, &after(1)).0, Vec::<String>::new());
    // Two reboots of which the unit hears together are one.
    let mut later = restarted(&local, &after(3));
    assert_eq!(drive(&mut later, &after(3)).0, ["run start hook"]);
}

#[test]
fn it_comes_before_what_else_is_due() {
    let world = RemoteState {
        config_hash: "two".to_owned(),
        leader_settings_version: 5,
        ..after(1)
    };
    let mut local = restarted(&settled(), &world);
    let (names, _) = drive(&mut local, &world);
    assert_eq!(
        names,
        [
            "run start hook",
            "run leader-settings-changed hook",
            "run config-changed hook"
        ]
    );
}

#[test]
fn nothing_begins_while_the_machine_is_to_reboot_nor_after_it_has_in_the_engine_of_before() {
    let mut local = restarted(&settled(), &remote());
    let wanted = RemoteState {
        reboot_wanted: true,
        config_hash: "two".to_owned(),
        update_status_version: 1,
        ..remote()
    };
    assert_eq!(resolve(&local, &wanted), Decision::Waiting);
    let carried_out = RemoteState {
        reboot_wanted: false,
        reboots: 1,
        ..wanted
    };
    assert_eq!(resolve(&local, &carried_out), Decision::Waiting);
    local = restarted(&local, &carried_out);
    assert_eq!(resolve(&local, &carried_out), hook(Kind::Start));
    let dead = RemoteState {
        life: Life::Dead,
        reboot_wanted: true,
        ..remote()
    };
    assert_eq!(resolve(&local, &dead), Decision::Dead);
}

#[test]
fn a_hook_that_asked_for_it_at_once_is_run_again_without_an_error_and_then_start() {
    let mut local = failed(Kind::ConfigChanged);
    local.operation.config_hash = Some("zero".to_owned());
    local.operation = Operation::hook_interrupted(&local.operation);
    let mut local = restarted(&local, &after(1));
    let (names, decision) = drive(&mut local, &after(1));
    assert_eq!(names, ["run config-changed hook", "run start hook"]);
    assert_eq!(decision, Decision::NoOperation);
}

#[test]
fn a_start_that_asked_for_it_at_once_is_the_start_after_it() {
    let mut local = recorded(Kind::Start, OperationStep::Queued);
    local.hears(&after(1));
    let (names, _) = drive(&mut local, &after(1));
    assert_eq!(names, ["run start hook"]);
}

/// Each is run again, until it has asked as often as a hook may; what ends it lets it begin to count anew.
#[test]
fn a_hook_asks_at_once_so_often_until_it_is_done_skipped_or_of_another_charm() {
    let mut state = failed(Kind::ConfigChanged).operation;
    for asked in 1..=REBOOTS_NOW {
        state = Operation::hook_reboots(&state).expect("it may");
        assert_eq!(
            (state.reboots_now, state.step),
            (asked, OperationStep::Queued)
        );
        let Decision::Run(again) = resolve(&LocalState::recorded(Some(state.clone())), &remote())
        else {
            panic!("it is run again")
        };
        state = again.prepare(&state).unwrap().unwrap();
        assert_eq!(
            state.failed_hook().map(|hook| hook.kind),
            Some(Kind::ConfigChanged)
        );
    }
    assert_eq!(Operation::hook_reboots(&state), None);
    let mut local = LocalState::recorded(Some(state.clone()));
    assert_eq!(
        resolve(&local, &remote()),
        Decision::NoOperation,
        "it failed"
    );
    let answered = |resolved| RemoteState {
        resolved,
        ..remote()
    };
    let (names, _) = drive(&mut local, &answered(Resolved::RetryHooks));
    assert_eq!(names, ["run config-changed hook"]);
    assert_eq!(local.operation.reboots_now, 0);
    let mut local = LocalState::recorded(Some(state.clone()));
    let Decision::Run(skip) = resolve(&local, &answered(Resolved::NoHooks)) else {
        panic!("nothing is skipped")
    };
    local.operation = skip.commit(&local.operation).unwrap();
    assert_eq!(local.operation.reboots_now, 0);
    let mut local = LocalState::recorded(Some(state.clone()));
    let forced = RemoteState {
        charm_url: "local:site-1".to_owned(),
        charm_modified_version: 1,
        force_charm_upgrade: true,
        ..remote()
    };
    let Decision::Run(deploy) = resolve(&local, &forced) else {
        panic!("the charm is not replaced")
    };
    let placing = deploy.prepare(&local.operation).unwrap().unwrap();
    local.operation = deploy.commit(&placing).unwrap();
    assert_eq!(local.operation.failed_hook(), state.failed_hook());
    assert_eq!(local.operation.reboots_now, 0);
    let other = Operation::RunHook {
        hook: Info::new(Kind::Stop),
    };
    assert_eq!(other.prepare(&state).unwrap().unwrap().reboots_now, 0);
}

#[test]
fn a_unit_that_was_never_started_or_is_stopped_runs_none_for_it() {
    let mut fresh = LocalState::recorded(None);
    fresh.hears(&after(4));
    let (names, _) = drive(&mut fresh, &after(4));
    let starts = names.iter().filter(|name| *name == "run start hook");
    assert_eq!(starts.count(), 1, "{names:?}");
    assert_eq!(fresh.operation.reboots, 4);
    let dying = RemoteState {
        life: Life::Dying,
        ..after(1)
    };
    let mut leaving = restarted(&settled(), &dying);
    let (names, _) = drive(&mut leaving, &dying);
    assert_eq!(names, ["run stop hook", "run remove hook"]);
}

#[test]
fn a_failed_hook_waits_for_its_answer_first_and_a_skipped_start_counts() {
    let local = restarted(&failed(Kind::UpdateStatus), &after(1));
    assert_eq!(resolve(&local, &after(1)), Decision::NoOperation);
    let mut local = restarted(&failed(Kind::Start), &after(1));
    let skips = RemoteState {
        resolved: Resolved::NoHooks,
        ..after(1)
    };
    let Decision::Run(skip) = resolve(&local, &skips) else {
        panic!("nothing is skipped")
    };
    local.operation = skip.commit(&local.operation).unwrap();
    assert_eq!(local.operation.reboots, 1);
    assert_eq!(resolve(&local, &after(1)), Decision::NoOperation);
}

/// The agent dies at each step of the `start` that follows a reboot.
#[test]
fn a_crash_during_the_start_after_a_reboot_recovers_as_one_of_any_hook() {
    let before = restarted(&settled(), &after(1));
    let Decision::Run(start) = resolve(&before, &after(1)) else {
        panic!("no start")
    };
    let prepared = start.prepare(&before.operation).unwrap().unwrap();
    let seen = Executed {
        reboots: 1,
        ..Executed::default()
    };
    let done = start.hook_done(&prepared, &seen);
    let found =
        |state: &OperationState| resolve(&LocalState::recorded(Some(state.clone())), &after(1));
    assert_eq!(found(&before.operation), hook(Kind::Start));
    assert_eq!(found(&prepared), Decision::NoOperation, "the error state");
    assert_eq!(
        found(&Operation::hook_interrupted(&prepared)),
        hook(Kind::Start)
    );
    let Decision::Run(commit_only) = found(&done) else {
        panic!("commit is due")
    };
    let finished = commit_only.commit(&done).unwrap();
    assert_eq!(finished.reboots, 1);
    assert_eq!(found(&finished), Decision::NoOperation);
}

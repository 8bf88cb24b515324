//! The order of answers, the bookkeeping of each operation, and recovery from a crash at each
//! step.

mod cause;
mod failures;
mod reboots;
mod relations;
mod secrets;
mod storages;
mod walk;

use super::*;
use crate::hook::{Info, Kind};
use crate::status::Status;
use crate::turns::WaitsFor;

fn remote() -> RemoteState {
    RemoteState {
        leader_settings_version: 0,
        relations: Default::default(),
        life: Life::Alive,
        resolved: Resolved::None,
        charm_url: "local:site-0".to_owned(),
        charm_modified_version: 0,
        force_charm_upgrade: false,
        config_hash: "one".to_owned(),
        leader: false,
        retry_hook_version: 0,
        update_status_version: 0,
        task: None,
        secrets: DueSecrets::default(),
        reboots: 0,
        reboot_wanted: false,
        storage: Default::default(),
        causes: Default::default(),
    }
}

/// A unit that has gone through its first hooks with the remote state above.
fn settled() -> LocalState {
    LocalState::recorded(Some(OperationState {
        started: true,
        installed: true,
        charm_url: Some("local:site-0".to_owned()),
        config_hash: Some("one".to_owned()),
        leader_settings_version: Some(0),
        ..OperationState::default()
    }))
}

fn recorded(kind: Kind, step: OperationStep) -> LocalState {
    let mut local = settled();
    local.operation.kind = OperationKind::RunHook;
    local.operation.step = step;
    local.operation.hook = Some(Info::new(kind));
    local
}

fn failed(kind: Kind) -> LocalState {
    recorded(kind, OperationStep::Pending)
}

fn hook(kind: Kind) -> Decision {
    Decision::Run(Operation::RunHook {
        hook: Info::new(kind),
    })
}

fn skip(kind: Kind) -> Decision {
    Decision::Run(Operation::SkipHook {
        hook: Info::new(kind),
        config_hash: "one".to_owned(),
        leader_settings_version: 0,
        reboots: 0,
    })
}

fn deploys(decision: &Decision, url: &str, is_install: bool) -> bool {
    matches!(decision, Decision::Run(Operation::Deploy { deploy, .. })
        if deploy.charm_url == url && deploy.install == is_install)
}

/// Runs operations that all succeed until there is none, and names them.
fn drive(local: &mut LocalState, remote: &RemoteState) -> (Vec<String>, Decision) {
    let mut names = Vec::new();
    loop {
        let operation = match resolve(local, remote) {
            Decision::Run(operation) => operation,
            Decision::Restart => {
                local.restart = false;
                continue;
            }
            decision => return (names, decision),
        };
        names.push(operation.to_string());
        assert!(names.len() < 50, "does not come to rest: {names:?}");
        local.begin(&operation, remote);
        let mut state = local.operation.clone();
        if let Some(prepared) = operation.prepare(&state).unwrap() {
            state = prepared;
        }
        if matches!(operation, Operation::RunHook { .. }) {
            let executed = Executed {
                config_hash: remote.config_hash.clone(),
                leader_settings_version: remote.leader_settings_version,
                reboots: remote.reboots,
                ..Executed::default()
            };
            state = operation.hook_done(&state, &executed);
        }
        let state = operation.commit(&state).unwrap();
        state.validate().unwrap();
        local.committed(&operation, state);
    }
}

#[test]
fn a_new_unit_goes_through_its_hooks_in_order() {
    let mut local = LocalState::recorded(None);
    let (names, decision) = drive(&mut local, &remote());
    assert_eq!(
        names,
        [
            "install local:site-0",
            "run install hook",
            "run leader-settings-changed hook",
            "run config-changed hook",
            "run start hook"
        ]
    );
    assert_eq!(decision, Decision::NoOperation);
    assert!(local.operation.started && local.operation.charm_directory_available());
}

#[test]
fn a_leader_runs_leader_elected_between_install_and_config_changed() {
    let mut local = LocalState::recorded(None);
    let (names, _) = drive(
        &mut local,
        &RemoteState {
            leader: true,
            ..remote()
        },
    );
    assert_eq!(
        names,
        [
            "install local:site-0",
            "run install hook",
            "accept leadership",
            "run leader-elected hook",
            "run config-changed hook",
            "run start hook",
        ]
    );
    assert!(local.operation.leader);
}

#[test]
fn a_refresh_runs_upgrade_charm_then_config_changed_and_restarts_the_loop() {
    let mut local = settled();
    let refreshed = RemoteState {
        charm_url: "local:site-1".to_owned(),
        charm_modified_version: 1,
        ..remote()
    };
    assert!(deploys(&resolve(&local, &refreshed), "local:site-1", false));
    let (names, _) = drive(&mut local, &refreshed);
    assert_eq!(
        names,
        [
            "upgrade to local:site-1",
            "run upgrade-charm hook",
            "run config-changed hook"
        ]
    );
    assert_eq!(local.operation.charm_modified_version, 1);
    // The same charm with another counter is a change too.
    let again = RemoteState {
        charm_modified_version: 2,
        ..refreshed
    };
    assert!(deploys(&resolve(&local, &again), "local:site-1", false));
}

#[test]
fn a_dying_unit_stops_removes_and_is_dead() {
    let mut local = settled();
    local.operation.leader = true;
    let dying = RemoteState {
        life: Life::Dying,
        leader: true,
        ..remote()
    };
    let (names, decision) = drive(&mut local, &dying);
    assert_eq!(
        names,
        ["resign leadership", "run stop hook", "run remove hook"]
    );
    assert_eq!(decision, Decision::Dead);
    assert!(!local.operation.charm_directory_available());
}

#[test]
fn a_dying_unit_skips_what_it_has_not_begun() {
    let dying = RemoteState {
        life: Life::Dying,
        ..remote()
    };
    assert_eq!(resolve(&LocalState::recorded(None), &dying), Decision::Dead);
    let mut queued = recorded(Kind::Install, OperationStep::Queued);
    queued.operation.installed = false;
    queued.operation.started = false;
    assert_eq!(resolve(&queued, &dying), Decision::Dead);
    let dead = RemoteState {
        life: Life::Dead,
        ..remote()
    };
    assert_eq!(resolve(&failed(Kind::Start), &dead), Decision::Dead);
}

#[test]
fn update_status_runs_only_when_nothing_else_is_to_do() {
    let tick = RemoteState {
        update_status_version: 1,
        ..remote()
    };
    let mut local = settled();
    assert_eq!(resolve(&local, &tick), hook(Kind::UpdateStatus));
    let both = RemoteState {
        config_hash: "two".to_owned(),
        ..tick.clone()
    };
    assert_eq!(resolve(&local, &both), hook(Kind::ConfigChanged));
    assert_eq!(drive(&mut local, &tick).0, ["run update-status hook"]);
    assert_eq!(resolve(&local, &tick), Decision::NoOperation);
}

#[test]
fn a_container_that_goes_away_stops_the_charm_and_starts_it_again_later() {
    let mut local = settled();
    local.shutdown = true;
    let (names, decision) = drive(&mut local, &remote());
    assert_eq!(
        (names, decision),
        (vec!["run stop hook".to_owned()], Decision::Terminate)
    );
    local.shutdown = false;
    let (names, decision) = drive(&mut local, &remote());
    assert_eq!(
        (names, decision),
        (vec!["run start hook".to_owned()], Decision::NoOperation)
    );
    // A hook that is pending does not run while everything goes away.
    let mut pending = failed(Kind::ConfigChanged);
    pending.shutdown = true;
    assert_eq!(resolve(&pending, &remote()), hook(Kind::Stop));
}

#[test]
fn twenty_config_changes_during_one_hook_give_one_config_changed() {
    let mut local = settled();
    let mut world = remote();
    world.config_hash = "first".to_owned();
    let Decision::Run(operation) = resolve(&local, &world) else {
        panic!("no hook")
    };
    local.begin(&operation, &world);
    let prepared = operation.prepare(&local.operation).unwrap().unwrap();
    for change in 0..20 {
        world.config_hash = format!("change-{change}");
    }
    let seen = Executed {
        config_hash: "first".to_owned(),
        ..Executed::default()
    };
    let state = operation
        .commit(&operation.hook_done(&prepared, &seen))
        .unwrap();
    local.committed(&operation, state);
    let (names, _) = drive(&mut local, &world);
    assert_eq!(names, ["run config-changed hook"]);
    assert_eq!(local.operation.config_hash.as_deref(), Some("change-19"));
}

/// The table of crash points: what is found, and what follows.
#[test]
fn a_crash_at_each_point_recovers_as_told() {
    let world = RemoteState {
        config_hash: "two".to_owned(),
        ..remote()
    };
    let before = settled();
    let Decision::Run(operation) = resolve(&before, &world) else {
        panic!("no hook")
    };
    let prepared = operation.prepare(&before.operation).unwrap().unwrap();
    let seen = Executed {
        config_hash: "two".to_owned(),
        leader_settings_version: 0,
        reboots: 0,
        state_generation: 4,
        status_set: true,
    };
    let done = operation.hook_done(&prepared, &seen);
    let finished = operation.commit(&done).unwrap();
    let found =
        |state: &OperationState| resolve(&LocalState::recorded(Some(state.clone())), &world);

    assert_eq!(
        found(&before.operation),
        hook(Kind::ConfigChanged),
        "before prepare: the same decision"
    );
    assert_eq!(
        found(&prepared),
        Decision::NoOperation,
        "during execute: the error state"
    );
    assert_eq!(
        found(&Operation::hook_interrupted(&prepared)),
        hook(Kind::ConfigChanged),
        "broken off: run again"
    );
    let Decision::Run(commit_only) = found(&done) else {
        panic!("commit is due")
    };
    assert!(
        matches!(commit_only, Operation::SkipHook { .. }),
        "after execute: commit only"
    );
    assert_eq!(
        commit_only.commit(&done).unwrap(),
        finished,
        "and with the same result"
    );
    assert_eq!((finished.state_generation, finished.status_set), (4, true));
    assert_eq!(found(&finished), Decision::NoOperation);

    let mut alive = LocalState::recorded(Some(prepared));
    alive.hook_was_interrupted = true;
    assert_eq!(
        resolve(&alive, &world),
        hook(Kind::ConfigChanged),
        "an agent that lived on knows better"
    );
}

#[test]
fn a_crash_while_a_charm_is_put_in_place_goes_on_with_it() {
    let fresh = LocalState::recorded(None);
    let Decision::Run(install) = resolve(&fresh, &remote()) else {
        panic!("no install")
    };
    let pending = install.prepare(&fresh.operation).unwrap().unwrap();
    assert!(deploys(
        &resolve(&LocalState::recorded(Some(pending)), &remote()),
        "local:site-0",
        true
    ));
    let wanted = RemoteState {
        charm_url: "local:site-1".to_owned(),
        ..remote()
    };
    let Decision::Run(upgrade) = resolve(&settled(), &wanted) else {
        panic!("no upgrade")
    };
    let pending = upgrade.prepare(&settled().operation).unwrap().unwrap();
    let newer = RemoteState {
        charm_url: "local:site-2".to_owned(),
        ..wanted
    };
    assert!(deploys(
        &resolve(&LocalState::recorded(Some(pending)), &newer),
        "local:site-1",
        false
    ));
}

#[test]
fn steps_out_of_order_are_refused() {
    let operation = Operation::RunHook {
        hook: Info::new(Kind::Start),
    };
    let error = operation.commit(&settled().operation).unwrap_err();
    assert_eq!(error.code(), "operation-out-of-order");
    assert!(
        Operation::AcceptLeadership
            .commit(&failed(Kind::Start).operation)
            .is_err()
    );
    assert!(operation.prepare(&OperationState::initial()).is_err());
    let damaged = OperationState {
        kind: OperationKind::RunHook,
        ..OperationState::default()
    };
    assert_eq!(damaged.validate().unwrap_err().code(), "operation-invalid");
    // Even a damaged record has an answer.
    assert_ne!(
        resolve(&LocalState::recorded(Some(damaged)), &remote()),
        Decision::Dead
    );
}

#[test]
fn statuses_are_set_around_hooks() {
    use crate::status::{Agent, Workload};
    let state = settled().operation;
    let text = |hook| workload_before(hook, &state).map(|status| status.message);
    assert_eq!(
        text(Kind::Install).as_deref(),
        Some("installing charm software")
    );
    assert_eq!(text(Kind::ConfigChanged), None);
    let set = OperationState {
        status_set: true,
        ..state.clone()
    };
    assert_eq!(workload_before(Kind::Install, &set), None);
    assert_eq!(workload_after(Kind::Start, &set), None);
    assert_eq!(
        workload_after(Kind::Start, &state).unwrap().status,
        Workload::Unknown
    );
    assert_eq!(
        workload_after(Kind::Remove, &set).unwrap().status,
        Workload::Terminated
    );
    let executing = |kind, now: &Status<Agent>| {
        agent_executing(&Info::new(kind), Some(now)).map(|status| status.message)
    };
    assert_eq!(executing(Kind::UpdateStatus, &agent_idle()), None);
    assert_eq!(
        executing(Kind::Start, &agent_idle()).unwrap(),
        "running start hook"
    );
    let failure = Failure {
        reason: Some("no disk".to_owned()),
        refused: None,
        next_retry: Some(7),
        waits_for: Some(WaitsFor::Place { running: 4 }),
    };
    let failed = agent_hook_failed(&Info::new(Kind::Install), &failure);
    assert_eq!(
        executing(Kind::UpdateStatus, &failed).unwrap(),
        "running update-status hook",
        "nobody answers an error while the hook runs again"
    );
    assert_eq!(failed.data["reason"], "no disk");
    assert_eq!(failed.data["next-retry"], "1970-01-01T00:00:00.000007Z");
    assert_eq!(
        failed.data["waiting-for"],
        "waiting for a turn: 4 hooks are running"
    );
    let reason = |kind| Failure::in_status(&failed, &Info::new(kind)).reason;
    assert_eq!(reason(Kind::Install).as_deref(), Some("no disk"));
    assert_eq!(reason(Kind::Start), None);
    assert_eq!(
        (failed.status, failed.message.as_str()),
        (Agent::Error, "hook failed: \"install\"")
    );
    assert_eq!(failed.data["hook"], "install");
    let refused = Failure {
        refused: Some("tools/secret is not granted to vault".to_owned()),
        ..failure
    };
    let failed = agent_hook_failed(&Info::new(Kind::Install), &refused);
    assert_eq!(
        failed.message,
        "hook failed: \"install\"; tools/secret is not granted to vault"
    );
    let told = Failure::in_status(&failed, &Info::new(Kind::Install));
    assert_eq!(told.refused, refused.refused);
}

#[test]
fn a_state_written_by_an_older_agent_is_read() {
    let state: OperationState =
        serde_json::from_str(r#"{"kind":"run-hook","step":"done","hook":{"kind":"start"}}"#)
            .unwrap();
    assert_eq!(state.hook, Some(Info::new(Kind::Start)));
    assert_eq!(state.charm_modified_version, 0);
}

#[test]
fn a_unit_that_leads_no_more_skips_leader_elected() {
    for step in [OperationStep::Queued, OperationStep::Pending] {
        for interrupted in [false, true] {
            let mut local = recorded(Kind::LeaderElected, step);
            local.operation.leader = true;
            local.hook_was_interrupted = interrupted;
            let (names, decision) = drive(&mut local, &remote());
            assert_eq!(names, ["resign leadership", "skip leader-elected hook"]);
            assert_eq!(decision, Decision::NoOperation);
        }
    }
}

#[test]
fn a_unit_that_leads_again_is_told_once() {
    let mut local = recorded(Kind::LeaderElected, OperationStep::Pending);
    let leads = RemoteState {
        leader: true,
        ..remote()
    };
    let (names, _) = drive(&mut local, &leads);
    assert_eq!(
        names,
        [
            "skip leader-elected hook",
            "accept leadership",
            "run leader-elected hook"
        ]
    );
}

//! The cause of what is chosen is the cause of what it was chosen from.

use proptest::prelude::*;

use super::relations::world;
use super::*;
use crate::cause::{Cause, Timer};
use crate::hook::SecretEvent;
use crate::secret::{DueSecret, SecretId};
use crate::task::{Beside, DueTask, TaskStatus};

const MADE: Cause = Cause::Deed(1);
const CHARM: Cause = Cause::Deed(2);
const CONFIG: Cause = Cause::Deed(3);
const ANSWER: Cause = Cause::Deed(4);
const TOLD: Cause = Cause::Run(5);
const RELATED: Cause = Cause::Deed(6);
const SETTINGS: Cause = Cause::Run(7);

/// The same with a cause for everything.
fn with_causes(mut remote: RemoteState) -> RemoteState {
    let relations = remote.relations.iter().map(|(id, theirs)| {
        let causes = RelationCauses {
            relation: RELATED,
            members: theirs
                .members
                .keys()
                .map(|unit| (unit.clone(), SETTINGS))
                .collect(),
            applications: theirs
                .applications
                .keys()
                .map(|name| (name.clone(), SETTINGS))
                .collect(),
        };
        (*id, causes)
    });
    remote.causes = Causes {
        unit: MADE,
        resolved: ANSWER,
        charm: CHARM,
        config: CONFIG,
        leader_settings: TOLD,
        relations: relations.collect(),
        ..Causes::default()
    };
    remote
}

fn next(local: &LocalState, remote: &RemoteState) -> (Operation, Cause) {
    let Decision::Run(operation) = resolve(local, remote) else {
        panic!("nothing is to be done");
    };
    let cause = cause(local, remote, &operation);
    (operation, cause)
}

#[test]
fn a_change_of_a_person_is_the_cause_of_the_hook_that_tells_of_it() {
    let configured = with_causes(RemoteState {
        config_hash: "two".to_owned(),
        ..remote()
    });
    assert_eq!(next(&settled(), &configured).1, CONFIG);
    let refreshed = with_causes(RemoteState {
        charm_url: "local:site-1".to_owned(),
        ..remote()
    });
    assert_eq!(next(&settled(), &refreshed).1, CHARM);
    let dying = with_causes(RemoteState {
        life: Life::Dying,
        ..remote()
    });
    assert_eq!(next(&settled(), &dying).1, MADE);
}

#[test]
fn a_timer_and_a_reboot_are_causes_of_their_own() {
    let tick = with_causes(RemoteState {
        update_status_version: 1,
        ..remote()
    });
    assert_eq!(next(&settled(), &tick).1, Cause::Timer(Timer::UpdateStatus));
    let rebooted = with_causes(RemoteState {
        reboots: 1,
        ..remote()
    });
    let mut local = settled();
    local.boot = Some(1);
    assert_eq!(next(&local, &rebooted).1, Cause::Reboot);
    let event = SecretEvent {
        id: SecretId::of_random([7; 12]),
        label: String::new(),
        revision: 2,
    };
    let due = DueSecret {
        event,
        leaders: false,
    };
    let mut rotates = with_causes(remote());
    rotates.secrets.rotate.push(due.clone());
    assert_eq!(
        next(&settled(), &rotates).1,
        Cause::Timer(Timer::SecretRotate)
    );
    let mut changed = with_causes(remote());
    changed
        .causes
        .secrets
        .insert(due.event.id.clone(), Cause::Run(90));
    changed.secrets.changed.push(due);
    assert_eq!(next(&settled(), &changed).1, Cause::Run(90));
}

#[test]
fn a_task_is_the_cause_of_its_own_run() {
    let task = DueTask {
        id: 12,
        dispatch: "actions/backup".to_owned(),
        status: TaskStatus::Pending,
        beside: Beside::default(),
    };
    let asked = with_causes(RemoteState {
        task: Some(task),
        ..remote()
    });
    assert_eq!(next(&settled(), &asked).1, Cause::Task(12));
}

#[test]
fn a_failed_hook_is_tried_again_because_of_an_answer_or_of_the_timer() {
    let mut local = failed(Kind::ConfigChanged);
    local.operation.because = CONFIG;
    let answered = with_causes(RemoteState {
        resolved: Resolved::RetryHooks,
        ..remote()
    });
    assert_eq!(next(&local, &answered).1, ANSWER);
    let tick = with_causes(RemoteState {
        retry_hook_version: 1,
        ..remote()
    });
    assert_eq!(next(&local, &tick).1, Cause::Timer(Timer::Retry));
    // One that was broken off goes on for the reason that it had.
    local.hook_was_interrupted = true;
    assert_eq!(next(&local, &with_causes(remote())).1, CONFIG);
}

#[test]
fn what_was_there_before_the_unit_is_told_because_the_unit_came() {
    let mut local = settled();
    let (relation, theirs) = world().relations.pop_first().unwrap();
    let mut remote = remote();
    remote.relations.insert(relation, theirs);
    let mut remote = with_causes(remote);
    let (created, cause) = next(&local, &remote);
    assert_eq!(cause, RELATED);
    remote.causes.unit = Cause::Deed(80);
    assert_eq!(next(&local, &remote).1, Cause::Deed(80));
    let state = absent_done(&created, &local, &remote).unwrap();
    local.operation = created.commit(&state).unwrap();
    assert!(local.operation.because.is_unknown(), "nothing is queued");
}

#[test]
fn a_queued_hook_follows_from_the_run_before_it_or_from_its_cause() {
    let refreshed = with_causes(RemoteState {
        charm_url: "local:site-1".to_owned(),
        ..remote()
    });
    let mut local = recorded(Kind::UpgradeCharm, OperationStep::Queued);
    local.operation.charm_url = Some("local:site-1".to_owned());
    let (upgrade, cause) = next(&local, &refreshed);
    assert_eq!(cause, CHARM);
    // A charm without the hook: nothing ran between the refresh and what follows.
    let passed = absent_done(&upgrade, &local, &refreshed).unwrap();
    local.operation = upgrade.commit(&passed).unwrap();
    assert_eq!(next(&local, &refreshed), (run(Kind::ConfigChanged), CHARM));
    // One that has it.
    let ran = OperationState {
        because: Cause::Before,
        ..passed
    };
    local.operation = upgrade.commit(&ran).unwrap();
    assert_eq!(
        next(&local, &refreshed),
        (run(Kind::ConfigChanged), Cause::Before)
    );
}

fn run(kind: Kind) -> Operation {
    Operation::RunHook {
        hook: Info::new(kind),
    }
}

proptest! {
    #[test]
    fn every_operation_on_the_way_of_a_unit_has_a_cause(
        ran in any::<u64>(),
        leader in any::<bool>(),
        later in 0_usize..6,
    ) {
        let mut remote = with_causes(world());
        remote.leader = leader;
        let mut local = LocalState::recorded(None);
        local.unit = Some("site/0".parse().unwrap());
        let mut steps = 0;
        loop {
            match resolve(&local, &remote) {
                Decision::Run(operation) => {
                    let why = cause(&local, &remote, &operation);
                    prop_assert!(!why.is_unknown(), "{operation} has no cause");
                    local.begin(&operation, &remote);
                    prop_assert_eq!(&local.because, &why);
                    let mut state = local.operation.clone();
                    if matches!(operation, Operation::RunHook { .. }) {
                        state = absent_done(&operation, &local, &remote).unwrap();
                        if ran & (1 << (steps % 64)) != 0 {
                            state.because = Cause::Before;
                        }
                    } else if let Some(prepared) = operation.prepare(&state).unwrap() {
                        state = prepared;
                    }
                    let next = operation.commit(&state).unwrap();
                    local.committed(&operation, next);
                    steps += 1;
                }
                Decision::Restart => local.restart = false,
                _ if steps > 200 => break,
                _ => {
                    // Something more happens to the unit that is at rest, and in the end it goes.
                    steps = 200 + 1;
                    match later {
                        0 => remote.config_hash = "another".to_owned(),
                        1 => remote.charm_url = "local:site-9".to_owned(),
                        2 => remote.update_status_version += 1,
                        3 => remote.relations.clear(),
                        4 => remote.life = Life::Dying,
                        _ => remote.leader = !remote.leader,
                    }
                }
            }
        }
    }
}

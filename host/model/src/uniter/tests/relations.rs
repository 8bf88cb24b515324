//! Where the hooks of relations and of the leader's settings stand among the others.

use super::*;
use crate::relation::{HookKind, RelationHook};

fn related(endpoint: &str, application: &str) -> RemoteRelation {
    RemoteRelation {
        endpoint: endpoint.to_owned(),
        remote_application: application.parse().unwrap(),
        life: Life::Alive,
        suspended: false,
        peer: application == "site",
        members: BTreeMap::new(),
        applications: BTreeMap::new(),
    }
}

/// `site` with peers (one other unit) and with a database (two units).
pub(super) fn world() -> RemoteState {
    let mut peers = related("cluster", "site");
    peers.members.insert("site/1".parse().unwrap(), 1);
    let mut database = related("db", "postgres");
    database.members.insert("postgres/0".parse().unwrap(), 3);
    database.members.insert("postgres/1".parse().unwrap(), 1);
    RemoteState {
        relations: BTreeMap::from([(0, peers), (4, database)]),
        ..remote()
    }
}

fn fresh() -> LocalState {
    LocalState {
        unit: Some("site/0".parse().unwrap()),
        ..LocalState::recorded(None)
    }
}

fn operation(decision: Decision) -> Operation {
    match decision {
        Decision::Run(operation) => operation,
        decision => panic!("nothing to run: {decision:?}"),
    }
}

/// Begins the operation that is due and lets it fail.
fn fail(local: &mut LocalState, remote: &RemoteState) -> String {
    let operation = operation(resolve(local, remote));
    local.begin(&operation, remote);
    local.operation = operation.prepare(&local.operation).unwrap().unwrap();
    operation.to_string()
}

#[test]
fn a_new_unit_enters_its_relations_before_it_is_told_of_anything_else() {
    let mut local = fresh();
    let (names, decision) = drive(&mut local, &world());
    assert_eq!(
        names,
        [
            "install local:site-0",
            "run install hook",
            "run cluster-relation-created hook",
            "run db-relation-created hook",
            "run leader-settings-changed hook",
            "run config-changed hook",
            "run start hook",
            "run cluster-relation-joined hook",
            "run cluster-relation-changed hook",
            "run db-relation-joined hook",
            "run db-relation-changed hook",
            "run db-relation-joined hook",
            "run db-relation-changed hook",
        ]
    );
    assert_eq!(decision, Decision::NoOperation);
    let database = &local.operation.relations[&4];
    assert_eq!(database.endpoint, "db");
    assert_eq!(database.members, world().relations[&4].members);
    // A leader is elected where the others are told of its settings.
    let leader = RemoteState {
        leader: true,
        ..world()
    };
    let (names, _) = drive(&mut fresh(), &leader);
    assert_eq!(
        names[3..7],
        [
            "run db-relation-created hook",
            "accept leadership",
            "run leader-elected hook",
            "run config-changed hook",
        ]
    );
}

#[test]
fn a_minion_is_told_once_of_each_change_of_the_leaders_settings() {
    let mut local = settled();
    assert_eq!(resolve(&local, &remote()), Decision::NoOperation);
    let told = RemoteState {
        leader_settings_version: 2,
        ..remote()
    };
    assert_eq!(
        drive(&mut local, &told).0,
        ["run leader-settings-changed hook"]
    );
    assert_eq!(local.operation.leader_settings_version, Some(2));
    let leads = RemoteState {
        leader: true,
        leader_settings_version: 3,
        ..remote()
    };
    assert_eq!(
        drive(&mut local, &leads).0,
        ["accept leadership", "run leader-elected hook"]
    );
    let skipped = failed(Kind::LeaderSettingsChanged);
    let no_hooks = RemoteState {
        resolved: Resolved::NoHooks,
        ..told
    };
    let state = operation(resolve(&skipped, &no_hooks))
        .commit(&skipped.operation)
        .unwrap();
    assert_eq!(state.leader_settings_version, Some(2));
}

#[test]
fn a_dying_unit_leaves_its_relations_before_it_stops() {
    let mut local = fresh();
    drive(&mut local, &world());
    let dying = RemoteState {
        life: Life::Dying,
        ..world()
    };
    let Operation::RunHook { hook, .. } = operation(resolve(&local, &dying)) else {
        panic!("no hook")
    };
    let departing = hook.relation.unwrap().departing.unwrap();
    assert_eq!(
        departing.as_str(),
        "site/0",
        "who leaves is the unit itself"
    );
    let (names, decision) = drive(&mut local, &dying);
    assert_eq!(
        names,
        [
            "run cluster-relation-departed hook",
            "run db-relation-departed hook",
            "run db-relation-departed hook",
            "run db-relation-broken hook",
            "run stop hook",
            "run remove hook",
        ]
    );
    assert_eq!(decision, Decision::Dead);
    // One that never started leaves as well, and has nothing to stop.
    let mut early = fresh();
    for _ in 0..4 {
        let next = operation(resolve(&early, &world()));
        let state = next.prepare(&early.operation).unwrap().unwrap();
        let state = match &next {
            Operation::Deploy { .. } => state,
            _ => next.hook_done(&state, &Executed::default()),
        };
        early.operation = next.commit(&state).unwrap();
    }
    assert_eq!(
        drive(&mut early, &dying).0,
        ["run db-relation-broken hook", "run remove hook"]
    );
}

#[test]
fn a_suspended_relation_is_left_and_entered_again() {
    let mut local = fresh();
    let mut world = world();
    drive(&mut local, &world);
    world.relations.get_mut(&4).unwrap().suspended = true;
    let Operation::RunHook { hook, .. } = operation(resolve(&local, &world)) else {
        panic!("no hook")
    };
    let departing = hook.relation.unwrap().departing.unwrap();
    assert_eq!(departing.as_str(), "postgres/0");
    assert_eq!(
        drive(&mut local, &world).0.last().map(String::as_str),
        Some("run db-relation-broken hook")
    );
    assert_eq!(resolve(&local, &world), Decision::NoOperation);
    world.relations.get_mut(&4).unwrap().suspended = false;
    assert_eq!(
        drive(&mut local, &world).0[..2],
        [
            "run db-relation-created hook",
            "run db-relation-joined hook"
        ]
    );
}

#[test]
fn who_comes_and_goes_during_an_error_is_not_heard_of() {
    let mut local = fresh();
    let mut world = world();
    drive(&mut local, &world);
    world.config_hash = "two".to_owned();
    assert_eq!(fail(&mut local, &world), "run config-changed hook");
    let guest: crate::UnitName = "postgres/2".parse().unwrap();
    let members = |world: &mut RemoteState| world.relations.remove(&4).unwrap();
    let mut database = members(&mut world);
    database.members.insert(guest.clone(), 1);
    world.relations.insert(4, database.clone());
    assert_eq!(resolve(&local, &world), Decision::NoOperation);
    database.members.remove(&guest);
    world.relations.insert(4, database);
    world.resolved = Resolved::RetryHooks;
    let Decision::Run(retry) = resolve(&local, &world) else {
        panic!("no retry")
    };
    world.resolved = Resolved::None;
    let state = retry.prepare(&local.operation).unwrap().unwrap();
    let seen = Executed {
        config_hash: "two".to_owned(),
        ..Executed::default()
    };
    local.operation = retry.commit(&retry.hook_done(&state, &seen)).unwrap();
    assert_eq!(resolve(&local, &world), Decision::NoOperation);
}

#[test]
fn a_failed_joined_whose_unit_is_gone_is_followed_by_its_changed_and_departed() {
    let mut local = fresh();
    let mut world = world();
    drive(&mut local, &world);
    let guest: crate::UnitName = "postgres/2".parse().unwrap();
    let database = world.relations.get_mut(&4).unwrap();
    database.members.insert(guest.clone(), 1);
    assert_eq!(fail(&mut local, &world), "run db-relation-joined hook");
    world.relations.get_mut(&4).unwrap().members.remove(&guest);
    for answer in [Resolved::RetryHooks, Resolved::NoHooks] {
        let mut local = local.clone();
        world.resolved = answer;
        let first = operation(resolve(&local, &world));
        world.resolved = Resolved::None;
        let state = match first.prepare(&local.operation).unwrap() {
            Some(state) => first.hook_done(&state, &Executed::default()),
            None => local.operation.clone(),
        };
        local.operation = first.commit(&state).unwrap();
        assert_eq!(
            drive(&mut local, &world).0,
            [
                "run db-relation-changed hook",
                "run db-relation-departed hook"
            ],
            "{answer:?}"
        );
    }
}

#[test]
fn a_relation_removed_by_force_is_ended_and_what_failed_in_it_is_moot() {
    let mut local = fresh();
    let mut world = world();
    drive(&mut local, &world);
    let database = world.relations.get_mut(&4).unwrap();
    database.members.insert("postgres/2".parse().unwrap(), 1);
    fail(&mut local, &world);
    world.relations.remove(&4);
    let (names, decision) = drive(&mut local, &world);
    assert_eq!(
        names,
        [
            "skip db-relation-joined hook",
            "run db-relation-changed hook",
            "run db-relation-departed hook",
            "run db-relation-departed hook",
            "run db-relation-departed hook",
            "run db-relation-broken hook",
        ]
    );
    assert_eq!(decision, Decision::NoOperation);
    assert!(!local.operation.relations.contains_key(&4));
}

#[test]
fn a_failed_hook_of_a_relation_says_which_and_whose() {
    let hook = Info::relation(crate::hook::RelationEvent {
        endpoint: "db".to_owned(),
        remote_application: "postgres".parse().unwrap(),
        hook: RelationHook {
            kind: HookKind::Joined,
            relation: 4,
            unit: Some("postgres/0".parse().unwrap()),
            application: None,
            version: 1,
        },
        departing: None,
    });
    let status = agent_hook_failed(&hook, &Failure::default());
    assert_eq!(status.message, "hook failed: \"db-relation-joined\"");
    assert_eq!(status.data["hook"], "db-relation-joined");
    assert_eq!(status.data["relation-id"], 4);
    assert_eq!(status.data["remote-unit"], "postgres/0");
    assert_eq!(
        agent_executing(&hook, None).unwrap().message,
        "running db-relation-joined hook"
    );
    // What the record rules out is a fault of the program.
    let wrong = Operation::RunHook { hook: hook.clone() };
    let state = OperationState {
        step: OperationStep::Done,
        hook: Some(hook),
        ..recorded(Kind::Start, OperationStep::Done).operation
    };
    assert_eq!(
        wrong.commit(&state).unwrap_err().code(),
        "operation-contradiction"
    );
}

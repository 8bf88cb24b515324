//! Hooks that a charm does not have, passed in one go.

use proptest::prelude::*;

use super::relations::world;
use super::*;
use crate::status::Workload;

/// A unit whose charm is in place and whose first hook is queued.
fn deployed() -> LocalState {
    let mut local = recorded(Kind::Install, OperationStep::Queued);
    local.unit = Some("site/0".parse().unwrap());
    local.operation = OperationState {
        kind: OperationKind::RunHook,
        step: OperationStep::Queued,
        hook: local.operation.hook.clone(),
        charm_url: local.operation.charm_url.clone(),
        ..OperationState::default()
    };
    local
}

fn names(walked: &Walked) -> Vec<String> {
    walked.hooks.iter().map(Info::name).collect()
}

/// Passes hooks, and runs those that the charm has, until nothing is due. Each walk, or hook that
/// ran, is one entry.
fn go(local: &mut LocalState, remote: &RemoteState, has: impl Fn(&Info) -> bool) -> Vec<Walked> {
    let mut commits = Vec::new();
    loop {
        let walked = walk_on(local, remote, None, &has).unwrap();
        if !walked.hooks.is_empty() {
            local.operation.validate().unwrap();
            commits.push(walked);
            continue;
        }
        let Decision::Run(operation) = resolve(local, remote) else {
            return commits;
        };
        local.begin(&operation, remote);
        let mut state = local.operation.clone();
        let mut hooks = Vec::new();
        let mut workload = None;
        if let Operation::RunHook { hook } = &operation {
            state = absent_done(&operation, local, remote).unwrap();
            workload = workload_after(hook.kind, &state);
            hooks.push(hook.clone());
        }
        let state = operation.commit(&state).unwrap();
        local.committed(&operation, state);
        commits.push(Walked { hooks, workload });
    }
}

#[test]
fn hooks_are_passed_together_up_to_one_that_runs() {
    let mut local = deployed();
    let has = |hook: &Info| hook.kind == Kind::Start;
    let walked = walk_on(&mut local, &world(), None, has).unwrap();
    assert_eq!(
        names(&walked),
        [
            "install",
            "cluster-relation-created",
            "db-relation-created",
            "leader-settings-changed",
            "config-changed",
        ]
    );
    assert_eq!(walked.workload, None);
    assert_eq!(resolve(&local, &world()), hook(Kind::Start));
    let again = walk_on(&mut local, &world(), None, has).unwrap();
    assert_eq!(again, Walked::default());
    let rest = go(&mut local, &world(), has);
    assert_eq!(rest.len(), 2, "start, and what is left after it: {rest:?}");
    assert_eq!(resolve(&local, &world()), Decision::NoOperation);
}

#[test]
fn each_commit_sets_one_workload_status_at_most() {
    let mut local = recorded(Kind::Start, OperationStep::Queued);
    local.operation.started = false;
    let remote = RemoteState {
        life: Life::Dying,
        ..remote()
    };
    let commits = go(&mut local, &remote, |_| false);
    let told: Vec<_> = commits
        .iter()
        .map(|walked| (names(walked), walked.workload.as_ref().map(|it| it.status)))
        .collect();
    let named = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
    assert_eq!(
        told,
        [
            (named(&["start", "stop"]), Some(Workload::Unknown)),
            (named(&["remove"]), Some(Workload::Terminated)),
        ]
    );
    assert_eq!(resolve(&local, &remote), Decision::Dead);

    let mut local = recorded(Kind::Start, OperationStep::Queued);
    let said = Some(Status::new(Workload::Terminated, ""));
    let walked = walk_on(&mut local, &remote, said.clone(), |_| false).unwrap();
    assert_eq!((walked.hooks.len(), walked.workload), (0, said));
}

#[test]
fn a_walk_has_an_end() {
    let mut remote = world();
    let members = &mut remote.relations.get_mut(&4).unwrap().members;
    for number in 0..130 {
        members.insert(format!("postgres/{number}").parse().unwrap(), 1);
    }
    let mut local = deployed();
    let commits = go(&mut local, &remote, |_| false);
    let lengths: Vec<usize> = commits.iter().map(|walked| walked.hooks.len()).collect();
    assert_eq!(lengths[..2], [100, 100]);
    assert!(lengths[2] > 0 && lengths.len() == 3, "{lengths:?}");
    assert_eq!(resolve(&local, &remote), Decision::NoOperation);
}

proptest! {
    #[test]
    fn a_walk_ends_where_single_steps_do(
        present in any::<u16>(),
        leader in any::<bool>(),
        dying in any::<bool>(),
        members in 0_u32..4,
    ) {
        let mut remote = world();
        remote.leader = leader;
        if dying {
            remote.life = Life::Dying;
        }
        let theirs = &mut remote.relations.get_mut(&4).unwrap().members;
        *theirs = (0..members)
            .map(|number| (format!("postgres/{number}").parse().unwrap(), 1))
            .collect();
        let has = |hook: &Info| {
            let at = Kind::ALL.iter().position(|kind| *kind == hook.kind);
            at.is_some_and(|at| present & (1 << at) != 0)
        };
        let hooks = |commits: &[Walked]| -> Vec<Info> {
            commits.iter().flat_map(|walked| walked.hooks.clone()).collect()
        };
        let statuses = |commits: &[Walked]| -> Vec<Status<Workload>> {
            commits.iter().filter_map(|walked| walked.workload.clone()).collect()
        };
        let (mut walking, mut stepping) = (deployed(), deployed());
        let walks = go(&mut walking, &remote, has);
        let steps = go(&mut stepping, &remote, |_| true);
        prop_assert_eq!(walking, stepping);
        prop_assert_eq!(hooks(&walks), hooks(&steps));
        prop_assert_eq!(statuses(&walks), statuses(&steps));
        prop_assert!(walks.len() <= steps.len());
    }
}

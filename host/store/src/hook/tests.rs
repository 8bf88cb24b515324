use proptest::prelude::*;

use periapt_model::bounds::{PORT_RANGES, SETTINGS_BYTES, STATE_KEYS};
use periapt_model::hook::{Effects, RelationSettings};
use periapt_model::ports::{Changes, PortRange};
use periapt_model::status::{Agent, Status};
use periapt_model::uniter::{OperationState, Resolved};

use crate::testing::{Fixture, fixtures, machine, unit};
use crate::{HookBegin, HookCommit, StoreError};

fn open(ranges: Vec<PortRange>) -> Changes {
    Changes {
        open: ranges.into_iter().map(Into::into).collect(),
        close: Vec::new(),
    }
}

fn state(pairs: &[(&str, Option<String>)]) -> Effects {
    Effects {
        state: pairs
            .iter()
            .map(|(key, value)| ((*key).to_owned(), value.clone()))
            .collect(),
        ..Default::default()
    }
}

#[tokio::test]
async fn a_refused_commit_leaves_nothing() {
    for fixture in fixtures().await {
        let store = &fixture.store;
        let model = fixture.site(1).await;
        let site = unit("site/0");
        let operation = OperationState {
            installed: true,
            ..Default::default()
        };
        let long = state(&[
            ("good", Some("x".to_owned())),
            ("long", Some("x".repeat(70_000))),
        ]);
        let refused = store
            .commit_effects(&model, &site, long, &operation)
            .await
            .expect_err("long");
        assert_eq!(refused.refusal().call_code(), "quota-limit-exceeded");
        let many = Effects {
            state: (0..40)
                .map(|n| (format!("k{n}"), Some("x".repeat(60_000))))
                .collect(),
            ..Default::default()
        };
        let refused = store
            .commit_effects(&model, &site, many, &operation)
            .await
            .expect_err("much");
        assert_eq!(refused.refusal().call_code(), "quota-limit-exceeded");
        let ports = Effects {
            state: [("good".to_owned(), Some("x".to_owned()))].into(),
            ports: open(vec![
                "80-90/tcp".parse().expect("range"),
                "85/tcp".parse().expect("range"),
            ]),
            ..Default::default()
        };
        let refused = store
            .commit_effects(&model, &site, ports, &operation)
            .await
            .expect_err("overlap");
        assert_eq!(refused.refusal().call_code(), "port-conflict");
        let found = store.get_state(&model, &site).await.expect("state");
        assert!(
            found.operation.is_none()
                && found.charm_state.is_empty()
                && found.opened_ports.is_empty()
        );
        fixture.end().await;
    }
}

#[tokio::test]
async fn ports_close_before_they_open() {
    for fixture in fixtures().await {
        let store = &fixture.store;
        let model = fixture.site(1).await;
        let site = unit("site/0");
        let range = |text: &str| -> PortRange { text.parse().expect("range") };
        let open = Effects {
            ports: open(vec![range("80-90/tcp"), range("icmp")]),
            ..Default::default()
        };
        store
            .commit_effects(&model, &site, open, &OperationState::default())
            .await
            .expect("opened");
        let swap = Effects {
            ports: Changes {
                open: vec![range("85/tcp").into()],
                close: vec![range("80-90/tcp")],
            },
            ..Default::default()
        };
        store
            .commit_effects(&model, &site, swap, &OperationState::default())
            .await
            .expect("swapped");
        let found = store.get_state(&model, &site).await.expect("state");
        let open = [range("85/tcp"), range("icmp")];
        assert_eq!(found.opened_ports, open.into_iter().collect());
        fixture.end().await;
    }
}

fn port(number: u64) -> PortRange {
    format!("{number}/tcp").parse().expect("range")
}

fn opening(ports: impl IntoIterator<Item = u64>) -> Effects {
    Effects {
        ports: open(ports.into_iter().map(port).collect()),
        ..Default::default()
    }
}

fn closing(ports: impl IntoIterator<Item = u64>) -> Effects {
    Effects {
        ports: Changes {
            close: ports.into_iter().map(port).collect(),
            open: Vec::new(),
        },
        ..Default::default()
    }
}

async fn commit(
    fixture: &Fixture,
    model: &periapt_model::ModelUuid,
    name: &str,
    effects: Effects,
) -> Result<(), StoreError> {
    let operation = OperationState::default();
    let store = &fixture.store;
    store
        .commit_effects(model, &unit(name), effects, &operation)
        .await
}

#[tokio::test]
async fn a_unit_has_at_most_a_hundred_ranges_open() {
    for fixture in fixtures().await {
        let model = fixture.site(1).await;
        let most = PORT_RANGES.most;
        commit(&fixture, &model, "site/0", opening(1..=most))
            .await
            .expect("opened");
        let refused = commit(&fixture, &model, "site/0", opening([5_000]))
            .await
            .expect_err("one too many");
        assert_eq!(refused.refusal().call_code(), "too-many-ports");
        // One that is open already is none more, and closing makes room.
        commit(&fixture, &model, "site/0", opening([1]))
            .await
            .expect("again");
        let swap = Effects {
            ports: Changes {
                open: vec![port(5_000).into()],
                ..closing([1]).ports
            },
            ..Effects::default()
        };
        commit(&fixture, &model, "site/0", swap)
            .await
            .expect("swapped");
        let found = fixture.store.get_state(&model, &unit("site/0")).await;
        assert_eq!(
            found.expect("state").opened_ports.ranges().count() as u64,
            most
        );
        fixture.end().await;
    }
}

/// The writer belongs to everybody: whatever a hook asks for, its commit is over at once.
#[tokio::test]
async fn neighbours_do_not_wait_for_a_commit_of_many_ports() {
    for fixture in fixtures().await {
        let model = fixture.site(2).await;
        let other = fixture.model("other").await;
        let store = fixture.store.clone();
        let begun = std::time::Instant::now();
        let flood = async {
            for _ in 0..5 {
                let refused = commit(&fixture, &model, "site/0", opening(1..=60_000)).await;
                assert_eq!(
                    refused.expect_err("too many").refusal().call_code(),
                    "too-many-ports"
                );
            }
        };
        let neighbour = async {
            for round in 0..20 {
                let change = periapt_wire::rest::ConfigChange {
                    set: [("force-wait".to_owned(), format!("{round}m"))]
                        .map(|(key, value)| (key, periapt_model::config::Value::Text(value)))
                        .into(),
                    reset: Vec::new(),
                };
                let asked = std::time::Instant::now();
                let set = store.set_model_config(&other, change, crate::Setter::Admin);
                set.await.expect("set");
                assert!(asked.elapsed().as_secs() < 10, "{:?}", asked.elapsed());
            }
        };
        tokio::join!(flood, neighbour);
        assert!(begun.elapsed().as_secs() < 60, "{:?}", begun.elapsed());
        fixture.end().await;
    }
}

#[tokio::test]
async fn units_of_one_machine_may_have_the_same_ports_open() {
    for fixture in fixtures().await {
        let model = fixture.site(1).await;
        let store = &fixture.store;
        let placed = periapt_wire::rest::Deploy {
            resources: Default::default(),
            placement: vec![machine("0")],
            application: "second".parse().expect("name"),
            ..crate::testing::request("site", 1)
        };
        store.deploy(&model, placed).await.expect("deployed");
        let staged = store.unit_assignments(&model).await.expect("staged");
        store.assign_units(&model, &staged).await.expect("assigned");
        let range = |text: &str| -> PortRange { text.parse().expect("range") };
        let open = |text: &str| Effects {
            ports: open(vec![range(text)]),
            ..Default::default()
        };
        for first in ["100-200/tcp", "300/tcp", "icmp"] {
            commit(&fixture, &model, "site/0", open(first))
                .await
                .expect(first);
        }
        for free in ["icmp", "100-200/tcp", "99/tcp", "300-310/tcp"] {
            commit(&fixture, &model, "second/0", open(free))
                .await
                .expect(free);
        }
        fixture.end().await;
    }
}

#[tokio::test]
async fn state_has_a_bound_on_its_keys_and_goes_in_one_sweep() {
    for fixture in fixtures().await {
        let model = fixture.site(1).await;
        let keys = |range: std::ops::Range<u64>, value: Option<&str>| Effects {
            state: range
                .map(|key| (format!("k{key}"), value.map(str::to_owned)))
                .collect(),
            ..Default::default()
        };
        let most = STATE_KEYS.most;
        let refused = commit(&fixture, &model, "site/0", keys(0..most + 1, Some("v"))).await;
        assert_eq!(
            refused.expect_err("much").refusal().call_code(),
            "quota-limit-exceeded"
        );
        commit(&fixture, &model, "site/0", keys(0..most, Some("v")))
            .await
            .expect("as many as there may be");
        let refused = commit(&fixture, &model, "site/0", keys(most..most + 1, Some("v"))).await;
        assert_eq!(
            refused.expect_err("one more").refusal().call_code(),
            "quota-limit-exceeded"
        );
        let begun = std::time::Instant::now();
        commit(&fixture, &model, "site/0", keys(1..most, None))
            .await
            .expect("deleted");
        assert!(begun.elapsed().as_secs() < 30, "{:?}", begun.elapsed());
        let found = fixture.store.get_state(&model, &unit("site/0")).await;
        assert_eq!(found.expect("state").charm_state.len(), 1);
        fixture.end().await;
    }
}

/// A leader's settings stand for all bags: there is one rule for them.
#[tokio::test]
async fn a_bag_is_bounded_as_it_is_sent() {
    for fixture in fixtures().await {
        let model = fixture.site(1).await;
        let site = unit("site/0");
        let leases = crate::lease::Manager::new(&fixture.store);
        let claimed = leases.claim(
            crate::lease::Namespace::ApplicationLeadership,
            &model,
            "site",
            site.as_str(),
            std::time::Duration::from_secs(60),
        );
        claimed.await.expect("leads");
        let leader = |count: usize, bytes: usize| Effects {
            leader: (0..count)
                .map(|key| (format!("k{key}"), Some("\u{1}".repeat(bytes))))
                .collect(),
            relations: [(99, RelationSettings::default())].into(),
            ..Default::default()
        };
        let bytes = SETTINGS_BYTES.length() / 6 / 8;
        let refused = commit(&fixture, &model, "site/0", leader(8, bytes)).await;
        assert_eq!(
            refused.expect_err("much").refusal().call_code(),
            "quota-limit-exceeded"
        );
        commit(&fixture, &model, "site/0", leader(7, bytes))
            .await
            .expect("fits");
        fixture.end().await;
    }
}

/// What an agent decided on a state that another write has followed does nothing.
#[tokio::test]
async fn a_write_that_was_decided_on_an_older_state_is_refused_and_leaves_nothing() {
    for fixture in fixtures().await {
        let store = &fixture.store;
        let model = fixture.site(1).await;
        let site = unit("site/0");
        let queued = OperationState::initial();
        let placed = OperationState {
            installed: true,
            ..Default::default()
        };
        for from in [1, 7] {
            let early = store.set_state(&model, &site, from, &queued, false).await;
            assert_eq!(early.expect_err("early").refusal().call_code(), "stale");
        }
        store
            .set_state(&model, &site, 0, &queued, false)
            .await
            .expect("first");
        store
            .set_state(&model, &site, 1, &placed, false)
            .await
            .expect("second");
        for from in [0, 1] {
            let begin = HookBegin {
                from,
                operation: queued.clone(),
                answer: Resolved::None,
                agent: Some(Status::new(Agent::Executing, "late")),
                workload: None,
            };
            let late = store.begin_hook(&model, &site, begin).await;
            assert_eq!(late.expect_err("late").refusal().call_code(), "stale");
            let late = HookCommit {
                from,
                effects: state(&[("key", Some("value".to_owned()))]),
                operation: queued.clone(),
                ..HookCommit::default()
            };
            let late = store.commit_hook_run(&model, &site, late).await;
            assert_eq!(late.expect_err("late").refusal().call_code(), "stale");
        }
        let found = store.get_state(&model, &site).await.expect("state");
        assert_eq!((found.sequence, found.operation), (2, Some(placed)));
        assert!(found.charm_state.is_empty());
        assert_ne!(found.agent.expect("set").message, "late");
        let nobody = unit("site/9");
        let gone = store.set_state(&model, &nobody, 1, &queued, false).await;
        assert_eq!(gone.expect_err("gone").refusal().call_code(), "not found");
        fixture.end().await;
    }
}

#[derive(Clone, Debug)]
struct Commit {
    pairs: Vec<(u8, Option<u8>)>,
    generation: u64,
    times: usize,
}

fn commits() -> impl Strategy<Value = Vec<Commit>> {
    let commit = (
        prop::collection::vec((0..5_u8, prop::option::of(any::<u8>())), 0..4),
        any::<u64>(),
        1..3_usize,
    )
        .prop_map(|(pairs, generation, times)| Commit {
            pairs,
            generation,
            times,
        });
    prop::collection::vec(commit, 1..8)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// A commit sent twice, as after a lost answer, is a commit sent once: the second is too late.
    #[test]
    fn commits_are_idempotent(commits in commits()) {
        let runtime = tokio::runtime::Runtime::new().expect("runtime");
        runtime.block_on(async {
            for fixture in fixtures().await {
                let model = fixture.site(1).await;
                let site = unit("site/0");
                let mut expected = std::collections::BTreeMap::new();
                let mut generation = 0;
                for commit in &commits {
                    let effects = Effects {
                        state: commit.pairs.iter().map(|(key, value)| {
                            (key.to_string(), value.map(|value| value.to_string()))
                        }).collect(),
                        ..Default::default()
                    };
                    generation = commit.generation;
                    for (key, value) in &effects.state {
                        match value {
                            Some(value) => expected.insert(key.clone(), value.clone()),
                            None => expected.remove(key),
                        };
                    }
                    let operation = OperationState { state_generation: generation, ..Default::default() };
                    let commits = HookCommit {
                        from: fixture.store.sequence(&model, &site).await,
                        effects,
                        operation,
                        ..HookCommit::default()
                    };
                    for time in 0..commit.times {
                        let committed = fixture.store.commit_hook_run(&model, &site, commits.clone()).await;
                        let refused = committed.err().map(|error| error.refusal().call_code());
                        assert_eq!(refused, (time > 0).then_some("stale"));
                    }
                }
                let found = fixture.store.get_state(&model, &site).await.expect("state");
                assert_eq!(found.charm_state, expected);
                assert_eq!(found.operation.expect("stored").state_generation, generation);
                fixture.end().await;
            }
        });
    }
}

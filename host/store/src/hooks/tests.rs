use proptest::prelude::*;

use periapt_model::hook::Effects;
use periapt_model::uniter::OperationState;

use crate::testing::{fixtures, unit};

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
            .commit_hook(&model, &site, long, &operation)
            .await
            .expect_err("long");
        assert_eq!(refused.code(), "quota limit exceeded");
        let many = Effects {
            state: (0..40)
                .map(|n| (format!("k{n}"), Some("x".repeat(60_000))))
                .collect(),
            ..Default::default()
        };
        let refused = store
            .commit_hook(&model, &site, many, &operation)
            .await
            .expect_err("much");
        assert_eq!(refused.code(), "quota limit exceeded");
        let ports = Effects {
            state: [("good".to_owned(), Some("x".to_owned()))].into(),
            open_ports: vec![
                "80-90/tcp".parse().expect("range"),
                "85/tcp".parse().expect("range"),
            ],
            ..Default::default()
        };
        let refused = store
            .commit_hook(&model, &site, ports, &operation)
            .await
            .expect_err("overlap");
        assert_eq!(refused.code(), "port-conflict");
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
        let range = |text: &str| text.parse().expect("range");
        let open = Effects {
            open_ports: vec![range("80-90/tcp"), range("icmp")],
            ..Default::default()
        };
        store
            .commit_hook(&model, &site, open, &OperationState::default())
            .await
            .expect("opened");
        let swap = Effects {
            open_ports: vec![range("85/tcp")],
            close_ports: vec![range("80-90/tcp")],
            ..Default::default()
        };
        store
            .commit_hook(&model, &site, swap, &OperationState::default())
            .await
            .expect("swapped");
        let found = store.get_state(&model, &site).await.expect("state");
        assert_eq!(found.opened_ports, [range("85/tcp"), range("icmp")]);
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

    /// A commit sent twice, as after a lost answer, is a commit sent once.
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
                    for _ in 0..commit.times {
                        fixture.store.commit_hook(&model, &site, effects.clone(), &operation).await.expect("committed");
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

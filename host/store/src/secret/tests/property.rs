//! Whatever happens in whatever order: a unit reads what it owns and what was granted to it, and nothing else.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

use periapt_contract::secret::RemovedSecret;

use super::*;

const UNITS: [&str; 4] = ["site/0", "site/1", "front/0", "front/1"];

#[derive(Clone, Debug)]
enum Step {
    Add(u8),
    Renew(u8),
    Grant(u8, &'static str),
    Revoke(u8, &'static str),
    Read(usize, u8, bool),
    Remove(u8),
    RemoveRelation,
    Relate,
    Lose(usize),
}

fn step() -> impl Strategy<Value = Step> {
    let secret = 0_u8..3;
    let grantee = prop::sample::select(vec!["front", "front/0", "front/1"]);
    prop_oneof![
        3 => secret.clone().prop_map(Step::Add),
        2 => secret.clone().prop_map(Step::Renew),
        5 => (secret.clone(), grantee.clone()).prop_map(|(secret, to)| Step::Grant(secret, to)),
        3 => (secret.clone(), grantee).prop_map(|(secret, to)| Step::Revoke(secret, to)),
        5 => (0..UNITS.len(), secret.clone(), any::<bool>())
            .prop_map(|(unit, secret, newest)| Step::Read(unit, secret, newest)),
        1 => secret.prop_map(Step::Remove),
        1 => Just(Step::RemoveRelation),
        2 => Just(Step::Relate),
        1 => (1..UNITS.len()).prop_map(Step::Lose),
    ]
}

/// What there is, said in the simplest way.
#[derive(Default)]
struct Truth {
    relation: Option<u64>,
    /// Who may read each secret of site/0.
    secrets: BTreeMap<u8, BTreeSet<&'static str>>,
    lost: BTreeSet<&'static str>,
}

impl Truth {
    fn reads(&self, unit: &str, secret: u8) -> bool {
        let application = unit.split('/').next().unwrap_or_default();
        self.secrets.get(&secret).is_some_and(|granted| {
            unit == "site/0" || granted.contains(unit) || granted.contains(application)
        })
    }
}

async fn tell(room: &Room<'_>, truth: &mut Truth, step: Step, number: usize) {
    match step {
        Step::Add(secret) if !truth.secrets.contains_key(&secret) => {
            room.add("site/0", Owner::Unit, &id(secret), "first").await;
            truth.secrets.insert(secret, BTreeSet::new());
        }
        Step::Renew(secret) if truth.secrets.contains_key(&secret) => {
            let text = format!("value {number}");
            room.renew("site/0", Owner::Unit, &id(secret), &text).await;
        }
        Step::Grant(secret, to) => {
            let (Some(relation), Some(granted_to)) =
                (truth.relation, truth.secrets.get_mut(&secret))
            else {
                return;
            };
            if truth.lost.contains(to) {
                return;
            }
            let changes = granted(Owner::Unit, &id(secret), relation, to, true);
            room.commit("site/0", None, changes).await.expect("granted");
            granted_to.insert(to);
        }
        Step::Revoke(secret, to) => {
            let (Some(relation), Some(granted_to)) =
                (truth.relation, truth.secrets.get_mut(&secret))
            else {
                return;
            };
            let changes = granted(Owner::Unit, &id(secret), relation, to, false);
            room.commit("site/0", None, changes).await.expect("revoked");
            granted_to.remove(to);
        }
        Step::Read(unit, secret, newest) => {
            let unit = UNITS[unit];
            if unit != "site/0" && !truth.lost.contains(unit) && truth.reads(unit, secret) {
                room.track(unit, &id(secret), newest).await;
            }
        }
        Step::Remove(secret) => {
            if truth.secrets.remove(&secret).is_some() {
                let removed = RemovedSecret {
                    owner: Owner::Unit,
                    revisions: BTreeSet::new(),
                };
                let changes = Changes {
                    removed: [(id(secret), removed)].into(),
                    ..Changes::default()
                };
                room.commit("site/0", None, changes).await.expect("removed");
            }
        }
        Step::RemoveRelation => {
            if let Some(relation) = truth.relation.take() {
                let store = &room.fixture.store;
                let removed = store.remove_relation(&room.model, relation, true).await;
                removed.expect("removed");
                truth.secrets.values_mut().for_each(BTreeSet::clear);
            }
        }
        Step::Relate => {
            if truth.relation.is_none() {
                truth.relation = Some(room.relate().await);
            }
        }
        Step::Lose(unit) => {
            let unit = UNITS[unit];
            if truth.lost.insert(unit) {
                room.lose(unit).await;
                for granted in truth.secrets.values_mut() {
                    granted.remove(unit);
                }
            }
        }
        Step::Add(_) | Step::Renew(_) => {}
    }
}

async fn hold(room: &Room<'_>, truth: &Truth) {
    for secret in 0..3 {
        for unit in UNITS {
            let expected = match (
                truth.secrets.contains_key(&secret),
                truth.reads(unit, secret),
            ) {
                _ if truth.lost.contains(unit) => "not found",
                (false, _) => "not found",
                (true, true) => "read",
                (true, false) => "unauthorized access",
            };
            assert_eq!(
                room.code(unit, &id(secret)).await,
                expected,
                "{unit} {secret}"
            );
        }
        // Nobody is on a revision who may not read.
        let shown = room
            .fixture
            .store
            .secret(&room.model, id(secret).as_str())
            .await;
        let readers = shown.into_iter().flat_map(|shown| shown.revisions);
        for reader in readers.flat_map(|revision| revision.readers) {
            assert!(truth.reads(&reader, secret), "{reader} is on {secret}");
        }
    }
}

#[test]
fn a_unit_reads_what_it_owns_and_what_was_granted_to_it_and_nothing_else() {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("runtime");
    let mut runner = TestRunner::new(Config {
        cases: 24,
        failure_persistence: None,
        ..Config::default()
    });
    let stories = prop::collection::vec(step(), 1..30);
    let told = runner.run(&stories, |story| {
        runtime.block_on(async {
            for fixture in fixtures().await {
                let room = Room::new(&fixture).await;
                let mut truth = Truth::default();
                for (number, step) in story.iter().enumerate() {
                    tell(&room, &mut truth, step.clone(), number).await;
                    hold(&room, &truth).await;
                }
                fixture.end().await;
            }
        });
        Ok(())
    });
    told.expect("holds");
}

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use tokio_util::sync::CancellationToken;

use super::namespace;
use crate::DatabaseError;
use crate::Interest;
use crate::testing::{Fixture, collector, fixtures, fixtures_with};
use periapt_model::ModelUuid;

/// Touches keys in one job.
async fn touch(fixture: &Fixture, model: &ModelUuid, keys: Vec<String>) {
    let model = model.clone();
    fixture
        .store
        .write(move |tx| {
            Box::pin(async move {
                for key in keys {
                    tx.touch(&model, namespace::UNIT, key);
                }
                Ok(())
            })
        })
        .await
        .expect("touched");
}

#[tokio::test]
async fn changes_reach_only_whom_they_concern_and_each_key_once() {
    for fixture in fixtures().await {
        let (model, other) = (fixture.model("default").await, fixture.model("other").await);
        let stream = fixture.store.changes();
        fixture.settle().await;
        let mut one = stream.subscribe(Interest::model(&model).key(namespace::UNIT, "site/0"));
        let mut all = stream.subscribe(Interest::model(&model).all(namespace::UNIT));
        let mut any = stream.subscribe(Interest::any_model().all(namespace::UNIT));
        let mut stranger = stream.subscribe(Interest::model(&other).everything());
        touch(
            &fixture,
            &model,
            vec!["site/0".into(), "site/1".into(), "site/0".into()],
        )
        .await;
        touch(&fixture, &model, vec!["site/0".into()]).await;
        fixture.settle().await;
        let keys = |changes: Vec<crate::Change>| {
            changes
                .into_iter()
                .map(|change| change.key)
                .collect::<Vec<_>>()
        };
        assert_eq!(keys(one.next().await.expect("changes")), ["site/0"]);
        assert_eq!(
            keys(all.next().await.expect("changes")),
            ["site/1", "site/0"]
        );
        assert_eq!(
            keys(any.next().await.expect("changes")),
            ["site/1", "site/0"]
        );
        assert!(stranger.take_now().is_empty());
        drop((one, all, any, stranger));
        assert_eq!(fixture.store.report()["subscriptions"], 0);
        fixture.end().await;
    }
}

#[tokio::test]
async fn what_this_process_committed_is_handed_out_without_a_look_at_the_log() {
    for fixture in fixtures().await {
        let model = fixture.model("default").await;
        fixture.settle().await;
        let interest = Interest::model(&model).all(namespace::UNIT);
        let mut watch = fixture.store.changes().subscribe(interest);
        touch(&fixture, &model, vec!["site/0".into(), "site/1".into()]).await;
        let (slow, statements) = collector();
        fixture.store.set_slow_query(Some(slow));
        fixture.settle().await;
        fixture.store.set_slow_query(None);
        assert_eq!(watch.take_now().len(), 2);
        // Others write to a server as well.
        let looks = if fixture.is_postgres() { 2 } else { 0 };
        assert_eq!(statements.lock().unwrap().len(), looks);
        fixture.end().await;
    }
}

#[tokio::test]
async fn a_failed_job_changes_nothing_for_watchers() {
    for fixture in fixtures().await {
        let model = fixture.model("default").await;
        fixture.settle().await;
        let mut watch = fixture
            .store
            .changes()
            .subscribe(Interest::model(&model).everything());
        let failed = fixture
            .store
            .write::<(), _>({
                let model = model.clone();
                move |tx| {
                    Box::pin(async move {
                        tx.touch(&model, namespace::UNIT, "site/0");
                        Err(crate::DatabaseError::Stopped.into())
                    })
                }
            })
            .await;
        assert!(failed.is_err());
        fixture.settle().await;
        assert!(watch.take_now().is_empty());
        fixture.end().await;
    }
}

#[tokio::test]
async fn a_dispatcher_that_is_stopped_and_run_again_loses_nothing() {
    for fixture in fixtures().await {
        let model = fixture.model("default").await;
        let stream = fixture.store.changes();
        let mut watch = stream.subscribe(Interest::model(&model).all(namespace::UNIT));
        for round in 0..5 {
            let stop = CancellationToken::new();
            let (running, token) = (stream.clone(), stop.clone());
            let task = tokio::spawn(async move { running.run(token).await });
            touch(&fixture, &model, vec![format!("site/{round}")]).await;
            assert_eq!(watch.next().await.expect("changes").len(), 1);
            stop.cancel();
            task.await.expect("joined").expect("stopped");
            touch(&fixture, &model, vec![format!("gap/{round}")]).await;
            assert!(watch.take_now().is_empty());
            fixture.settle().await;
            assert_eq!(
                watch.next().await.expect("changes")[0].key,
                format!("gap/{round}")
            );
        }
        fixture.end().await;
    }
}

#[tokio::test]
async fn the_log_is_pruned_behind_the_reader() {
    for fixture in fixtures_with(|options| options.change_tail = 0).await {
        let model = fixture.model("default").await;
        touch(
            &fixture,
            &model,
            (0..50).map(|n| format!("site/{n}")).collect(),
        )
        .await;
        fixture.settle().await;
        let count = || async {
            let mut db = fixture.store.glance().await.expect("session");
            db.count("SELECT COUNT(*) FROM change_log", vec![])
                .await
                .expect("count")
        };
        assert!(count().await >= 50);
        touch(&fixture, &model, vec!["late/0".into()]).await;
        fixture.store.changes().prune().await.expect("pruned");
        assert_eq!(count().await, 1);
        let mut watch = fixture
            .store
            .changes()
            .subscribe(Interest::model(&model).all(namespace::UNIT));
        fixture.settle().await;
        assert_eq!(watch.next().await.expect("changes")[0].key, "late/0");
        fixture.end().await;
    }
}

#[tokio::test]
async fn a_second_controller_on_the_same_database_hears_of_commits() {
    for fixture in fixtures().await {
        if fixture.store.database_kind() == "postgresql" {
            let second = crate::Store::open(fixture.options()).await.expect("second");
            let stop = CancellationToken::new();
            let (stream, token) = (second.changes(), stop.clone());
            let mut watch = stream.subscribe(Interest::any_model().all(namespace::MODEL));
            let task = tokio::spawn(async move { stream.run(token).await });
            let model = fixture.model("default").await;
            assert_eq!(watch.next().await.expect("told")[0].key, model.as_str());
            stop.cancel();
            task.await.expect("joined").expect("stopped");
            second.close().await;
        }
        fixture.end().await;
    }
}

#[tokio::test]
async fn a_process_hears_once_of_what_another_commits_and_of_nothing_from_before_it_started() {
    for fixture in fixtures().await {
        if fixture.store.database_kind() == "postgresql" {
            let before = fixture.model("before").await;
            let second = crate::Store::open(fixture.options()).await.expect("second");
            let stop = CancellationToken::new();
            let (stream, token) = (second.changes(), stop.clone());
            let mut watch = stream.subscribe(Interest::any_model().all(namespace::MODEL));
            let task = tokio::spawn(async move { stream.run(token).await });
            let there = second.models().await.expect("read");
            assert!(there.iter().any(|model| model.uuid == before));
            for name in ["first", "second"] {
                let model = fixture.model(name).await;
                let heard = watch.next().await.expect("told");
                let heard: Vec<&str> = heard.iter().map(|change| change.key.as_str()).collect();
                assert_eq!(heard, [model.as_str()]);
            }
            stop.cancel();
            task.await.expect("joined").expect("stopped");
            second.close().await;
        }
        fixture.end().await;
    }
}

#[derive(Clone, Debug)]
enum Step {
    Touch(Vec<u8>),
    Dispatch,
    Take(usize),
    Subscribe(BTreeSet<u8>),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        4 => prop::collection::vec(0..6_u8, 1..5).prop_map(Step::Touch),
        3 => Just(Step::Dispatch),
        2 => (0..4_usize).prop_map(Step::Take),
        2 => prop::collection::btree_set(0..6_u8, 0..4).prop_map(Step::Subscribe),
    ];
    prop::collection::vec(step, 1..40)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Whatever the order of commits, dispatches and takes: a subscriber hears of the last
    /// change of each of its keys, never twice of one change, and of no other key.
    #[test]
    fn nothing_is_lost_and_nothing_doubled(steps in steps()) {
        let runtime = tokio::runtime::Runtime::new().expect("runtime");
        runtime.block_on(async {
            for fixture in fixtures().await {
                let model = fixture.model("default").await;
                fixture.settle().await;
                let stream = fixture.store.changes();
                // Subscription, its keys, last position heard per key.
                let mut subscribers: Vec<(crate::Subscription, BTreeSet<u8>, BTreeMap<String, i64>)> = Vec::new();
                let mut committed: Vec<u8> = Vec::new();
                let mut since: Vec<usize> = Vec::new();
                for step in steps.iter().chain([&Step::Dispatch]) {
                    match step {
                        Step::Touch(keys) => {
                            touch(&fixture, &model, keys.iter().map(u8::to_string).collect()).await;
                            committed.extend(keys);
                        }
                        Step::Dispatch => fixture.settle().await,
                        Step::Take(index) => {
                            if let Some((watch, keys, heard)) = subscribers.get_mut(*index) {
                                hear(watch, keys, heard);
                            }
                        }
                        Step::Subscribe(keys) => {
                            let interest = Interest::model(&model).keys(namespace::UNIT, keys);
                            subscribers.push((stream.subscribe(interest), keys.clone(), BTreeMap::new()));
                            since.push(committed.len());
                        }
                    }
                }
                for ((watch, keys, heard), since) in subscribers.iter_mut().zip(since) {
                    hear(watch, keys, heard);
                    let mut db = fixture.store.glance().await.expect("session");
                    for key in keys.iter() {
                        let later = committed[since..].contains(key);
                        let sql = "SELECT MAX(id) FROM change_log WHERE namespace = 'unit' AND key = $1";
                        let last = db.scalar(sql, crate::db::params![key.to_string()]).await.expect("read");
                        let last: Option<i64> = last.flatten();
                        if later {
                            assert_eq!(heard.get(&key.to_string()).copied(), last);
                        }
                    }
                }
                drop(subscribers);
                fixture.end().await;
            }
        });
    }
}

fn hear(watch: &mut crate::Subscription, keys: &BTreeSet<u8>, heard: &mut BTreeMap<String, i64>) {
    let mut last = 0;
    for change in watch.take_now() {
        assert!(change.position > last, "ascending");
        last = change.position;
        assert!(
            keys.iter().any(|key| key.to_string() == change.key),
            "only what was asked for"
        );
        let before = heard.insert(change.key, change.position);
        assert!(
            before.is_none_or(|before| before < change.position),
            "never again"
        );
    }
}

#[tokio::test]
async fn a_subscription_holds_as_many_changes_as_it_may_and_ends_with_one_more() {
    for fixture in fixtures().await {
        let model = fixture.model("default").await;
        fixture.settle().await;
        let mut changes = fixture
            .store
            .changes()
            .subscribe(Interest::model(&model).everything());
        changes.hold_at_most(Some(2));
        let units = |numbers: std::ops::Range<u32>| -> Vec<String> {
            numbers.map(|number| format!("site/{number}")).collect()
        };
        for _ in 0..3 {
            touch(&fixture, &model, units(0..2)).await;
            fixture.settle().await;
        }
        assert_eq!(
            changes.next().await.expect("changes").len(),
            2,
            "the same keys again"
        );
        changes.hold_at_most(None);
        touch(&fixture, &model, units(0..5)).await;
        fixture.settle().await;
        assert_eq!(changes.next().await.expect("changes").len(), 5);
        touch(&fixture, &model, units(0..2)).await;
        changes.hold_at_most(Some(2));
        touch(&fixture, &model, units(2..3)).await;
        fixture.settle().await;
        assert_eq!(changes.next().await, Err(DatabaseError::Stopped));
        touch(&fixture, &model, units(3..4)).await;
        fixture.settle().await;
        assert_eq!(
            changes.next().await,
            Err(DatabaseError::Stopped),
            "for good"
        );
        fixture.end().await;
    }
}

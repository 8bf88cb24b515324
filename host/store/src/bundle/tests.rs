//! Applied bundles on both databases.

use periapt_model::ModelUuid;
use periapt_model::bundle::{AppliedBundle, StepKind};
use periapt_wire::rest::{BundleApplyState, BundleChange, BundleQuery};

use super::{ApplyEnd, KEPT, NewApply};
use crate::testing::fixtures;
use crate::{Interest, Store, namespace, tables};

fn new(text: &str) -> NewApply {
    NewApply {
        name: "sites".to_owned(),
        user: "ann".parse().expect("a name"),
        node: 0,
        changes: vec![BundleChange {
            kind: StepKind::Deploy,
            words: "deploy site with 1 unit".to_owned(),
            application: Some("site".parse().expect("a name")),
            endpoints: Vec::new(),
            units: Some(1),
        }],
        applied: AppliedBundle {
            text: text.to_owned(),
            ..AppliedBundle::default()
        },
    }
}

async fn end(store: &Store, model: &ModelUuid, id: u64) {
    let end = ApplyEnd {
        state: BundleApplyState::Completed,
        message: String::new(),
    };
    store.end_bundle(model, id, end).await.expect("ended");
}

#[tokio::test]
async fn an_apply_says_how_far_it_came_and_what_the_model_is_compared_with() {
    for fixture in fixtures().await {
        let store = &fixture.store;
        let model = fixture.model("one").await;
        assert_eq!(store.last_bundle(&model).await.expect("read"), None);
        let begun = store.begin_bundle(&model, new("first"), Vec::new()).await;
        let begun = begun.expect("begun");
        assert_eq!((begun.id, begun.state), (1, BundleApplyState::Running));
        let mut heard = store
            .changes()
            .subscribe(Interest::model(&model).all(namespace::BUNDLE));
        assert!(store.bundle_came_to(&model, 1, 1).await.expect("noted"));
        fixture.settle().await;
        assert!(!heard.next().await.expect("changes").is_empty());
        let known = store.bundle(&model, 1).await.expect("read");
        assert_eq!((known.apply.taken, known.node), (1, 0));
        assert_eq!(known.apply.changes, begun.changes);

        end(store, &model, 1).await;
        let known = store.bundle(&model, 1).await.expect("read").apply;
        assert_eq!(known.state, BundleApplyState::Completed);
        assert!(known.ended_at.is_some());
        // Whoever still works on it is told that it is over.
        assert!(!store.bundle_came_to(&model, 1, 2).await.expect("noted"));
        let (last, applied) = store
            .last_bundle(&model)
            .await
            .expect("read")
            .expect("one was applied");
        assert_eq!((last.apply.id, applied.text.as_str()), (1, "first"));
        let missing = store.bundle(&model, 7).await.expect_err("there is none");
        assert_eq!(missing.refusal().code(), "bundle-not-found");
        fixture.end().await;
    }
}

#[tokio::test]
async fn one_is_applied_at_a_time_and_an_abandoned_one_makes_room() {
    for fixture in fixtures().await {
        let store = &fixture.store;
        let (model, other) = (fixture.model("one").await, fixture.model("two").await);
        let begin = |over| store.begin_bundle(&model, new("x"), over);
        begin(Vec::new()).await.expect("begun");
        let refused = begin(Vec::new()).await.expect_err("one runs");
        assert_eq!(refused.refusal().code(), "bundle-apply-running");
        let elsewhere = store.begin_bundle(&other, new("x"), Vec::new()).await;
        elsewhere.expect("another model is another matter");
        assert_eq!(begin(vec![1]).await.expect("begun").id, 2);
        let over = store.bundle(&model, 1).await.expect("read").apply;
        assert_eq!(over.state, BundleApplyState::Interrupted);
        let running = store.running_bundles(&model).await.expect("read");
        assert_eq!(running.len(), 1);
        fixture.end().await;
    }
}

#[tokio::test]
async fn the_newest_are_remembered_and_go_with_their_model() {
    for fixture in fixtures().await {
        let store = &fixture.store;
        let model = fixture.model("one").await;
        for number in 1..=KEPT + 2 {
            let begun = store.begin_bundle(&model, new("x"), Vec::new()).await;
            assert_eq!(begun.expect("begun").id, number);
            end(store, &model, number).await;
        }
        let query = BundleQuery {
            limit: Some(KEPT - 1),
            after: None,
        };
        let page = store.bundles(&model, &query).await.expect("read");
        let ids: Vec<u64> = page.items.iter().map(|known| known.apply.id).collect();
        assert_eq!(ids.first(), Some(&(KEPT + 2)), "newest first");
        let query = BundleQuery {
            limit: None,
            after: page.next,
        };
        let rest = store.bundles(&model, &query).await.expect("read");
        assert_eq!((rest.items.len(), rest.next), (1, None));
        assert_eq!(rest.items[0].apply.id, 3);

        let gone = model.clone();
        store
            .write(move |tx| Box::pin(async move { tables::remove_model(tx, &gone).await }))
            .await
            .expect("removed");
        let left = store.running_bundles(&model).await.expect("read");
        assert_eq!(left, []);
        fixture.end().await;
    }
}

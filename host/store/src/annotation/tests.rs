//! Annotations on both databases.

use std::collections::BTreeMap;

use periapt_model::ModelUuid;
use periapt_model::bounds::{ANNOTATION_VALUE_BYTES, ANNOTATIONS};
use periapt_wire::rest::{AnnotationQuery, EntityAnnotations, SetAnnotations};

use crate::tables::{self, With};
use crate::testing::fixtures;
use crate::{Definition, Interest, Store, StoreError, namespace};

fn notes(entity: &str, set: &[(&str, &str)]) -> SetAnnotations {
    let pair = |(key, value): &(&str, &str)| ((*key).to_owned(), (*value).to_owned());
    SetAnnotations {
        entity: (!entity.is_empty()).then(|| entity.to_owned()),
        set: set.iter().map(pair).collect(),
    }
}

impl Store {
    async fn note(
        &self,
        model: &ModelUuid,
        entity: &str,
        set: &[(&str, &str)],
    ) -> EntityAnnotations {
        let noted = self.set_annotations(model, notes(entity, set)).await;
        noted.expect("noted")
    }

    async fn does_not_note(&self, model: &ModelUuid, request: SetAnnotations) -> String {
        let refused: StoreError = self
            .set_annotations(model, request)
            .await
            .expect_err("refused");
        refused.refusal().code().to_owned()
    }

    async fn noted(&self, model: &ModelUuid, entity: &str) -> BTreeMap<String, String> {
        let query = AnnotationQuery {
            entity: Some(entity.to_owned()),
            ..AnnotationQuery::default()
        };
        let mut page = self.annotations(model, &query).await.expect("read");
        page.items.pop().expect("one").annotations
    }

    async fn all_noted(&self, model: &ModelUuid) -> Vec<String> {
        let query = AnnotationQuery::default();
        let page = self.annotations(model, &query).await.expect("read");
        page.items.iter().map(|of| of.entity.to_string()).collect()
    }
}

#[tokio::test]
async fn what_is_noted_is_kept_replaced_and_forgotten() {
    for fixture in fixtures().await {
        let store = &fixture.store;
        let model = fixture.site(1).await;
        let of_unit = Definition::new(&model, namespace::UNIT, "site/0".to_owned());
        let version = store.version(&of_unit).await.expect("a version");
        let mut heard = store
            .changes()
            .subscribe(Interest::model(&model).key(namespace::ANNOTATION, "unit-site-0"));
        let noted = store
            .note(&model, "site/0", &[("owner", "ann"), ("rack", "7")])
            .await;
        assert_eq!(noted.entity.to_string(), "unit-site-0");
        assert_eq!(noted.annotations.len(), 2);
        let noted = store
            .note(&model, "unit-site-0", &[("owner", "bob"), ("rack", "")])
            .await;
        let expected = BTreeMap::from([("owner".to_owned(), "bob".to_owned())]);
        assert_eq!(noted.annotations, expected);
        assert_eq!(store.noted(&model, "site/0").await, expected);
        fixture.settle().await;
        assert!(!heard.next().await.expect("changes").is_empty());
        assert_eq!(
            store.version(&of_unit).await.expect("a version"),
            version,
            "the definition is as it was"
        );
        // The model itself, an application, a machine.
        store.note(&model, "", &[("team", "web")]).await;
        store.note(&model, "site", &[("team", "web")]).await;
        store.note(&model, "0", &[("team", "web")]).await;
        let all = [
            "application-site".to_owned(),
            "machine-0".to_owned(),
            format!("model-{model}"),
            "unit-site-0".to_owned(),
        ];
        assert_eq!(store.all_noted(&model).await, all);
        fixture.end().await;
    }
}

#[tokio::test]
async fn a_list_is_read_page_by_page() {
    for fixture in fixtures().await {
        let store = &fixture.store;
        let model = fixture.site(3).await;
        for unit in ["site/0", "site/1", "site/2"] {
            store.note(&model, unit, &[("a", "1"), ("b", "2")]).await;
        }
        let mut query = AnnotationQuery {
            limit: Some(2),
            ..AnnotationQuery::default()
        };
        let first = store.annotations(&model, &query).await.expect("a page");
        assert_eq!(first.items.len(), 2);
        assert!(first.items.iter().all(|of| of.annotations.len() == 2));
        assert_eq!(first.next.as_deref(), Some("unit-site-1"));
        query.after = first.next;
        let second = store.annotations(&model, &query).await.expect("a page");
        assert_eq!((second.items.len(), second.next), (1, None));
        fixture.end().await;
    }
}

#[tokio::test]
async fn what_is_noted_goes_with_what_it_is_about() {
    for fixture in fixtures().await {
        let store = &fixture.store;
        let model = fixture.site(2).await;
        for entity in ["", "site", "site/0", "site/1", "0"] {
            store.note(&model, entity, &[("team", "web")]).await;
        }
        for (with, key, tag) in [
            (With::Unit, "site/0", "unit-site-0"),
            (With::Machine, "0", "machine-0"),
            (With::Application, "site", "application-site"),
        ] {
            assert!(store.all_noted(&model).await.contains(&tag.to_owned()));
            let of = model.clone();
            store
                .write(move |tx| Box::pin(async move { tables::remove(tx, &of, with, key).await }))
                .await
                .expect("removed");
            assert!(!store.all_noted(&model).await.contains(&tag.to_owned()));
        }
        let left = ["unit-site-1".to_owned()];
        let all = store.all_noted(&model).await;
        assert!(all.ends_with(&left) && all.len() == 2, "{all:?}");
        fixture.end().await;
    }
}

#[tokio::test]
async fn what_is_too_much_or_about_nothing_is_refused_as_a_whole() {
    for fixture in fixtures().await {
        let store = &fixture.store;
        let (model, other) = (fixture.site(1).await, fixture.model("other").await);
        let long = "v".repeat(ANNOTATION_VALUE_BYTES.length() + 1);
        for (request, code) in [
            (notes("site/9", &[("a", "1")]), "unit-not-found"),
            (notes("shop", &[("a", "1")]), "application-not-found"),
            (notes("9", &[("a", "1")]), "machine-not-found"),
            (
                notes(&format!("model-{other}"), &[("a", "1")]),
                "model-not-found",
            ),
            (notes("Site", &[("a", "1")]), "bad-request"),
            (
                notes("site", &[("a", "1"), ("b c", "1")]),
                "annotation-invalid",
            ),
            (
                notes("site", &[("a", "1"), ("b", long.as_str())]),
                "annotation-invalid",
            ),
        ] {
            assert_eq!(store.does_not_note(&model, request).await, code);
        }
        assert_eq!(store.noted(&model, "site").await, BTreeMap::new());
        let many: Vec<String> = (0..=ANNOTATIONS.most).map(|n| format!("k{n}")).collect();
        let (last, fitting) = many.split_last().expect("some");
        let fitting: Vec<(&str, &str)> = fitting.iter().map(|key| (key.as_str(), "x")).collect();
        store.note(&model, "site", &fitting).await;
        let one_more = notes("site", &[(last.as_str(), "x")]);
        let refused = store.does_not_note(&model, one_more).await;
        assert_eq!(refused, "annotations-exceeded");
        let noted = store.noted(&model, "site").await;
        assert_eq!(noted.len() as u64, ANNOTATIONS.most, "nothing was added");
        // One goes, another comes.
        let in_turn = [("k0", ""), (last.as_str(), "x")];
        store.note(&model, "site", &in_turn).await;
        fixture.end().await;
    }
}

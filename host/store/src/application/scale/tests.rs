//! Scaling on both databases.

use periapt_model::block::BlockKind;
use periapt_model::removal::Force;

use crate::testing::{application, fixtures, unit};

#[tokio::test]
async fn an_application_gets_as_many_units_as_it_is_told_to_have() {
    for fixture in fixtures().await {
        let store = &fixture.store;
        let model = fixture.model("lab").await;
        fixture.charm(&model, "site", b"archive").await;
        fixture.deploy(&model, "site", 1).await;
        let site = application("site");
        let up = store
            .scale(&model, &site, 3, false.into())
            .await
            .expect("up");
        assert_eq!(up.units, [unit("site/0"), unit("site/1"), unit("site/2")]);
        assert_eq!(up.added, [unit("site/1"), unit("site/2")]);
        assert_eq!(up.removal.units, []);

        let same = store.scale(&model, &site, 3, false.into()).await;
        let same = same.expect("the same");
        assert_eq!((same.units.len(), same.added.len()), (3, 0));
        assert!(same.removal.units.is_empty());

        let down = store.scale(&model, &site, 1, false.into()).await;
        let down = down.expect("down");
        assert_eq!(down.units, [unit("site/0")]);
        assert_eq!(down.removal.units, [unit("site/1"), unit("site/2")]);

        // Numbers are never used again, and what goes counts no more.
        let up = store
            .scale(&model, &site, 2, false.into())
            .await
            .expect("up");
        assert_eq!(up.added, [unit("site/3")]);
        let none = store.scale(&model, &site, 0, false.into()).await;
        assert_eq!(none.expect("none").units, []);

        let many = store.scale(&model, &site, 1_000_000, false.into()).await;
        assert_eq!(many.expect_err("too many").refusal().code(), "bad-request");
        let gone = store
            .scale(&model, &application("db"), 1, false.into())
            .await;
        assert_eq!(
            gone.expect_err("gone").refusal().code(),
            "application-not-found"
        );
        fixture.end().await;
    }
}

#[tokio::test]
async fn where_removals_are_disabled_an_application_only_grows() {
    for fixture in fixtures().await {
        let store = &fixture.store;
        let model = fixture.model("lab").await;
        fixture.charm(&model, "site", b"archive").await;
        fixture.deploy(&model, "site", 2).await;
        let site = application("site");
        store
            .set_block(&model, BlockKind::RemoveObject, "ask first".to_owned())
            .await
            .expect("disabled");
        let refused = store.scale(&model, &site, 1, false.into()).await;
        let refused = refused.expect_err("held back");
        assert_eq!(refused.refusal().code(), "operation-blocked");
        assert!(refused.to_string().contains("ask first"), "{refused}");
        let up = store.scale(&model, &site, 3, false.into()).await;
        assert_eq!(up.expect("grown").added, [unit("site/2")]);
        let forced = store.scale(&model, &site, 2, Force::AtOnce.into()).await;
        assert_eq!(forced.expect("forced").removal.units, [unit("site/2")]);
        fixture.end().await;
    }
}

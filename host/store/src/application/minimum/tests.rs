//! Minimums on both databases.

use crate::testing::{application, charm, fixtures, unit};
use periapt_model::charm::CharmInfo;

#[tokio::test]
async fn an_application_below_its_minimum_gets_exactly_the_units_it_lacks() {
    for fixture in fixtures().await {
        let store = &fixture.store;
        let model = fixture.model("lab").await;
        fixture.charm(&model, "site", b"archive").await;
        fixture.deploy(&model, "site", 1).await;
        let site = application("site");
        let below = async || {
            store
                .applications_below_minimum(&model)
                .await
                .expect("read")
        };
        assert_eq!(below().await, [], "without a minimum");

        let shown = store.set_min_units(&model, &site, 3).await.expect("set");
        assert_eq!((shown.min_units, shown.units.len()), (3, 1));
        assert_eq!(below().await, std::slice::from_ref(&site));
        let made = store.rescale(&model, &site).await.expect("scaled");
        assert_eq!(made, [unit("site/1"), unit("site/2")]);
        assert_eq!(below().await, []);
        assert_eq!(store.rescale(&model, &site).await.expect("scaled"), []);
        let staged = store.unit_assignments(&model).await.expect("staged");
        assert!(staged.contains(&unit("site/2")), "{staged:?}");

        // One that goes counts no more, whether or not it is gone.
        let removed = store.remove_unit(&model, &unit("site/1"), false).await;
        removed.expect("removed");
        let made = store.rescale(&model, &site).await.expect("scaled");
        assert_eq!(made, [unit("site/3")]);

        let lifted = store.set_min_units(&model, &site, 0).await.expect("set");
        assert_eq!((lifted.min_units, below().await), (0, Vec::new()));
        let many = store.set_min_units(&model, &site, 10_001).await;
        assert_eq!(many.expect_err("too many").refusal().code(), "bad-request");
        let gone = store.set_min_units(&model, &application("db"), 1).await;
        assert_eq!(
            gone.expect_err("gone").refusal().code(),
            "application-not-found"
        );
        assert_eq!(
            store
                .rescale(&model, &application("db"))
                .await
                .expect("none"),
            []
        );
        fixture.end().await;
    }
}

#[tokio::test]
async fn nothing_is_made_for_what_goes_and_subordinates_have_no_minimum() {
    for fixture in fixtures().await {
        let store = &fixture.store;
        let model = fixture.model("lab").await;
        fixture.charm(&model, "site", b"archive").await;
        fixture.deploy(&model, "site", 2).await;
        let site = application("site");
        store.set_min_units(&model, &site, 2).await.expect("set");
        fixture.provision(&model).await;
        let removed = store.remove_application(&model, &site, false).await;
        removed.expect("removed");
        let removed = store.remove_unit(&model, &unit("site/0"), false).await;
        removed.expect("removed");
        let below = store.applications_below_minimum(&model).await;
        assert_eq!(below.expect("read"), []);
        assert_eq!(store.rescale(&model, &site).await.expect("none"), []);
        let late = store.set_min_units(&model, &site, 5).await;
        assert_eq!(
            late.expect_err("it goes").refusal().code(),
            "application-dying"
        );

        let shipper = CharmInfo {
            subordinate: true,
            ..charm("shipper")
        };
        let archive = bytes::Bytes::from_static(b"shipper");
        store
            .add_charm(&model, shipper, archive)
            .await
            .expect("charm");
        fixture.deploy(&model, "shipper", 0).await;
        let refused = store
            .set_min_units(&model, &application("shipper"), 1)
            .await;
        assert_eq!(
            refused.expect_err("subordinate").refusal().code(),
            "bad-request"
        );
        fixture.end().await;
    }
}

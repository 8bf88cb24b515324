//! Removal: what waits for what, and that it ends.

use periapt_model::removal::Force;

use super::*;
use crate::testing::fixtures;

#[tokio::test]
async fn an_application_goes_after_its_units_and_relations() {
    for fixture in fixtures().await {
        let mut house = House::new(&fixture, "default").await;
        house.deploy("site", 1).await;
        house.deploy("front", 1).await;
        let id = house.relate("site", "front").await;
        house.settle().await;
        house.lead("site/0").await.expect("won");
        house
            .commit("site/0", None, leader_setting("a", "b"))
            .await
            .expect("told");
        let (store, site) = (&fixture.store, application("site"));
        store
            .remove_application(&house.model, &site, false)
            .await
            .expect("dying");
        store.cleanup(&house.model).await.expect("clean-up");
        let shown = store.application(&house.model, &site).await.unwrap();
        assert_eq!(
            shown.waiting_for[..2],
            [
                format!("the relation website:{id} with front"),
                "its units site/0".to_owned()
            ]
        );
        assert!(shown.waiting_for[2].ends_with("then what is left goes by force"));
        assert_eq!(
            store.applications(&house.model).await.unwrap()[1].waiting_for,
            shown.waiting_for
        );
        let gone = unit("site/0");
        let shown = store
            .unit(&house.model, &gone, &crate::testing::present)
            .await
            .unwrap();
        let reason = format!("the relation website:{id} with front");
        assert!(
            shown.waiting_for.contains(&reason),
            "{:?}",
            shown.waiting_for
        );
        // Its units first: the application stays for the relation that front has not left.
        while house.step(&gone).await {}
        assert_eq!(house.units().await, [unit("front/0")]);
        assert_eq!(
            store.application(&house.model, &site).await.unwrap().life,
            Life::Dying
        );
        house.settle().await;
        assert_eq!(
            store
                .application(&house.model, &site)
                .await
                .unwrap_err()
                .refusal()
                .call_code(),
            "not found"
        );
        assert!(store.relations(&house.model).await.unwrap().is_empty());
        for sql in [
            "SELECT COUNT(*) FROM relation_endpoint WHERE model_uuid = $1",
            "SELECT COUNT(*) FROM relation_unit WHERE model_uuid = $1",
            "SELECT COUNT(*) FROM leader_settings WHERE model_uuid = $1",
        ] {
            assert_eq!(house.count(sql).await, 0, "{sql}");
        }
        // Without units and with nobody in scope it is at once.
        store
            .remove_application(&house.model, &application("front"), false)
            .await
            .expect("dying");
        house.deploy("site", 0).await;
        house.deploy("back", 0).await;
        house.relate("site", "back").await;
        store
            .remove_application(&house.model, &site, false)
            .await
            .expect("gone");
        assert!(store.application(&house.model, &site).await.is_err());
        assert!(store.relations(&house.model).await.unwrap().is_empty());
        drop(house);
        fixture.end().await;
    }
}

#[tokio::test]
async fn a_unit_that_dies_by_force_leaves_its_scopes() {
    for fixture in fixtures().await {
        let mut house = House::new(&fixture, "default").await;
        house.deploy("site", 1).await;
        house.deploy("front", 1).await;
        house.deploy("shipper", 0).await;
        let id = house.relate("site", "front").await;
        let logs = house.relate("shipper", "site").await;
        house.settle().await;
        let store = &fixture.store;
        store
            .remove_unit(&house.model, &unit("site/0"), true)
            .await
            .expect("dying");
        let subordinate = store
            .unit(&house.model, &unit("shipper/0"), &crate::testing::present)
            .await;
        assert_eq!(subordinate.unwrap().life, Life::Dying);
        let early = store
            .ensure_unit_dead(&house.model, &unit("site/0"))
            .await
            .unwrap_err();
        assert_eq!(early.refusal().call_code(), "try again");
        house.force_through().await;
        assert_eq!(house.units().await, [unit("front/0")]);
        assert_eq!(house.members("front/0", id).await, Vec::<String>::new());
        for relation in [id, logs] {
            assert_eq!(
                store.relation(&house.model, relation).await.unwrap().life,
                Life::Alive
            );
        }
        house.ran.clear();
        house.settle().await;
        assert_eq!(house.ran, ["front/0 website-relation-departed site/0"]);
        drop(house);
        fixture.end().await;
    }
}

#[tokio::test]
async fn a_relation_removed_by_force_waits_for_nobody() {
    for fixture in fixtures().await {
        let mut house = House::new(&fixture, "default").await;
        house.deploy("site", 1).await;
        house.deploy("front", 1).await;
        let id = house.relate("site", "front").await;
        house.settle().await;
        let store = &fixture.store;
        for _ in 0..2 {
            store
                .remove_relation(&house.model, id, true)
                .await
                .expect("dying");
        }
        let shown = store.relation(&house.model, id).await.unwrap();
        assert!(
            shown.waiting_for[1].ends_with("then it goes by force"),
            "{shown:?}"
        );
        house.force_through().await;
        assert!(store.relation(&house.model, id).await.is_err());
        // A created hook that was at work meanwhile may end.
        house
            .commit("site/0", Some(broken(id)), Effects::default())
            .await
            .expect("nothing to leave");
        // The peers are not concerned.
        assert_eq!(store.relations(&house.model).await.unwrap().len(), 1);
        drop(house);
        fixture.end().await;
    }
}

#[tokio::test]
async fn a_relation_that_nobody_forces_ends_by_the_deadline() {
    for fixture in fixtures().await {
        let mut house = House::new(&fixture, "default").await;
        house.deploy("site", 1).await;
        house.deploy("front", 1).await;
        house.deploy("shipper", 0).await;
        let ids = [
            house.relate("site", "front").await,
            house.relate("shipper", "site").await,
        ];
        house.settle().await;
        let store = &fixture.store;
        for id in ids {
            let removed = store.remove_relation(&house.model, id, false).await;
            removed.expect("dying");
            let shown = store.relation(&house.model, id).await.unwrap();
            assert!(shown.waiting_for[0].ends_with("to leave"), "{shown:?}");
            let last = shown.waiting_for.last().unwrap();
            assert!(last.ends_with("then it goes by force"), "{shown:?}");
        }
        // Nobody answers a hook any more.
        fixture.clock.advance(Duration::from_secs(23 * 3600));
        store.cleanup(&house.model).await.expect("clean-up");
        assert!(store.relation(&house.model, ids[0]).await.is_ok());
        fixture.clock.advance(Duration::from_secs(3600));
        store.cleanup(&house.model).await.expect("clean-up");
        for id in ids {
            assert!(store.relation(&house.model, id).await.is_err());
        }
        // The subordinate has the second step of force before it.
        assert_eq!(house.units().await.len(), 3);
        fixture.clock.advance(Duration::from_secs(60));
        store.cleanup(&house.model).await.expect("clean-up");
        assert_eq!(house.units().await, [unit("front/0"), unit("site/0")]);
        drop(house);
        fixture.end().await;
    }
}

#[tokio::test]
async fn a_model_goes_with_everything_in_it() {
    for fixture in fixtures().await {
        for force in [false, true] {
            let name = format!("model-{force}");
            let mut house = House::new(&fixture, &name).await;
            house.deploy("site", 2).await;
            house.deploy("front", 1).await;
            house.deploy("shipper", 0).await;
            house.relate("site", "front").await;
            house.relate("shipper", "site").await;
            house.settle().await;
            let store = &fixture.store;
            store
                .destroy_model(&house.model, force, None)
                .await
                .expect("dying");
            if force {
                house.force_through().await;
            } else {
                store.cleanup(&house.model).await.expect("clean-up");
                let early = store.process_dying_model(&house.model).await.unwrap_err();
                assert_eq!(early.refusal().call_code(), "model not empty");
                house.settle().await;
            }
            assert!(house.units().await.is_empty());
            assert!(store.applications(&house.model).await.unwrap().is_empty());
            assert!(store.relations(&house.model).await.unwrap().is_empty());
            for machine in store.machine_ids(&house.model).await.unwrap() {
                store
                    .ensure_machiner_dead(&house.model, &machine)
                    .await
                    .expect("dead");
                store
                    .mark_machine_for_removal(&house.model, &machine)
                    .await
                    .expect("marked");
                store
                    .complete_machine_removals(&house.model, std::slice::from_ref(&machine))
                    .await
                    .expect("gone");
            }
            store
                .process_dying_model(&house.model)
                .await
                .expect("empty");
            store.remove_model(&house.model).await.expect("gone");
        }
        fixture.end().await;
    }
}

#[tokio::test]
async fn by_force_and_without_waiting_a_unit_is_gone_with_the_next_clean_ups() {
    for fixture in fixtures().await {
        let mut house = House::new(&fixture, "default").await;
        house.deploy("site", 1).await;
        house.deploy("shipper", 0).await;
        house.relate("shipper", "site").await;
        house.settle().await;
        let store = &fixture.store;
        store
            .remove_unit(&house.model, &unit("site/0"), true)
            .await
            .expect("dying");
        store.cleanup(&house.model).await.expect("runs");
        assert_eq!(
            house.units().await.len(),
            2,
            "by force alone each step has its wait"
        );
        store
            .remove_unit(&house.model, &unit("site/0"), Force::AtOnce)
            .await
            .expect("dying");
        // A step that was queued before is done in the turn after the one that hurries it.
        for _ in 0..3 {
            let report = store.cleanup(&house.model).await.expect("runs");
            assert_eq!(report.errors, Vec::<String>::new());
        }
        assert_eq!(house.units().await, []);
        drop(house);
        fixture.end().await;
    }
}

//! Who is in scope, and who lives in whose container.

use super::*;
use crate::testing::fixtures;

#[tokio::test]
async fn units_enter_with_their_addresses_and_leave_with_broken() {
    for fixture in fixtures().await {
        let mut house = House::new(&fixture, "default").await;
        house.deploy("site", 1).await;
        house.deploy("front", 1).await;
        let id = house.relate("site", "front").await;
        house.begin_created("site/0", id).await.expect("entered");
        house.begin_created("site/0", id).await.expect("the same");
        assert_eq!(house.members("front/0", id).await, ["site/0"]);
        let store = &fixture.store;
        let of = periapt_model::Tag::Unit(unit("site/0"));
        let read = store
            .relation_settings(&house.model, &unit("front/0"), id, &of)
            .await;
        let read = read.expect("settings");
        assert_eq!(read["private-address"], "127.0.0.1");
        assert_eq!(read["ingress-address"], "127.0.0.1");
        assert_eq!(read["egress-subnets"], "127.0.0.1/32");
        assert_eq!(
            store
                .relation(&house.model, id)
                .await
                .unwrap()
                .status
                .status
                .as_str(),
            "joining"
        );
        house.settle().await;
        assert_eq!(
            store
                .relation(&house.model, id)
                .await
                .unwrap()
                .status
                .status
                .as_str(),
            "joined"
        );

        store
            .remove_relation(&house.model, id, false)
            .await
            .expect("dying");
        let shown = store.relation(&house.model, id).await.unwrap();
        assert_eq!(
            (shown.status.status.as_str(), shown.life),
            ("broken", Life::Dying)
        );
        assert_eq!(shown.waiting_for[0], "front/0, site/0 to leave");
        let again = house.integrate("site", "front").await.unwrap_err();
        assert_eq!(again.refusal().code(), "relation-dying");
        house
            .commit("site/0", Some(broken(id)), Effects::default())
            .await
            .expect("left");
        assert_eq!(house.members("front/0", id).await, Vec::<String>::new());
        let kept = store
            .relation_settings(&house.model, &unit("front/0"), id, &of)
            .await;
        assert_eq!(kept.expect("outlive")["private-address"], "127.0.0.1");
        let late = unit_setting(id, "late", Some("x"));
        let sent_again = house.commit("site/0", Some(broken(id)), late.clone()).await;
        sent_again.expect("a commit sent twice");
        let refused = house
            .commit("site/0", None, late.clone())
            .await
            .unwrap_err();
        assert_eq!(refused.refusal().call_code(), "not-in-scope");
        let entering = house.begin_created("site/0", id).await.unwrap_err();
        assert_eq!(entering.refusal().call_code(), "try again");
        house
            .commit("front/0", Some(broken(id)), Effects::default())
            .await
            .expect("left");
        let gone = store.relation(&house.model, id).await.unwrap_err();
        assert_eq!(gone.refusal().code(), "relation-not-found");
        house
            .commit("site/0", None, late)
            .await
            .expect("of what is gone nothing is kept");
        assert_eq!(
            house
                .begin_created("site/0", id)
                .await
                .unwrap_err()
                .refusal()
                .call_code(),
            "try again"
        );
        drop(house);
        fixture.end().await;
    }
}

#[tokio::test]
async fn absent_hooks_enter_and_leave_with_the_commit_that_they_follow_or_nothing_of_it_counts() {
    for fixture in fixtures().await {
        let house = House::new(&fixture, "default").await;
        house.deploy("site", 1).await;
        house.deploy("front", 1).await;
        let id = house.relate("site", "front").await;
        let nothing = Effects::default;
        for name in ["site/0", "front/0"] {
            house
                .commit_with(name, None, vec![created(id)], nothing())
                .await
                .expect("entered");
        }
        assert_eq!(house.members("front/0", id).await, ["site/0"]);
        fixture
            .store
            .remove_relation(&house.model, id, false)
            .await
            .expect("dying");
        let late = unit_setting(id, "late", Some("x"));
        let refused = house
            .commit_with("site/0", Some(broken(id)), vec![created(id)], late)
            .await;
        assert_eq!(refused.unwrap_err().refusal().call_code(), "try again");
        assert_eq!(house.members("front/0", id).await, ["site/0"]);
        house
            .commit_with("site/0", None, vec![broken(id)], nothing())
            .await
            .expect("left");
        assert_eq!(house.members("front/0", id).await, Vec::<String>::new());
        drop(house);
        fixture.end().await;
    }
}

#[tokio::test]
async fn hooks_come_in_order_and_settings_are_seen() {
    for fixture in fixtures().await {
        let mut house = House::new(&fixture, "default").await;
        house.deploy("site", 2).await;
        house.deploy("front", 1).await;
        let id = house.relate("site", "front").await;
        house.settle().await;
        let of_front: Vec<&str> = house
            .ran
            .iter()
            .filter_map(|ran| ran.strip_prefix("front/0 website-relation-"))
            .collect();
        assert_eq!(
            of_front,
            [
                "created",
                "joined site/0",
                "changed site/0",
                "joined site/1",
                "changed site/1"
            ]
        );
        let peers: Vec<&String> = house
            .ran
            .iter()
            .filter(|ran| ran.contains("cluster"))
            .collect();
        assert_eq!(peers.len(), 6, "{peers:?}");
        house.ran.clear();
        let committed = house
            .commit("site/1", None, unit_setting(id, "port", Some("80")))
            .await
            .expect("written");
        assert_eq!(committed.told.remote.relations[&id].members.len(), 1);
        house
            .commit("site/1", None, unit_setting(id, "port", Some("80")))
            .await
            .expect("same");
        assert_eq!(
            house.remote("front/0").await[&id].members[&unit("site/1")],
            2
        );
        house.settle().await;
        assert_eq!(house.ran, ["front/0 website-relation-changed site/1"]);
        let shown = fixture
            .store
            .unit_relations(&house.model, &unit("front/0"))
            .await
            .unwrap();
        assert_eq!(shown.len(), 1);
        assert_eq!(shown[0].related_units[&unit("site/1")].data["port"], "80");
        assert!(shown[0].local_unit.in_scope);

        house.ran.clear();
        let store = &fixture.store;
        store
            .change_relation(&house.model, id, true, "maintenance")
            .await
            .expect("suspended");
        let suspending = store.relation(&house.model, id).await.unwrap();
        assert_eq!(suspending.status.status.as_str(), "suspending");
        house.settle().await;
        let suspended = store.relation(&house.model, id).await.unwrap();
        assert_eq!(
            (
                suspended.status.status.as_str(),
                suspended.status.message.as_str()
            ),
            ("suspended", "maintenance")
        );
        assert!(
            house
                .ran
                .contains(&"front/0 website-relation-broken".to_owned())
        );
        store
            .change_relation(&house.model, id, false, "")
            .await
            .expect("resumed");
        house.settle().await;
        assert_eq!(
            store
                .relation(&house.model, id)
                .await
                .unwrap()
                .status
                .status
                .as_str(),
            "joined"
        );
        let fresh = house.remote("front/0").await[&id].members[&unit("site/1")];
        assert_eq!(fresh, 3, "entering anew makes a new version");
        drop(house);
        fixture.end().await;
    }
}

#[tokio::test]
async fn a_container_has_one_subordinate_whoever_enters_at_once() {
    for fixture in fixtures().await {
        let mut house = House::new(&fixture, "default").await;
        house.deploy("bare", 2).await;
        house.deploy("shipper", 0).await;
        house.deploy("tagger", 0).await;
        let logs = house.relate("shipper", "bare").await;
        let tags = house.relate("tagger", "shipper").await;
        let entries = (0..12).map(|at| {
            let house = &house;
            async move { house.begin_created(&format!("bare/{}", at % 2), logs).await }
        });
        for entered in futures::future::join_all(entries).await {
            entered.expect("entered");
        }
        let units: Vec<String> = house
            .units()
            .await
            .iter()
            .map(UnitName::to_string)
            .collect();
        assert_eq!(units, ["bare/0", "bare/1", "shipper/0", "shipper/1"]);
        house.settle().await;
        let store = &fixture.store;
        for (name, principal) in [("shipper/0", "bare/0"), ("tagger/0", "bare/0")] {
            let shown = store
                .unit(&house.model, &unit(name), &crate::testing::present)
                .await
                .unwrap();
            let of = shown.principal.expect("principal");
            let host = store
                .unit(&house.model, &of, &crate::testing::present)
                .await
                .unwrap();
            assert!(
                host.subordinates.contains(&unit(name)),
                "{name} of {principal}"
            );
            assert_eq!(shown.machine, host.machine);
        }
        // Each sees only the counterpart in its own container.
        for at in 0..2 {
            let bare = format!("bare/{at}");
            let [shipper] = house.members(&bare, logs).await.try_into().expect("one");
            assert_eq!(
                house.members(&shipper, logs).await,
                std::slice::from_ref(&bare)
            );
            let [tagger] = house.members(&shipper, tags).await.try_into().expect("one");
            assert_eq!(
                house.members(&tagger, tags).await,
                std::slice::from_ref(&shipper)
            );
            let elsewhere = format!("bare/{}", 1 - at);
            let of = periapt_model::Tag::Unit(unit(&elsewhere));
            let read = store
                .relation_settings(&house.model, &unit(&shipper), logs, &of)
                .await;
            assert_eq!(read.unwrap_err().refusal().call_code(), "not found");
        }
        let by_hand = store
            .remove_unit(&house.model, &unit("shipper/0"), true)
            .await
            .unwrap_err();
        assert_eq!(by_hand.refusal().call_code(), "unit-is-subordinate");
        let added = store
            .add_units(&house.model, &application("shipper"), 1)
            .await;
        assert!(added.is_err());

        // A pair without a tie to the principal goes together.
        let going = store
            .remove_relation(&house.model, logs, false)
            .await
            .unwrap();
        assert_eq!(going.units.len(), 4);
        let shown = store
            .unit(&house.model, &unit("shipper/0"), &crate::testing::present)
            .await;
        let waiting = shown.unwrap().waiting_for.join("; ");
        assert!(
            waiting.contains(&format!("the relation logs:{logs} with bare")),
            "{waiting}"
        );
        house.settle().await;
        let units: Vec<String> = house
            .units()
            .await
            .iter()
            .map(UnitName::to_string)
            .collect();
        assert_eq!(units, ["bare/0", "bare/1"]);
        // The other relation of the two stays, for containers to come.
        assert_eq!(
            store.relation(&house.model, tags).await.unwrap().life,
            Life::Alive
        );
        drop(house);
        fixture.end().await;
    }
}

#[tokio::test]
async fn a_unit_waits_for_an_earlier_subordinate_to_go() {
    for fixture in fixtures().await {
        let mut house = House::new(&fixture, "default").await;
        house.deploy("bare", 1).await;
        house.deploy("shipper", 0).await;
        let first = house.relate("shipper", "bare").await;
        house.settle().await;
        let store = &fixture.store;
        store
            .remove_relation(&house.model, first, false)
            .await
            .expect("dying");
        // The principal and its subordinate leave, but the latter is not gone.
        for name in ["bare/0", "shipper/0"] {
            house
                .commit(name, Some(broken(first)), Effects::default())
                .await
                .expect("left");
        }
        let second = house.relate("shipper", "bare").await;
        let early = house.begin_created("bare/0", second).await.unwrap_err();
        assert_eq!(early.refusal().call_code(), "try again");
        assert!(early.to_string().contains("shipper/0"), "{early}");
        house.settle().await;
        let units: Vec<String> = house
            .units()
            .await
            .iter()
            .map(UnitName::to_string)
            .collect();
        assert_eq!(units, ["bare/0", "shipper/1"]);
        drop(house);
        fixture.end().await;
    }
}

#[tokio::test]
async fn goal_state_is_what_will_be_there() {
    for fixture in fixtures().await {
        let mut house = House::new(&fixture, "default").await;
        house.deploy("site", 2).await;
        house.deploy("front", 1).await;
        house.deploy("shipper", 0).await;
        house.relate("site", "front").await;
        house.relate("shipper", "site").await;
        let store = &fixture.store;
        let goal = store
            .goal_state(&house.model, &unit("front/0"))
            .await
            .unwrap();
        let there: Vec<&String> = goal.relations["website"].keys().collect();
        assert_eq!(there, ["site", "site/0", "site/1"]);
        assert_eq!(goal.relations["website"]["site"].status, "joining");
        house.settle().await;
        store
            .remove_unit(&house.model, &unit("site/1"), false)
            .await
            .expect("dying");
        let goal = store
            .goal_state(&house.model, &unit("site/0"))
            .await
            .unwrap();
        assert_eq!(goal.units["site/1"].status, "dying");
        assert_eq!(
            goal.relations.keys().collect::<Vec<_>>(),
            ["juju-info", "website"]
        );
        let near: Vec<&String> = goal.relations["juju-info"].keys().collect();
        assert_eq!(near.len(), 2, "of shippers only its own: {near:?}");
        drop(house);
        fixture.end().await;
    }
}

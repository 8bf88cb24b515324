//! Which relations there can be.

use bytes::Bytes;
use periapt_model::status::{Agent, Status};
use periapt_wire::rest::Refresh;

use super::*;
use crate::testing::{fixtures, machine};

#[tokio::test]
async fn a_relation_is_made_once_and_named() {
    for fixture in fixtures().await {
        let house = House::new(&fixture, "default").await;
        house.deploy("site", 1).await;
        house.deploy("front", 1).await;
        let made = house.integrate("site", "front").await.expect("made");
        assert_eq!(made.key, "front:website site:website");
        assert_eq!(
            (made.scope.as_str(), made.status.status.as_str()),
            ("global", "joining")
        );
        let roles: Vec<&str> = made.endpoints.iter().map(|end| end.role.as_str()).collect();
        assert_eq!(roles, ["requirer", "provider"]);
        let again = house.integrate("front", "site").await.unwrap_err();
        assert_eq!(again.refusal().code(), "relation-already-exists");
        assert!(
            again.to_string().contains("front:website site:website"),
            "{again}"
        );
        for (one, other, code) in [
            ("site", "site", "relation-with-itself"),
            ("site:cluster", "front", "endpoint-is-peer"),
            ("site:nothing", "front", "endpoint-not-found"),
            ("site", "absent", "application-not-found"),
        ] {
            let refused = house.integrate(one, other).await.unwrap_err();
            assert_eq!(refused.refusal().code(), code, "{refused}");
        }
        let store = &fixture.store;
        let all = store.relations(&house.model).await.unwrap();
        let keys: Vec<&str> = all.iter().map(|relation| relation.key.as_str()).collect();
        assert_eq!(keys, ["site:cluster", "front:website site:website"]);
        for relation in &all {
            let alone = store.relation(&house.model, relation.id).await.unwrap();
            assert_eq!(
                serde_json::to_value(&alone).unwrap(),
                serde_json::to_value(relation).unwrap()
            );
        }
        let peers = store
            .remove_relation(&house.model, all[0].id, false)
            .await
            .unwrap_err();
        assert_eq!(peers.refusal().call_code(), "relation-is-peer");
        let peers = store
            .change_relation(&house.model, all[0].id, true, "")
            .await
            .unwrap_err();
        assert_eq!(peers.refusal().call_code(), "relation-is-peer");
        drop(house);
        fixture.end().await;
    }
}

#[tokio::test]
async fn an_endpoint_takes_no_more_than_its_limit() {
    for fixture in fixtures().await {
        let house = House::new(&fixture, "default").await;
        house.deploy("site", 0).await;
        for name in ["front", "back"] {
            house.deploy(name, 0).await;
            house.relate(name, "site").await;
        }
        let mut third = request("third", 0);
        third.charm = "local:front-0".to_owned();
        fixture
            .store
            .deploy(&house.model, third)
            .await
            .expect("deployed");
        let refused = house.integrate("third", "site").await.unwrap_err();
        assert_eq!(refused.refusal().call_code(), "relation-limit-exceeded");
        let text = refused.to_string();
        assert!(text.contains("front:website site:website"), "{text}");
        assert!(text.contains("back:website site:website"), "{text}");
        drop(house);
        fixture.end().await;
    }
}

#[tokio::test]
async fn a_dying_application_is_not_related() {
    for fixture in fixtures().await {
        let house = House::new(&fixture, "default").await;
        house.deploy("site", 1).await;
        house.deploy("front", 1).await;
        let store = &fixture.store;
        store
            .remove_application(&house.model, &application("site"), false)
            .await
            .expect("dying");
        let refused = house.integrate("front", "site").await.unwrap_err();
        assert_eq!(refused.refusal().code(), "application-dying");
        drop(house);
        fixture.end().await;
    }
}

#[tokio::test]
async fn a_refresh_keeps_endpoints_in_use_and_makes_new_peers() {
    for fixture in fixtures().await {
        let house = House::new(&fixture, "default").await;
        house.deploy("site", 0).await;
        house.deploy("front", 0).await;
        house.relate("site", "front").await;
        let (store, site) = (&fixture.store, application("site"));
        let lacking = metadata("site", r#"{"name":"site","peers":{"cluster":"site-peer"}}"#);
        let lacking = store
            .add_charm(&house.model, lacking, Bytes::from_static(b"lacking"))
            .await
            .expect("charm");
        assert_eq!(lacking.url, upgraded("site"));
        let to = |charm: &CharmInfo| Refresh {
            capabilities: Default::default(),
            storage: Default::default(),
            channel: None,
            resources: Default::default(),
            charm: charm.url.to_string(),
            config: Default::default(),
            force_units: false,
        };
        let refused = store
            .refresh(&house.model, &site, to(&lacking))
            .await
            .unwrap_err();
        assert_eq!(refused.refusal().call_code(), "charm-breaks-relations");
        assert!(
            refused.to_string().contains("front:website site:website"),
            "{refused}"
        );
        let more = r#"{"name":"site","provides":{"website":"http"},"peers":{"cluster":"site-peer","second":"more"}}"#;
        let more = store
            .add_charm(
                &house.model,
                metadata("site", more),
                Bytes::from_static(b"more"),
            )
            .await
            .expect("charm");
        for _ in 0..2 {
            store
                .refresh(&house.model, &site, to(&more))
                .await
                .expect("refreshed");
        }
        let all = store.relations(&house.model).await.unwrap();
        let keys: Vec<&str> = all.iter().map(|relation| relation.key.as_str()).collect();
        assert_eq!(
            keys,
            ["site:cluster", "front:website site:website", "site:second"]
        );
        drop(house);
        fixture.end().await;
    }
}

#[tokio::test]
async fn units_go_to_the_machines_they_are_placed_on() {
    for fixture in fixtures().await {
        let house = House::new(&fixture, "default").await;
        let store = &fixture.store;
        let added = store.add_machines(&house.model, 2).await.expect("added");
        let ids: Vec<&str> = added.iter().map(|machine| machine.id.as_str()).collect();
        assert_eq!(ids, ["0", "1"]);
        let mut placed = request("bare", 2);
        placed.placement = vec![machine("1")];
        store.deploy(&house.model, placed).await.expect("deployed");
        house.place().await;
        let units = store
            .units(&house.model, &crate::testing::present)
            .await
            .unwrap();
        let machines: Vec<_> = units
            .iter()
            .map(|unit| unit.machine.clone().unwrap())
            .collect();
        assert_eq!(machines, [machine("1"), machine("2")]);

        let bare = application("bare");
        let absent = store
            .add_units_to(&house.model, &bare, 1, vec![machine("7")], Vec::new())
            .await;
        assert_eq!(absent.unwrap_err().refusal().code(), "machine-not-found");
        let many = store
            .add_units_to(
                &house.model,
                &bare,
                1,
                vec![machine("0"), machine("1")],
                Vec::new(),
            )
            .await;
        assert!(many.is_err());
        store
            .add_units_to(&house.model, &bare, 1, vec![machine("0")], Vec::new())
            .await
            .expect("staged");
        store
            .remove_machine(&house.model, &machine("0"), false)
            .await
            .expect("going");
        let staged = store.unit_assignments(&house.model).await.unwrap();
        let assigned = store.assign_units(&house.model, &staged).await.unwrap();
        assert_eq!(assigned[0].error.as_deref(), Some("machine \"0\" is dying"));
        assert_eq!(store.unit_assignments(&house.model).await.unwrap(), staged);

        let used = store
            .remove_machine(&house.model, &machine("1"), false)
            .await
            .unwrap_err();
        assert_eq!(used.refusal().call_code(), "machine has assigned units");
        assert!(used.to_string().contains("bare/0"), "{used}");
        let forced = store
            .remove_machine(&house.model, &machine("1"), true)
            .await
            .unwrap();
        assert_eq!(forced.units, [unit("bare/0")]);
        house.force_through().await;
        let left = store
            .machine(&house.model, &machine("1"), &crate::testing::present)
            .await;
        assert_eq!(left.unwrap().life, Life::Dead);
        drop(house);
        fixture.end().await;
    }
}

#[tokio::test]
async fn an_endpoint_in_use_keeps_its_scope_and_its_room() {
    for fixture in fixtures().await {
        let house = House::new(&fixture, "default").await;
        house.deploy("site", 0).await;
        house.deploy("front", 0).await;
        house.deploy("back", 0).await;
        let id = house.relate("site", "front").await;
        house.relate("site", "back").await;
        let (store, site) = (&fixture.store, application("site"));
        let peers = r#""peers":{"cluster":"site-peer"}"#;
        let mut revisions = 0;
        for (website, refused) in [
            (
                r#"{"interface":"http","scope":"container"}"#,
                Some("has scope container, not global"),
            ),
            (
                r#"{"interface":"https"}"#,
                Some("interface \"https\", not \"http\""),
            ),
            (
                r#"{"interface":"http","limit":1}"#,
                Some("takes at most 1 relations, not 2"),
            ),
            (r#"{"interface":"http","limit":2}"#, None),
        ] {
            revisions += 1;
            let text = format!(r#"{{"name":"site","provides":{{"website":{website}}},{peers}}}"#);
            let archive = Bytes::from(format!("revision {revisions}"));
            let charm = store
                .add_charm(&house.model, metadata("site", &text), archive)
                .await;
            let request = Refresh {
                capabilities: Default::default(),
                storage: Default::default(),
                channel: None,
                resources: Default::default(),
                charm: charm.expect("charm").url.to_string(),
                config: Default::default(),
                force_units: true,
            };
            let answer = store.refresh(&house.model, &site, request).await;
            match refused {
                None => drop(answer.expect(website)),
                Some(why) => {
                    let error = answer.expect_err(website);
                    assert_eq!(error.refusal().call_code(), "charm-breaks-relations");
                    assert!(error.to_string().contains(why), "{error}");
                    assert!(
                        error.to_string().contains("front:website site:website"),
                        "{error}"
                    );
                }
            }
            let relation = store.relation(&house.model, id).await.expect("relation");
            assert_eq!(relation.scope, "global");
        }
        fixture.end().await;
    }
}

/// Others than hooks fail too: what a forced removal answers then keeps no hook from beginning that was
/// decided on with that answer.
#[tokio::test]
async fn a_forced_removal_of_a_unit_that_is_in_error_without_a_failed_hook_goes_on() {
    for fixture in fixtures().await {
        let mut house = House::new(&fixture, "errors").await;
        house.deploy("site", 2).await;
        house.settle().await;
        let (store, name) = (&fixture.store, unit("site/0"));
        let error = Status::new(Agent::Error, "it cannot be assigned");
        store
            .set_agent_status(&house.model, &name, error)
            .await
            .unwrap();
        store.remove_unit(&house.model, &name, true).await.unwrap();
        store.cleanup(&house.model).await.unwrap();
        let remote = store.get_remote_state(&house.model, &name).await.unwrap();
        assert_eq!(remote.unwrap().resolved, Resolved::NoHooks);
        house.settle().await;
        assert_eq!(house.units().await, [unit("site/1")]);
        fixture.end().await;
    }
}

//! What only leaders may change and read.

use periapt_model::Tag;

use super::*;
use crate::testing::fixtures;

#[tokio::test]
async fn leader_only_writes_need_the_lease_at_the_commit() {
    for fixture in fixtures().await {
        let mut house = House::new(&fixture, "default").await;
        house.deploy("site", 2).await;
        house.deploy("front", 1).await;
        let id = house.relate("site", "front").await;
        house.settle().await;
        let store = &fixture.store;
        house.lead("site/0").await.expect("won");
        let effects = Effects {
            state: [("key".to_owned(), Some("value".to_owned()))].into(),
            leader: leader_setting("token", "one").leader,
            ..application_setting(id, "vip", "10.0.0.1")
        };
        let committed = house
            .commit("site/0", None, effects.clone())
            .await
            .expect("leads");
        assert_eq!(committed.told.remote.leader_settings_version, 1);
        assert_eq!(
            house.remote("front/0").await[&id].applications[&application("site")],
            1
        );
        let told = store
            .leader_settings(&house.model, &unit("site/1"))
            .await
            .unwrap();
        assert_eq!(told["token"], "one");
        let minion = store
            .get_remote_state(&house.model, &unit("site/1"))
            .await
            .unwrap()
            .unwrap();
        assert_eq!(minion.leader_settings_version, 1);
        house
            .commit("site/0", None, leader_setting("token", "one"))
            .await
            .expect("the same");
        let minion = store
            .get_remote_state(&house.model, &unit("site/1"))
            .await
            .unwrap()
            .unwrap();
        assert_eq!(minion.leader_settings_version, 1);

        // The lease moves between the hook's begin and its commit.
        fixture.clock.advance(Duration::from_secs(61));
        house.lead("site/1").await.expect("won");
        for changed in [
            leader_setting("token", "two"),
            application_setting(id, "vip", "10.0.0.2"),
        ] {
            let effects = Effects {
                state: effects.state.clone(),
                ..changed
            };
            let other = Effects {
                state: [("lost".to_owned(), Some(String::new()))].into(),
                ..effects
            };
            let refused = house.commit("site/0", None, other).await.unwrap_err();
            assert_eq!(refused.refusal().call_code(), "leadership claim denied");
        }
        let state = store
            .get_state(&house.model, &unit("site/0"))
            .await
            .unwrap();
        assert!(
            !state.charm_state.contains_key("lost"),
            "nothing of it is written"
        );
        assert_eq!(
            store
                .leader_settings(&house.model, &unit("site/0"))
                .await
                .unwrap()["token"],
            "one"
        );
        drop(house);
        fixture.end().await;
    }
}

#[tokio::test]
async fn each_reads_what_is_its_to_read() {
    for fixture in fixtures().await {
        let mut house = House::new(&fixture, "default").await;
        house.deploy("site", 2).await;
        house.deploy("front", 1).await;
        house.deploy("bare", 1).await;
        let id = house.relate("site", "front").await;
        house.settle().await;
        house.lead("site/0").await.expect("won");
        house
            .commit("site/0", None, application_setting(id, "vip", "1"))
            .await
            .expect("written");
        let peers = house.remote("site/0").await;
        let (peer, _) = peers
            .iter()
            .find(|(_, relation)| relation.peer)
            .expect("peers");
        house
            .commit("site/0", None, application_setting(*peer, "seed", "2"))
            .await
            .expect("written");
        let read = |who: &str, relation: u64, of: Tag| {
            let (store, model, who) = (&fixture.store, house.model.clone(), unit(who));
            async move { store.relation_settings(&model, &who, relation, &of).await }
        };
        let of_site = || Tag::Application(application("site"));
        let of_unit = |name: &str| Tag::Unit(unit(name));
        assert_eq!(read("front/0", id, of_site()).await.unwrap()["vip"], "1");
        assert_eq!(read("site/0", id, of_site()).await.unwrap()["vip"], "1");
        assert_eq!(
            read("site/1", id, of_site())
                .await
                .unwrap_err()
                .refusal()
                .call_code(),
            "leadership claim denied"
        );
        assert_eq!(read("site/1", *peer, of_site()).await.unwrap()["seed"], "2");
        assert!(read("site/1", *peer, of_unit("site/0")).await.is_ok());
        assert!(read("site/1", id, of_unit("site/1")).await.is_ok());
        for (who, relation, of, code) in [
            ("site/1", id, of_unit("site/0"), "not found"),
            ("front/0", id, of_unit("bare/0"), "not found"),
            ("front/0", id, of_unit("site/9"), "not found"),
            ("front/0", 99, of_site(), "not found"),
            ("bare/0", id, of_site(), "not-in-scope"),
            (
                "front/0",
                id,
                Tag::Machine("0".parse().unwrap()),
                "bad request",
            ),
        ] {
            let refused = read(who, relation, of).await.unwrap_err();
            assert_eq!(refused.refusal().call_code(), code, "{who}: {refused}");
        }
        drop(house);
        fixture.end().await;
    }
}

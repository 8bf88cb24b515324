//! What applications say of the storage of their units, as they come and change.

use periapt_wire::rest::Refresh;

use super::*;

#[tokio::test]
async fn units_share_a_storage_also_those_that_come_later() {
    for fixture in fixtures().await {
        let room = Room::new(&fixture).await;
        room.deploy(1, &[("pool", "1")]).await.expect("deployed");
        let store = &fixture.store;
        let added = store.add_units(&room.model, &application("site"), 1).await;
        added.expect("added");
        room.place().await;
        room.provide().await;
        assert_eq!(
            room.held().await,
            held(&[
                ("pool/0", &["site/0", "site/1"]),
                ("data/1", &["site/0"]),
                ("data/2", &["site/1"])
            ])
        );
        let pool = room.one("pool/0").await;
        assert_eq!(pool.owner.as_deref(), Some("site"));
        assert_eq!(
            code(room.detach("pool/0", true).await),
            Refusal::StorageNotDetachable
        );
        // It stays while its application does.
        for name in ["site/0", "site/1"] {
            room.start(name).await;
            let removed = store.remove_unit(&room.model, &unit(name), false).await;
            assert_eq!(removed.expect("removed").detached_storage.len(), 1);
            room.let_go(name).await;
        }
        assert_eq!(room.one("pool/0").await.owner.as_deref(), Some("site"));
        fixture.end().await;
    }
}

#[tokio::test]
async fn units_that_make_a_minimum_good_are_given_storage_as_well() {
    for fixture in fixtures().await {
        let room = Room::new(&fixture).await;
        room.deploy(1, &[("pool", "1")]).await.expect("deployed");
        let (store, site) = (&fixture.store, application("site"));
        let set = store.set_min_units(&room.model, &site, 2).await;
        set.expect("set");
        let made = store.rescale(&room.model, &site).await.expect("scaled");
        assert_eq!(made, [unit("site/1")]);
        assert_eq!(
            room.held().await,
            held(&[
                ("pool/0", &["site/0", "site/1"]),
                ("data/1", &["site/0"]),
                ("data/2", &["site/1"])
            ])
        );
        fixture.end().await;
    }
}

#[tokio::test]
async fn what_is_there_is_attached_to_a_new_unit_in_place_of_new_storage() {
    for fixture in fixtures().await {
        let room = Room::new(&fixture).await;
        room.deploy(1, &[("data", "2")]).await.expect("deployed");
        room.provide().await;
        room.start("site/0").await;
        room.detach("data/0", false).await.expect("asked");
        room.let_go("site/0").await;
        let (store, model) = (&fixture.store, &room.model);
        let add = |count: u32, ids: &[&str]| {
            let ids = ids.iter().map(|text| id(text)).collect();
            let site = application("site");
            async move {
                store
                    .add_units_to(model, &site, count, Vec::new(), ids)
                    .await
            }
        };
        assert_eq!(code(add(2, &["data/0"]).await), Refusal::StorageInvalid);
        assert_eq!(code(add(1, &["data/1"]).await), Refusal::StorageIsAttached);
        add(1, &["data/0"]).await.expect("added");
        assert_eq!(
            room.held().await,
            held(&[
                ("data/0", &["site/1"]),
                ("data/1", &["site/0"]),
                ("data/2", &["site/1"])
            ])
        );
        fixture.end().await;
    }
}

#[tokio::test]
async fn what_cannot_be_given_is_refused_before_anything_is_made() {
    for fixture in fixtures().await {
        let room = Room::new(&fixture).await;
        for (storage, refusal) in [
            (("dat", "1"), Refusal::StorageInvalid),
            (("data", "4"), Refusal::StorageInvalid),
            (("data", "lop"), Refusal::NotFound(Subject::StoragePool)),
        ] {
            assert_eq!(code(room.deploy(1, &[storage]).await), refusal);
        }
        // 3 for each of 334 units are more than one request makes.
        assert_eq!(
            code(room.deploy(334, &[("data", "3")]).await),
            Refusal::StorageInvalid
        );
        assert!(room.all().await.is_empty());
        fixture.end().await;
    }
}

#[tokio::test]
async fn another_charm_takes_nothing_away_and_gives_what_it_needs_besides() {
    for fixture in fixtures().await {
        let room = Room::new(&fixture).await;
        room.deploy(2, &[]).await.expect("deployed");
        room.provide().await;
        let (store, model) = (&fixture.store, &room.model);
        let refresh = |charm: String| {
            let request = Refresh {
                capabilities: Default::default(),
                storage: Default::default(),
                charm,
                force_units: false,
                resources: Default::default(),
                config: Default::default(),
                channel: None,
            };
            let site = application("site");
            async move { store.refresh(model, &site, request).await }
        };
        let without = room.charm(r#"{"name":"site"}"#).await;
        assert_eq!(code(refresh(without).await), Refusal::StorageIncompatible);
        let more = room
            .charm(
                r#"{"name":"site","storage":{
                    "data":{"type":"filesystem","multiple":{"range":"1-4"}},
                    "logs":{"type":"filesystem","minimum-size":"2G"},
                    "pool":{"type":"filesystem","shared":true}}}"#,
            )
            .await;
        refresh(more).await.expect("refreshed");
        let mut held_now = room.held().await;
        held_now.sort();
        assert_eq!(
            held_now,
            held(&[
                ("data/0", &["site/0"]),
                ("data/1", &["site/1"]),
                ("logs/2", &["site/0"]),
                ("logs/3", &["site/1"]),
                ("pool/4", &["site/0", "site/1"])
            ])
        );
        assert_eq!(room.one("logs/2").await.size, 2048);
        // Whoever comes later has the same.
        let added = store.add_units(&room.model, &application("site"), 1).await;
        added.expect("added");
        let all = room.held().await;
        let names = all
            .iter()
            .filter(|(_, units)| units.contains(&"site/2".to_owned()));
        assert_eq!(names.count(), 3);
        let block = room
            .charm(
                r#"{"name":"site","storage":{
                    "data":{"type":"filesystem","multiple":{"range":"1-4"}},
                    "logs":{"type":"filesystem","minimum-size":"2G"},
                    "pool":{"type":"filesystem","shared":true},
                    "disk":{"type":"block"}}}"#,
            )
            .await;
        assert_eq!(code(refresh(block).await), Refusal::StorageKindUnsupported);
        fixture.end().await;
    }
}

#[tokio::test]
async fn a_refresh_says_what_units_are_given_from_now_on() {
    for fixture in fixtures().await {
        let room = Room::new(&fixture).await;
        room.deploy(1, &[("pool", "1")]).await.expect("deployed");
        room.provide().await;
        let (store, model) = (&fixture.store, &room.model);
        let refresh = |charm: &str, storage: &[(&str, &str)]| {
            let storage = storage
                .iter()
                .map(|(name, text)| ((*name).to_owned(), text.parse::<Asked>().expect("asked")));
            let request = Refresh {
                capabilities: Default::default(),
                storage: storage.collect(),
                charm: charm.to_owned(),
                force_units: false,
                resources: Default::default(),
                config: Default::default(),
                channel: None,
            };
            let site = application("site");
            async move { store.refresh(model, &site, request).await }
        };
        // With the same charm nothing is made for the unit that is there.
        let same = "local:site-0";
        refresh(same, &[("data", "2,64M")])
            .await
            .expect("refreshed");
        assert_eq!(room.held().await.len(), 2);
        let added = store.add_units(model, &application("site"), 1).await;
        added.expect("added");
        assert_eq!(
            room.held().await,
            held(&[
                ("pool/0", &["site/0", "site/1"]),
                ("data/1", &["site/0"]),
                ("data/2", &["site/1"]),
                ("data/3", &["site/1"])
            ])
        );
        let second = room.one("data/3").await;
        assert_eq!((second.size, second.pool.as_str()), (64, "rootfs"));
        for (name, asked, refusal) in [
            ("dat", "1", Refusal::StorageInvalid),
            ("data", "4", Refusal::StorageInvalid),
            ("data", "lop", Refusal::NotFound(Subject::StoragePool)),
        ] {
            let refused = refresh(same, &[(name, asked)]).await;
            assert_eq!(code(refused), refusal, "{name}={asked}");
        }

        // What another charm needs besides is made as it is asked for, also for units that are there.
        let more = room
            .charm(
                r#"{"name":"site","storage":{
                    "data":{"type":"filesystem","multiple":{"range":"1-3"}},
                    "cache":{"type":"filesystem","multiple":{"range":"0-1"}},
                    "logs":{"type":"filesystem"},
                    "all":{"type":"filesystem","shared":true,"multiple":{"range":"0-2"}},
                    "pool":{"type":"filesystem","shared":true,"multiple":{"range":"0-1"}}}}"#,
            )
            .await;
        let asked = [("logs", "tmpfs,16M"), ("all", "2,32M")];
        refresh(&more, &asked).await.expect("refreshed");
        let all = room.held().await;
        let of = |name: &str| {
            let found = all.iter().filter(|(id, _)| id.starts_with(name));
            found.map(|(_, units)| units.len()).collect::<Vec<_>>()
        };
        assert_eq!(
            (of("logs/"), of("all/")),
            (vec![1, 1], vec![2, 2]),
            "{all:?}"
        );
        for one in room.all().await {
            let (name, pool, size) = (one.id.name(), one.pool.as_str(), one.size);
            match name {
                "logs" => assert_eq!((pool, size), ("tmpfs", 16)),
                "all" => assert_eq!((pool, size), ("rootfs", 32)),
                _ => {}
            }
        }
        let fewer = refresh(&more, &[("all", "1")]).await;
        assert_eq!(code(fewer), Refusal::StorageInvalid, "the units share them");
        fixture.end().await;
    }
}

#[tokio::test]
async fn a_refresh_makes_no_more_shared_storage_than_one_request_may() {
    for fixture in fixtures().await {
        let room = Room::new(&fixture).await;
        room.deploy(1, &[]).await.expect("deployed");
        let (store, model) = (&fixture.store, &room.model);
        let before = room.all().await.len();
        for (charm, asked) in [
            // As many as a person asks for.
            (
                r#"{"name":"site","storage":{
                    "data":{"type":"filesystem","multiple":{"range":"1-3"}},
                    "pool":{"type":"filesystem","shared":true,"multiple":{"range":"0-1"}},
                    "vast":{"type":"filesystem","shared":true,"multiple":{"range":"0+"}}}}"#,
                Some("4000000000"),
            ),
            // As many as the charm declares.
            (
                r#"{"name":"site","storage":{
                    "data":{"type":"filesystem","multiple":{"range":"1-3"}},
                    "pool":{"type":"filesystem","shared":true,"multiple":{"range":"0-1"}},
                    "vast":{"type":"filesystem","shared":true,"multiple":{"range":"4000000000+"}}}}"#,
                None,
            ),
        ] {
            let asked = asked.map(|text| {
                let asked: Asked = text.parse().expect("asked");
                ("vast".to_owned(), asked)
            });
            let request = Refresh {
                capabilities: Default::default(),
                storage: asked.into_iter().collect(),
                charm: room.charm(charm).await,
                force_units: false,
                resources: Default::default(),
                config: Default::default(),
                channel: None,
            };
            let refused = store.refresh(model, &application("site"), request).await;
            assert_eq!(code(refused), Refusal::StorageInvalid);
            assert_eq!(room.all().await.len(), before);
        }
        fixture.end().await;
    }
}

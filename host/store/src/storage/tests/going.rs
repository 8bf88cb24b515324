//! What becomes of storage as units, applications and models go.

use std::time::Duration;

use periapt_model::removal::{Force, Going};

use super::*;

fn with_storage(force: Force) -> Going {
    Going {
        force,
        destroy_storage: true,
    }
}

#[tokio::test]
async fn what_outlives_a_unit_stays_and_the_rest_goes_with_it() {
    for fixture in fixtures().await {
        let room = Room::new(&fixture).await;
        room.deploy(1, &[("cache", "tmpfs")])
            .await
            .expect("deployed");
        room.provide().await;
        room.start("site/0").await;
        let store = &fixture.store;
        let removed = store.remove_unit(&room.model, &unit("site/0"), false).await;
        let removed = removed.expect("removed");
        assert_eq!(removed.destroyed_storage, [id("cache/0")]);
        assert_eq!(removed.detached_storage, [id("data/1")]);
        let ended = store.ensure_unit_dead(&room.model, &unit("site/0")).await;
        assert_eq!(code(ended), Refusal::TryAgain, "it has storage");
        room.let_go("site/0").await;
        let ended = store.ensure_unit_dead(&room.model, &unit("site/0")).await;
        ended.expect("dead");
        let gone = store.remove_dead_unit(&room.model, &unit("site/0")).await;
        gone.expect("gone");
        room.provide().await;
        assert_eq!(room.destroyed(), ["cache/0"]);
        assert_eq!(room.held().await, held(&[("data/1", &[])]));
        assert_eq!(room.status("data/1").await, status::Storage::Detached);
        fixture.end().await;
    }
}

#[tokio::test]
async fn with_its_storage_a_unit_leaves_nothing() {
    for fixture in fixtures().await {
        let room = Room::new(&fixture).await;
        room.deploy(2, &[("pool", "1")]).await.expect("deployed");
        room.provide().await;
        for name in ["site/0", "site/1"] {
            room.start(name).await;
        }
        let store = &fixture.store;
        let going = with_storage(Force::No);
        let removed = store.remove_unit(&room.model, &unit("site/0"), going).await;
        assert_eq!(
            removed.expect("removed").destroyed_storage,
            [id("data/1")],
            "the shared one is not the unit's"
        );
        room.let_go("site/0").await;
        room.provide().await;
        assert_eq!(room.destroyed(), ["data/1"]);
        let going = with_storage(Force::No);
        let removed = store
            .remove_application(&room.model, &application("site"), going)
            .await;
        let removed = removed.expect("removed");
        assert_eq!(removed.destroyed_storage, [id("pool/0"), id("data/2")]);
        store.cleanup(&room.model).await.expect("cleaned");
        for name in ["site/0", "site/1"] {
            room.let_go(name).await;
        }
        room.provide().await;
        assert!(room.all().await.is_empty(), "{:?}", room.held().await);
        fixture.end().await;
    }
}

#[tokio::test]
async fn force_takes_storage_from_a_unit_that_does_not_let_go() {
    for fixture in fixtures().await {
        let room = Room::new(&fixture).await;
        room.deploy(1, &[]).await.expect("deployed");
        room.provide().await;
        room.start("site/0").await;
        let store = &fixture.store;
        let name = unit("site/0");
        let removed = store.remove_unit(&room.model, &name, Force::AtOnce);
        removed.await.expect("removed");
        store.cleanup(&room.model).await.expect("cleaned");
        fixture.clock.advance(Duration::from_secs(1));
        store.cleanup(&room.model).await.expect("cleaned");
        assert_eq!(room.held().await, held(&[("data/0", &[])]));
        fixture.end().await;
    }
}

#[tokio::test]
async fn what_never_was_anywhere_goes_with_its_unit() {
    for fixture in fixtures().await {
        let room = Room::new(&fixture).await;
        let store = &fixture.store;
        let deploy = request("site", 1);
        store.deploy(&room.model, deploy).await.expect("deployed");
        let removed = store.remove_unit(&room.model, &unit("site/0"), false).await;
        assert_eq!(removed.expect("removed").destroyed_storage, [id("data/0")]);
        assert!(room.all().await.is_empty());
        fixture.end().await;
    }
}

#[tokio::test]
async fn what_could_never_be_made_goes_with_its_unit_and_holds_no_model_up() {
    for fixture in fixtures().await {
        let room = Room::new(&fixture).await;
        room.deploy(1, &[("data", "loop,1")])
            .await
            .expect("deployed");
        let (store, data) = (&fixture.store, id("data/0"));
        let failed = store.set_storage_failed(&room.model, &data, "it is not allowed here");
        failed.await.expect("told");
        room.start("site/0").await;
        let removed = store.remove_unit(&room.model, &unit("site/0"), false).await;
        let removed = removed.expect("removed");
        assert_eq!(removed.destroyed_storage, [data]);
        assert!(removed.detached_storage.is_empty());
        room.let_go("site/0").await;
        assert_eq!(room.status("data/0").await, status::Storage::Error);
        // What its provider began to make is taken back.
        room.provide().await;
        assert_eq!(room.destroyed(), ["data/0"]);
        assert!(room.all().await.is_empty());
        let destroyed = store.destroy_model(&room.model, false, None).await;
        destroyed.expect("nothing needs a word");
        fixture.end().await;
    }
}

#[tokio::test]
async fn a_model_with_storage_that_outlives_units_needs_a_word_for_it() {
    for fixture in fixtures().await {
        for destroy in [true, false] {
            let room = Room::new(&fixture).await;
            room.deploy(1, &[]).await.expect("deployed");
            room.provide().await;
            let store = &fixture.store;
            let destroyed = store.destroy_model(&room.model, false, None).await;
            assert_eq!(code(destroyed), Refusal::ModelHasPersistentStorage);
            let destroyed = store.destroy_model_with(&room.model, true, Some(0), Some(destroy));
            destroyed.await.expect("goes");
            // In the middle of it nothing new comes, and what is to be kept is not forgotten.
            room.ask("site/0", "cache", 1).await.expect("ended");
            let dead = store.process_dying_model(&room.model).await;
            if !destroy {
                assert_eq!(code(dead), Refusal::ModelNotEmpty);
            }
            for _ in 0..4 {
                fixture.clock.advance(Duration::from_secs(600));
                store.cleanup(&room.model).await.expect("cleaned");
                room.provide().await;
            }
            assert!(room.all().await.is_empty(), "{:?}", room.held().await);
            let expected = vec!["data/0".to_owned()];
            match destroy {
                true => assert_eq!(room.destroyed(), expected),
                false => assert_eq!(room.given_up(), expected),
            }
            let dead = store.process_dying_model(&room.model).await;
            dead.expect("dead");
            store.remove_model(&room.model).await.expect("gone");
        }
        fixture.end().await;
    }
}

#[tokio::test]
async fn a_storage_that_goes_by_force_waits_no_longer_than_force_does() {
    for fixture in fixtures().await {
        let room = Room::new(&fixture).await;
        room.deploy(1, &[("data", "2")]).await.expect("deployed");
        room.provide().await;
        room.start("site/0").await;
        room.remove("data/0", true, true).await.expect("asked");
        let store = &fixture.store;
        store.cleanup(&room.model).await.expect("cleaned");
        room.provide().await;
        assert!(room.destroyed().is_empty(), "the unit has it");
        fixture.clock.advance(Duration::from_secs(61));
        store.cleanup(&room.model).await.expect("cleaned");
        room.provide().await;
        assert_eq!(room.destroyed(), ["data/0"]);
        assert_eq!(room.held().await, held(&[("data/1", &["site/0"])]));
        fixture.end().await;
    }
}

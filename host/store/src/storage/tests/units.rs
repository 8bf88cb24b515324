//! What units are given, add, let go of and are given again.

use super::*;

#[tokio::test]
async fn a_unit_is_told_of_its_storage_and_again_once_it_is_there() {
    for fixture in fixtures().await {
        let room = Room::new(&fixture).await;
        let store = &fixture.store;
        let deploy = request("site", 1);
        store.deploy(&room.model, deploy).await.expect("deployed");
        // Nobody has a machine yet.
        assert_eq!(room.status("data/0").await, status::Storage::Pending);
        assert_eq!(store.storage_work(&room.model, &[]).await, Ok(Vec::new()));
        room.place().await;
        let told = store.get_remote_state(&room.model, &unit("site/0")).await;
        let told = told.expect("read").expect("there").storage;
        let theirs = &told[&id("data/0")];
        assert_eq!(
            (theirs.life, theirs.ready, theirs.location.as_str()),
            (Life::Alive, false, "/storage/data/0")
        );
        assert_eq!(theirs.directory, "data-0");
        room.provide().await;
        let told = store.get_remote_state(&room.model, &unit("site/0")).await;
        assert!(told.expect("read").expect("there").storage[&id("data/0")].ready);
        let shown = room.one("data/0").await;
        assert_eq!(shown.status.status, status::Storage::Attached);
        assert_eq!((shown.size, shown.pool.as_str()), (1024, "rootfs"));
        assert_eq!(shown.owner.as_deref(), Some("site/0"));
        fixture.end().await;
    }
}

#[tokio::test]
async fn a_failure_shows_until_the_directory_is_there() {
    for fixture in fixtures().await {
        let room = Room::new(&fixture).await;
        room.deploy(1, &[]).await.expect("deployed");
        let store = &fixture.store;
        let data = id("data/0");
        let failed = store.set_storage_failed(&room.model, &data, "the disc is full");
        failed.await.expect("told");
        let shown = room.one("data/0").await.status;
        assert_eq!(
            (shown.status, shown.message.as_str()),
            (status::Storage::Error, "the disc is full")
        );
        room.provide().await;
        let shown = room.one("data/0").await.status;
        assert_eq!(
            (shown.status, shown.message.as_str()),
            (status::Storage::Attached, "")
        );
        fixture.end().await;
    }
}

#[tokio::test]
async fn hooks_and_people_add_storage_within_what_the_charm_declares() {
    for fixture in fixtures().await {
        let room = Room::new(&fixture).await;
        room.deploy(1, &[("data", "loop,2G")])
            .await
            .expect("deployed");
        room.ask("site/0", "data", 1).await.expect("added");
        let added = room.one("data/1").await;
        assert_eq!((added.pool.as_str(), added.size), ("loop", 2048));
        let store = &fixture.store;
        let (model, name) = (&room.model, &unit("site/0"));
        let more = |storage: &str, text: &str| {
            let request = periapt_wire::rest::AddStorage {
                storage: storage.to_owned(),
                asked: text.parse().expect("asked"),
            };
            store.add_storage(model, name, request)
        };
        let made = more("data", "rootfs,1").await.expect("added");
        assert_eq!((made[0].id.clone(), made[0].size), (id("data/2"), 2048));
        assert_eq!(code(more("data", "1").await), Refusal::StorageInvalid);
        assert_eq!(code(more("dat", "1").await), Refusal::StorageInvalid);
        assert_eq!(code(more("pool", "1").await), Refusal::StorageInvalid);
        let pool = more("cache", "lop").await;
        assert_eq!(code(pool), Refusal::NotFound(Subject::StoragePool));
        let asked = room.ask("site/0", "data", 1).await;
        assert_eq!(code(asked), Refusal::StorageInvalid);
        let declared = store.declared_storage(&room.model, &unit("site/0")).await;
        let declared = declared.expect("declared");
        assert_eq!(declared["data"].room, Some(0));
        assert_eq!(declared["cache"].room, Some(1));
        assert!(declared["pool"].shared);
        // To a unit that leaves nothing comes, and its hook ends.
        room.start("site/0").await;
        let name = unit("site/0");
        let removed = store.remove_unit(&room.model, &name, false);
        removed.await.expect("removed");
        room.ask("site/0", "cache", 1).await.expect("ended");
        assert_eq!(room.all().await.len(), 3);
        fixture.end().await;
    }
}

#[tokio::test]
async fn a_storage_goes_from_unit_to_unit_with_what_is_in_it() {
    for fixture in fixtures().await {
        let room = Room::new(&fixture).await;
        room.deploy(2, &[("data", "2")]).await.expect("deployed");
        room.provide().await;
        for name in ["site/0", "site/1"] {
            room.start(name).await;
        }
        assert_eq!(
            code(room.attach("data/0", "site/1").await),
            Refusal::StorageIsAttached
        );
        room.detach("data/0", false).await.expect("asked");
        assert_eq!(room.status("data/0").await, status::Storage::Detaching);
        // Until the hook has run the unit has it.
        assert_eq!(
            code(room.attach("data/0", "site/1").await),
            Refusal::StorageIsAttached
        );
        room.let_go("site/0").await;
        let free = room.one("data/0").await;
        assert_eq!(
            (free.status.status, free.owner),
            (status::Storage::Detached, None)
        );
        room.attach("data/0", "site/1").await.expect("attached");
        assert_eq!(room.status("data/0").await, status::Storage::Attached);
        // And back to the one that had it.
        room.detach("data/0", false).await.expect("asked");
        room.let_go("site/1").await;
        room.attach("data/0", "site/0").await.expect("attached");
        let store = &fixture.store;
        let told = store.get_remote_state(&room.model, &unit("site/0")).await;
        let told = told.expect("read").expect("there").storage;
        assert!(told[&id("data/0")].ready);
        // The charm needs one.
        room.detach("data/0", false).await.expect("asked");
        room.let_go("site/0").await;
        assert_eq!(
            code(room.detach("data/1", false).await),
            Refusal::StorageNotDetachable
        );
        room.detach("data/1", true).await.expect("forced");
        let missing = room.attach("data/9", "site/0").await;
        assert_eq!(code(missing), Refusal::NotFound(Subject::Storage));
        fixture.end().await;
    }
}

#[tokio::test]
async fn what_is_removed_goes_once_nobody_has_it_and_the_last_word_counts() {
    for fixture in fixtures().await {
        let room = Room::new(&fixture).await;
        room.deploy(1, &[("data", "3")]).await.expect("deployed");
        room.provide().await;
        room.start("site/0").await;
        assert_eq!(
            code(room.remove("data/0", false, true).await),
            Refusal::StorageIsAttached
        );
        room.remove("data/0", true, true).await.expect("asked");
        room.remove("data/1", true, true).await.expect("asked");
        room.remove("data/1", true, false).await.expect("asked");
        room.provide().await;
        assert!(room.destroyed().is_empty(), "the unit has them");
        room.let_go("site/0").await;
        room.provide().await;
        assert_eq!(
            (room.destroyed(), room.given_up()),
            (vec!["data/0".to_owned()], vec!["data/1".to_owned()])
        );
        assert_eq!(room.held().await, held(&[("data/2", &["site/0"])]));
        // A word that comes too late forgets nothing.
        let store = &fixture.store;
        let data = id("data/2");
        let late = store.forget_storage(&room.model, &data);
        late.await.expect("passed");
        assert_eq!(room.all().await.len(), 1);
        fixture.end().await;
    }
}

#[tokio::test]
async fn pages_and_owners_cut_the_list() {
    for fixture in fixtures().await {
        let room = Room::new(&fixture).await;
        room.deploy(2, &[("data", "2"), ("pool", "1")])
            .await
            .expect("deployed");
        let store = &fixture.store;
        let model = &room.model;
        let list = |of: &str, limit, after: &str| {
            let query = StorageQuery {
                of: Some(of.to_owned()),
                limit,
                after: Some(after.to_owned()),
            };
            async move {
                let page = store.storages(model, &query).await.expect("page");
                let ids = page.items.iter().map(|one| one.id.to_string());
                (ids.collect::<Vec<_>>(), page.next)
            }
        };
        let (first, next) = list("", Some(2), "").await;
        assert_eq!((first.len(), next.as_deref()), (2, Some("data/1")));
        let (rest, next) = list("", None, "data/1").await;
        assert_eq!((rest.len(), next), (3, None));
        let (of_unit, _) = list("site/1", None, "").await;
        assert_eq!(of_unit.len(), 3);
        let (of_all, _) = list("site", None, "").await;
        assert_eq!(of_all.len(), 5);
        fixture.end().await;
    }
}

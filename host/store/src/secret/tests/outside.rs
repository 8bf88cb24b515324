//! Contents outside, the keys of models, and the back ends.

use periapt_model::config::Value;
use periapt_wire::agent::secrets::Misplaced;
use periapt_wire::rest::ConfigChange;

use super::*;
use crate::{BackendChange, Resealed, SealedKey, Setter, StoreError, Succession};

fn key(under: &str, sealed: &str) -> SealedKey {
    SealedKey {
        under: under.to_owned(),
        sealed: sealed.to_owned(),
    }
}

fn backend(under: &str, sealed: &str, interval: Option<u64>) -> BackendChange {
    BackendChange {
        config: [("endpoint".to_owned(), "https://vault".to_owned())].into(),
        secret_config: key(under, sealed),
        token_rotate_interval: interval,
    }
}

impl Room<'_> {
    async fn with_vault(&self) {
        let store = &self.fixture.store;
        let added = store.add_secret_backend("vault", "vault", backend("first", "token", None));
        added.await.expect("added");
    }

    async fn want(&self, name: &str) {
        let change = ConfigChange {
            set: [("secret-backend".to_owned(), Value::Text(name.to_owned()))].into(),
            reset: Vec::new(),
        };
        let store = &self.fixture.store;
        let set = store
            .set_model_config(&self.model, change, Setter::Admin)
            .await;
        set.expect("set");
    }

    async fn expect(&self, content: &Sealed) {
        let store = &self.fixture.store;
        let expected =
            store.expect_secret_content(&self.model, &content.backend, &content.content_id);
        expected.await.expect("expected");
    }

    async fn left(&self) -> Vec<String> {
        let left = self
            .fixture
            .store
            .take_secret_leftovers()
            .await
            .expect("read");
        left.into_iter().map(|one| one.content_id).collect()
    }
}

#[tokio::test]
async fn what_no_commit_names_is_left_over_and_what_one_names_is_not_until_it_goes() {
    for fixture in fixtures().await {
        let room = Room::new(&fixture).await;
        room.with_vault().await;
        let (store, model) = (&fixture.store, &room.model);
        let (named, forgotten) = (room.kept("vault", "one"), room.kept("vault", "two"));
        room.expect(&named).await;
        room.expect(&forgotten).await;
        store
            .add_user_secret(model, &id(1), "one", "", named.clone())
            .await
            .expect("added");
        assert!(room.left().await.is_empty(), "there is time to commit");
        let next = store
            .next_secret_leftover()
            .await
            .expect("read")
            .expect("one");
        assert_eq!(next, room.now() + 600 * SECOND);
        fixture.clock.advance(Duration::from_secs(600));
        assert_eq!(
            room.left().await,
            std::slice::from_ref(&forgotten.content_id)
        );
        // It is being removed: no commit names it any more.
        let late = store
            .add_user_secret(model, &id(2), "two", "", forgotten.clone())
            .await;
        assert_eq!(late.expect_err("late").refusal().code(), "try-again");
        // Whoever took it and was not heard of again leaves it to others.
        assert_eq!(
            room.left().await,
            std::slice::from_ref(&forgotten.content_id)
        );
        let left = store.take_secret_leftovers().await.expect("read");
        store
            .secret_leftover_stays(&left[0])
            .await
            .expect("put off");
        assert!(room.left().await.is_empty());
        fixture.clock.advance(Duration::from_secs(60));
        let left = store.take_secret_leftovers().await.expect("read");
        store.secret_leftover_gone(&left[0]).await.expect("gone");
        assert_eq!(store.next_secret_leftover().await.expect("read"), None);
        // With the secret its content is left over at once, also with the whole model.
        store
            .remove_user_secret(model, "one", None)
            .await
            .expect("removed");
        assert_eq!(room.left().await, [named.content_id]);
        let kept = room.kept("vault", "three");
        room.expect(&kept).await;
        store
            .add_user_secret(model, &id(3), "three", "", kept.clone())
            .await
            .expect("added");
        let gone = model.clone();
        let removed = store
            .write(move |tx| Box::pin(async move { crate::tables::remove_model(tx, &gone).await }));
        removed.await.expect("removed");
        assert!(room.left().await.contains(&kept.content_id));
        fixture.end().await;
    }
}

#[tokio::test]
async fn revisions_move_to_where_the_model_wants_them() {
    for fixture in fixtures().await {
        let room = Room::new(&fixture).await;
        room.with_vault().await;
        let (store, model, secret) = (&fixture.store, &room.model, id(1));
        room.add("site/0", Owner::Unit, &secret, "one").await;
        assert_eq!(
            store.misplaced_secrets(model, None).await.expect("read"),
            []
        );
        room.want("vault").await;
        let misplaced = store.misplaced_secrets(model, None).await.expect("read");
        assert_eq!((misplaced.len(), misplaced[0].revision), (1, 1));
        let behind = store.misplaced_secrets(model, misplaced.first()).await;
        assert_eq!(behind.expect("read"), []);
        let before = Misplaced {
            revision: 0,
            ..misplaced[0].clone()
        };
        let behind = store.misplaced_secrets(model, Some(&before)).await;
        assert_eq!(behind.expect("read"), misplaced);
        let before = store
            .secret_content(model, &secret, 1)
            .await
            .expect("read")
            .expect("there");
        let after = room.kept("vault", "one");
        room.expect(&after).await;
        let moved = store
            .move_secret(model, &secret, 1, &before, after.clone())
            .await;
        assert!(moved.expect("moved"));
        assert_eq!(
            room.read("site/0", &secret, true)
                .await
                .expect("own")
                .content,
            after
        );
        assert_eq!(
            store.misplaced_secrets(model, None).await.expect("read"),
            []
        );
        let again = store
            .move_secret(model, &secret, 1, &before, room.kept("vault", "one"))
            .await;
        assert!(!again.expect("moved already"));
        // The back end stays for as long as it is wanted, or has something.
        let wanted = store.remove_secret_backend("vault", false).await;
        assert_eq!(
            wanted.expect_err("in use").refusal().code(),
            "secret-backend-in-use"
        );
        room.want("auto").await;
        let wanted = store.remove_secret_backend("vault", false).await;
        assert_eq!(
            wanted.expect_err("in use").refusal().code(),
            "secret-backend-in-use"
        );
        let back = room.kept("internal", "one");
        assert!(
            store
                .move_secret(model, &secret, 1, &after, back)
                .await
                .expect("moved")
        );
        // What is left over in it goes first.
        let early = store.remove_secret_backend("vault", false).await;
        assert_eq!(
            early.expect_err("in use").refusal().code(),
            "secret-backend-in-use"
        );
        let left = store.take_secret_leftovers().await.expect("read");
        let named = left.iter().map(|one| one.content_id.as_str());
        assert_eq!(named.collect::<Vec<_>>(), [after.content_id.as_str()]);
        store.secret_leftover_gone(&left[0]).await.expect("gone");
        store
            .remove_secret_backend("vault", false)
            .await
            .expect("removed");
        let gone = store.secret_backend("valt").await.expect_err("gone");
        assert_eq!(gone.refusal().code(), "secret-backend-not-found");
        fixture.end().await;
    }
}

#[tokio::test]
async fn tokens_are_due_in_their_interval() {
    for fixture in fixtures().await {
        let room = Room::new(&fixture).await;
        room.with_vault().await;
        let store = &fixture.store;
        assert_eq!(store.secret_token_rotations().await.expect("read"), []);
        let before = store.secret_backend("vault").await.expect("there");
        let set = store.set_secret_backend(before, backend("first", "token", Some(3600)));
        let set = set.await.expect("set");
        let due = room.now() + 3600 * SECOND;
        assert_eq!(set.next_token_rotate, Some(due));
        let before = store.secret_backend("vault").await.expect("there");
        let set = store.set_secret_backend(before.clone(), backend("first", "third", Some(60)));
        set.await.expect("set");
        let late = store
            .set_secret_backend(before, backend("first", "fourth", None))
            .await;
        assert_eq!(late.expect_err("changed").refusal().code(), "try-again");
        fixture.clock.advance(Duration::from_secs(60));
        let before = store.secret_backend("vault").await.expect("there");
        let rotated = store.secret_token_rotated(before.clone(), key("first", "new"));
        rotated.await.expect("rotated");
        // A token that was drawn for what somebody changed meanwhile is kept nowhere.
        let late = store.secret_token_rotated(before, key("first", "other"));
        assert!(is_late(late.await));
        let kept = store.secret_backend("vault").await.expect("there");
        assert_eq!(kept.secret_config, key("first", "new"));
        let rotations = store.secret_token_rotations().await.expect("read");
        assert_eq!(rotations, [("vault".to_owned(), room.now() + 60 * SECOND)]);
        fixture.end().await;
    }
}

fn is_late(done: Result<impl std::fmt::Debug>) -> bool {
    matches!(
        done,
        Err(StoreError::Refused {
            refusal: periapt_model::Refusal::TryAgain,
            ..
        })
    )
}

#[tokio::test]
async fn nothing_comes_under_a_key_that_was_replaced() {
    for fixture in fixtures().await {
        let room = Room::new(&fixture).await;
        room.with_vault().await;
        let (store, model) = (&fixture.store, &room.model);
        let own = store
            .add_secret_key(model, key("first", "sealed"))
            .await
            .expect("made");
        assert_eq!(own, key("first", "sealed"));
        let other = store
            .add_secret_key(model, key("first", "another"))
            .await
            .expect("made");
        assert_eq!(other, own, "the first stays");
        let resealed = |models: Vec<_>| Resealed {
            succession: Succession {
                id: "second".to_owned(),
                under: "first".to_owned(),
                sealed: "handed on".to_owned(),
                created_at: 7,
            },
            models,
            backends: vec![(
                "vault".to_owned(),
                key("first", "token"),
                "token again".to_owned(),
            )],
            receivers: Vec::new(),
        };
        // Not without all there is, and not from what is another by now.
        assert!(is_late(
            store.reseal_secret_keys(resealed(Vec::new())).await
        ));
        let stale = vec![(model.clone(), key("first", "stale"), "again".to_owned())];
        assert!(is_late(store.reseal_secret_keys(resealed(stale)).await));
        assert_eq!(store.current_secret_key().await.expect("read"), None);
        let whole = || resealed(vec![(model.clone(), own.clone(), "again".to_owned())]);
        store.reseal_secret_keys(whole()).await.expect("resealed");
        assert!(is_late(store.reseal_secret_keys(whole()).await));
        assert_eq!(
            store.secret_key(model).await.expect("read"),
            Some(key("second", "again"))
        );
        let vault = store.secret_backend("vault").await.expect("there");
        assert_eq!(vault.secret_config, key("second", "token again"));
        let other = fixture.model("other").await;
        assert!(is_late(
            store.add_secret_key(&other, key("first", "late")).await
        ));
        let late = store
            .set_secret_backend(vault.clone(), backend("first", "late", None))
            .await;
        assert!(is_late(late));
        assert!(is_late(
            store
                .secret_token_rotated(vault, key("first", "late"))
                .await
        ));
        store
            .add_secret_key(&other, key("second", "timely"))
            .await
            .expect("made");
        // It is handed on until each process has it.
        let second = store.add_controller_node().await.expect("joined");
        store
            .announce_controller_node(0, "127.0.0.1:1", "")
            .await
            .expect("serves");
        store
            .secret_key_taken_over(0, "second")
            .await
            .expect("noted");
        assert_eq!(store.secret_successions().await.expect("read").len(), 1);
        store
            .secret_key_taken_over(second, "second")
            .await
            .expect("noted");
        assert_eq!(store.secret_successions().await.expect("read"), []);
        fixture.end().await;
    }
}

//! What owners change, and who is an owner.

use periapt_contract::secret::RemovedSecret;

use super::*;

#[tokio::test]
async fn the_same_value_makes_no_revision_and_a_label_is_its_owners_alone() {
    for fixture in fixtures().await {
        let room = Room::new(&fixture).await;
        let (one, two, other) = (id(1), id(2), id(3));
        let labelled = || Described {
            label: Some("db".to_owned()),
            ..Described::default()
        };
        let first = added(Owner::Unit, &one, "one", labelled());
        room.commit("site/0", None, first).await.expect("added");
        let taken = added(Owner::Unit, &two, "two", labelled());
        let taken = room.commit("site/0", None, taken).await.expect_err("taken");
        assert_eq!(taken.refusal().code(), "secret-already-exists");
        let elsewhere = added(Owner::Unit, &other, "two", labelled());
        room.commit("site/1", None, elsewhere)
            .await
            .expect("another owner");
        room.renew("site/0", Owner::Unit, &one, "one").await;
        let owned = fixture
            .store
            .owned_secrets(&room.model, &unit("site/0"))
            .await
            .expect("owned");
        assert_eq!((owned.len(), owned[0].revisions.clone()), (1, vec![1]));
        room.renew("site/0", Owner::Unit, &one, "two").await;
        room.renew("site/0", Owner::Unit, &one, "one").await;
        let owned = fixture
            .store
            .owned_secrets(&room.model, &unit("site/0"))
            .await
            .expect("owned");
        assert_eq!(
            (owned[0].label.as_str(), owned[0].revisions.clone()),
            ("db", vec![1, 2, 3])
        );
        // The numbers of revisions that went are not given again.
        let removed = RemovedSecret {
            owner: Owner::Unit,
            revisions: [3].into(),
        };
        let removed = Changes {
            removed: [(one.clone(), removed)].into(),
            ..Changes::default()
        };
        room.commit("site/0", None, removed).await.expect("removed");
        assert_eq!(
            room.read("site/0", &one, true).await.expect("own").revision,
            2
        );
        room.renew("site/0", Owner::Unit, &one, "four").await;
        assert_eq!(
            room.read("site/0", &one, true).await.expect("own").revision,
            4
        );
        let whole = RemovedSecret {
            owner: Owner::Unit,
            revisions: Default::default(),
        };
        let whole = Changes {
            removed: [(one.clone(), whole)].into(),
            ..Changes::default()
        };
        room.commit("site/0", None, whole).await.expect("removed");
        assert_eq!(room.code("site/0", &one).await, "not found");
        fixture.end().await;
    }
}

/// What a charm does to one that expired: the same value once more, in place of the revision that goes.
#[tokio::test]
async fn a_revision_that_follows_one_which_goes_is_there_also_with_the_same_value() {
    for fixture in fixtures().await {
        let room = Room::new(&fixture).await;
        let secret = id(1);
        room.add("site/0", Owner::Unit, &secret, "one").await;
        let removed = RemovedSecret {
            owner: Owner::Unit,
            revisions: [1].into(),
        };
        let changes = Changes {
            removed: [(secret.clone(), removed)].into(),
            ..changed(Owner::Unit, &secret, Some("one"), Described::default())
        };
        room.commit("site/0", None, changes)
            .await
            .expect("replaced");
        let read = room.read("site/0", &secret, true).await.expect("own");
        assert_eq!((read.revision, read.content.sealed.as_str()), (2, "one"));
        // A label is free for another in the hook that removes the secret which has it.
        let labelled = Described {
            label: Some("db".to_owned()),
            ..Described::default()
        };
        let named = changed(Owner::Unit, &secret, None, labelled.clone());
        room.commit("site/0", None, named).await.expect("named");
        let removed = RemovedSecret {
            owner: Owner::Unit,
            revisions: Default::default(),
        };
        let changes = Changes {
            removed: [(secret.clone(), removed)].into(),
            ..added(Owner::Unit, &id(2), "two", labelled)
        };
        room.commit("site/0", None, changes)
            .await
            .expect("replaced");
        assert_eq!(room.code("site/0", &secret).await, "not found");
        assert_eq!(room.code("site/0", &id(2)).await, "read");
        fixture.end().await;
    }
}

#[tokio::test]
async fn the_leader_alone_changes_what_is_the_applications() {
    for fixture in fixtures().await {
        let room = Room::new(&fixture).await;
        let secret = id(1);
        let nobodys = added(Owner::Application, &secret, "one", Described::default());
        let refused = room
            .commit("site/0", None, nobodys)
            .await
            .expect_err("leads not");
        assert_eq!(refused.refusal().call_code(), "leadership claim denied");
        room.lead("site/0").await;
        room.add("site/0", Owner::Application, &secret, "one").await;
        assert_eq!(room.code("site/1", &secret).await, "read");
        let theirs = changed(
            Owner::Application,
            &secret,
            Some("two"),
            Described::default(),
        );
        room.commit("site/1", None, theirs)
            .await
            .expect_err("leads not");
        // What says that it is a unit's is not taken for it.
        let claimed = changed(Owner::Unit, &secret, Some("two"), Described::default());
        let refused = room
            .commit("site/1", None, claimed)
            .await
            .expect_err("not a unit's");
        assert_eq!(refused.refusal().call_code(), "unauthorized access");
        fixture.end().await;
    }
}

//! Hooks of secrets in their time.

use periapt_contract::secret::RotatePolicy;
use periapt_model::hook::Kind;
use periapt_model::secret::DUE_AGAIN;

use super::*;

fn ran(kind: Kind, id: &SecretId, revision: u32) -> Option<Info> {
    Some(Info::secret(kind, event(id, "", revision, false).event))
}

#[tokio::test]
async fn hooks_of_secrets_are_due_in_their_time_until_they_ran() {
    for fixture in fixtures().await {
        let room = Room::new(&fixture).await;
        let (relation, secret) = (room.relate().await, id(1));
        room.lead("site/0").await;
        let begun = room.now();
        let described = Described {
            label: Some("db".to_owned()),
            rotate: Some(RotatePolicy::Hourly),
            expires: Some(begun + 10 * SECOND),
            ..Described::default()
        };
        let new = added(Owner::Application, &secret, "one", described);
        room.commit("site/0", None, new).await.expect("added");
        let to_front = granted(Owner::Application, &secret, relation, "front", true);
        room.commit("site/0", None, to_front)
            .await
            .expect("granted");
        room.track("front/0", &secret, false).await;
        assert!(room.due("front/0").await.is_empty());
        let due = room.due("site/1").await;
        assert_eq!(
            (due.clone().next, due.expired.len()),
            (Some(begun + 10 * SECOND), 0)
        );
        // It expires, and again until the charm removes it.
        fixture.clock.advance(Duration::from_secs(10));
        let of_leaders = |revision| vec![event(&secret, "db", revision, true)];
        assert_eq!(room.due("site/0").await.expired, of_leaders(1));
        room.commit(
            "site/0",
            ran(Kind::SecretExpired, &secret, 1),
            Changes::default(),
        )
        .await
        .expect("ran");
        let due = room.due("site/0").await;
        assert_eq!(
            (due.expired.clone(), due.next),
            (vec![], Some(begun + 10 * SECOND + DUE_AGAIN))
        );
        fixture
            .clock
            .advance(Duration::from_micros(DUE_AGAIN.unsigned_abs()));
        assert_eq!(room.due("site/0").await.expired, of_leaders(1));
        // A new value: its readers are told, and nobody is told of the first until nobody is on it.
        room.renew("site/0", Owner::Application, &secret, "two")
            .await;
        assert_eq!(
            room.due("front/0").await.changed,
            [event(&secret, "mine", 2, false)]
        );
        assert!(room.due("front/1").await.is_empty());
        assert_eq!(room.due("site/0").await.remove, []);
        room.commit(
            "front/0",
            ran(Kind::SecretChanged, &secret, 2),
            Changes::default(),
        )
        .await
        .expect("ran");
        assert!(room.due("front/0").await.changed.is_empty());
        assert_eq!(room.due("site/0").await.remove, []);
        room.track("front/0", &secret, true).await;
        assert_eq!(room.due("site/0").await.remove, of_leaders(1));
        room.commit(
            "site/0",
            ran(Kind::SecretRemove, &secret, 1),
            Changes::default(),
        )
        .await
        .expect("ran");
        assert_eq!(room.due("site/0").await.remove, []);
        // An hour is over: soon again without a new value, and after an hour with one.
        fixture.clock.advance(Duration::from_secs(3600));
        assert_eq!(room.due("site/0").await.rotate, of_leaders(2));
        room.commit(
            "site/0",
            ran(Kind::SecretRotate, &secret, 2),
            Changes::default(),
        )
        .await
        .expect("ran");
        assert_eq!(room.due("site/0").await.rotate, []);
        fixture
            .clock
            .advance(Duration::from_micros(DUE_AGAIN.unsigned_abs()));
        assert_eq!(room.due("site/0").await.rotate, of_leaders(2));
        let renewed = changed(
            Owner::Application,
            &secret,
            Some("three"),
            Described::default(),
        );
        room.commit("site/0", ran(Kind::SecretRotate, &secret, 2), renewed)
            .await
            .expect("ran");
        fixture.clock.advance(Duration::from_secs(3599));
        assert_eq!(room.due("site/0").await.rotate, []);
        fixture.clock.advance(Duration::from_secs(1));
        assert_eq!(room.due("site/0").await.rotate, of_leaders(3));
        fixture.end().await;
    }
}

#[tokio::test]
async fn a_hook_that_a_charm_does_not_have_is_never_due() {
    for fixture in fixtures().await {
        let room = Room::with_hooks(&fixture, &["install"]).await;
        let secret = id(1);
        let described = Described {
            rotate: Some(RotatePolicy::Hourly),
            expires: Some(room.now() + SECOND),
            ..Described::default()
        };
        let new = added(Owner::Unit, &secret, "one", described);
        room.commit("site/0", None, new).await.expect("added");
        room.renew("site/0", Owner::Unit, &secret, "two").await;
        fixture.clock.advance(Duration::from_secs(7200));
        assert!(room.due("site/0").await.is_empty());
        fixture.end().await;
    }
}

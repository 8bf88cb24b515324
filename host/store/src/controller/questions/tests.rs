use super::TAKEN_WITHIN;
use crate::db::params;
use crate::testing::fixtures;

#[tokio::test]
async fn a_question_is_taken_once_by_the_node_it_is_for() {
    for fixture in fixtures().await {
        let store = &fixture.store;
        let secret = store.leave_question(1, "what").await.expect("left");
        let other = store.leave_question(1, "what else").await.expect("left");
        assert_ne!(secret, other);
        let take = |node: u32, secret: &str| {
            let secret = secret.to_owned();
            async move { store.take_question(node, &secret).await.expect("asked") }
        };
        assert_eq!(take(0, &secret).await, None, "it is another's");
        assert_eq!(take(1, "guessed").await, None);
        assert_eq!(take(1, &secret).await.as_deref(), Some("what"));
        assert_eq!(take(1, &secret).await, None, "it was taken");
        assert_eq!(take(1, &other).await.as_deref(), Some("what else"));
        fixture.end().await;
    }
}

#[tokio::test]
async fn of_two_who_show_a_secret_at_once_one_takes_the_question() {
    for fixture in fixtures().await {
        let store = &fixture.store;
        let secret = store.leave_question(1, "what").await.expect("left");
        let (one, other) = tokio::join!(
            store.take_question(1, &secret),
            store.take_question(1, &secret)
        );
        let taken = [one.expect("asked"), other.expect("asked")];
        assert_eq!(taken.iter().flatten().count(), 1);
        fixture.end().await;
    }
}

#[tokio::test]
async fn a_question_that_nobody_took_is_void_and_goes_with_the_next() {
    for fixture in fixtures().await {
        let store = &fixture.store;
        let secret = store.leave_question(1, "what").await.expect("left");
        fixture.clock.advance(TAKEN_WITHIN);
        let taken = store.take_question(1, &secret).await.expect("asked");
        assert_eq!(taken, None);
        store.leave_question(1, "next").await.expect("left");
        let mut db = store.glance().await.expect("session");
        let sql = "SELECT question FROM node_question";
        let left: Vec<String> = db.scalars(sql, params![]).await.expect("rows");
        assert_eq!(left, ["next"]);
        drop(db);
        fixture.end().await;
    }
}

#[tokio::test]
async fn the_secret_itself_is_nowhere_in_the_store() {
    for fixture in fixtures().await {
        let store = &fixture.store;
        let secret = store.leave_question(1, "what").await.expect("left");
        let mut db = store.glance().await.expect("session");
        let sql = "SELECT digest FROM node_question";
        let kept: Vec<String> = db.scalars(sql, params![]).await.expect("rows");
        assert!(!kept.contains(&secret));
        drop(db);
        fixture.end().await;
    }
}

//! When people last used a model.

use super::*;

#[tokio::test]
async fn the_last_use_of_a_model_is_written_once_a_minute_and_goes_with_either() {
    for fixture in houses().await {
        let store = &fixture.store;
        let (admin, bob) = (user("admin"), user("bob"));
        let (first, second) = (fixture.model("first").await, fixture.model("second").await);
        add(&fixture, "bob", Some(PASSWORD)).await;
        store
            .grant_model(&first, &bob, ModelPermission::Read)
            .await
            .expect("granted");
        let last = async |user: &UserName| {
            let own = store.own_models(user).await.expect("models");
            own.iter()
                .map(|own| own.last_connection)
                .collect::<Vec<_>>()
        };
        assert_eq!(last(&bob).await, [None]);
        let note = async |user: &UserName, model: &periapt_model::ModelUuid| {
            store.note_model_use(user, model).await.expect("noted");
        };
        note(&bob, &first).await;
        let noted = last(&bob).await[0].expect("noted");
        fixture.clock.advance(MINUTE / 2);
        note(&bob, &first).await;
        assert_eq!(last(&bob).await, [Some(noted)], "not again so soon");
        fixture.clock.advance(MINUTE / 2);
        note(&bob, &first).await;
        let later = last(&bob).await[0].expect("noted");
        assert_eq!(later - noted, 60_000_000);
        assert_eq!(last(&admin).await, [None, None], "it is another's");

        let listed = store.model_access(&first).await.expect("listed");
        let listed: Vec<_> = listed
            .iter()
            .map(|row| (row.user.as_str(), row.last_connection))
            .collect();
        assert_eq!(listed, [("admin", None), ("bob", Some(later))]);
        let about = store.user(&bob).await.expect("user");
        assert_eq!(about.models[0].last_connection, Some(later));
        let changed = store
            .grant_model(&first, &bob, ModelPermission::Write)
            .await
            .expect("granted");
        assert_eq!(changed.last_connection, Some(later));

        // Nothing is kept of those who are gone.
        note(&user("nobody"), &second).await;
        store.remove_user(&bob, &admin).await.expect("removed");
        note(&bob, &first).await;
        add(&fixture, "bob", Some(PASSWORD)).await;
        store
            .grant_model(&first, &bob, ModelPermission::Read)
            .await
            .expect("granted");
        assert_eq!(last(&bob).await, [None]);
        fixture.end().await;
    }
}

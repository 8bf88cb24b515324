use std::time::Duration;

use argon2::password_hash::phc::PasswordHash;
use periapt_model::Tag;

use crate::testing::fixtures;

#[tokio::test]
async fn passwords_and_tokens_let_in_whom_they_belong_to() {
    for fixture in fixtures().await {
        let store = &fixture.store;
        let (admin, other) = (
            "admin".parse().expect("user"),
            "other".parse().expect("user"),
        );
        assert!(!store.has_users().await.expect("asked"));
        store.set_password(&admin, "secret").await.expect("set");
        assert!(store.has_users().await.expect("asked"));
        assert!(
            store
                .check_password(&admin, "secret")
                .await
                .expect("checked")
        );
        assert!(
            !store
                .check_password(&admin, "Secret")
                .await
                .expect("checked")
        );
        assert!(
            !store
                .check_password(&other, "secret")
                .await
                .expect("checked")
        );
        assert_eq!(
            store
                .issue_token(&other, Duration::from_secs(1))
                .await
                .expect_err("unknown")
                .kind_code(),
            "user-not-found"
        );
        let token = store
            .issue_token(&admin, Duration::from_secs(60))
            .await
            .expect("token");
        assert_eq!(
            store.check_token(&token).await.expect("checked"),
            Some(admin.clone())
        );
        assert_eq!(store.check_token("nonsense").await.expect("checked"), None);
        fixture.clock.advance(Duration::from_secs(60));
        assert_eq!(store.check_token(&token).await.expect("checked"), None);
        let token = store
            .issue_token(&admin, Duration::from_secs(60))
            .await
            .expect("token");
        store.revoke_token(&token).await.expect("revoked");
        assert_eq!(store.check_token(&token).await.expect("checked"), None);
        let token = store
            .issue_token(&admin, Duration::from_secs(60))
            .await
            .expect("token");
        store.set_password(&admin, "another").await.expect("set");
        assert_eq!(store.check_token(&token).await.expect("checked"), None);
        fixture.end().await;
    }
}

#[tokio::test]
async fn agents_have_random_passwords_that_go_with_the_model() {
    for fixture in fixtures().await {
        let store = &fixture.store;
        let model = fixture.model("default").await;
        let first = store.make_agent_credential(&model).await.expect("made");
        assert_eq!(first.tag, Tag::Agent(model.clone()));
        assert!(
            store
                .check_agent_password(&first.tag, &first.password)
                .await
                .expect("checked")
        );
        let second = store.make_agent_credential(&model).await.expect("replaced");
        assert!(
            !store
                .check_agent_password(&first.tag, &first.password)
                .await
                .expect("checked")
        );
        assert!(
            store
                .check_agent_password(&second.tag, &second.password)
                .await
                .expect("checked")
        );
        store
            .destroy_model(&model, false, None)
            .await
            .expect("destroyed");
        store.process_dying_model(&model).await.expect("dead");
        store.remove_model(&model).await.expect("gone");
        assert!(
            !store
                .check_agent_password(&second.tag, &second.password)
                .await
                .expect("checked")
        );
        fixture.end().await;
    }
}

#[test]
fn the_hash_for_unknown_users_is_a_hash() {
    assert!(PasswordHash::new(crate::users::NOBODY).is_ok());
}

use periapt_model::bounds;
use periapt_model::status::{Model, Status};

use crate::testing::fixtures;

#[tokio::test]
async fn a_model_is_suspended_while_its_credential_is_not_valid() {
    for fixture in fixtures().await {
        let store = &fixture.store;
        let model = fixture.model("lab").await;
        let shown = || async {
            let summary = store.model_summary(&model).await.unwrap();
            (summary.status.status.to_string(), summary.status.message)
        };
        assert!(store.model_credential(&model).await.unwrap().valid);
        let refused = store.invalidate_credential(&model, " no room ").await;
        let refused = refused.unwrap();
        assert_eq!((refused.valid, refused.reason.as_str()), (false, "no room"));
        let (status, message) = shown().await;
        assert_eq!(status, "suspended");
        assert!(message.ends_with("not valid: no room"), "{message}");

        // What the workers of the model say does not hide it.
        let available = Status::new(Model::Available, "");
        store.set_model_status(&model, available).await.unwrap();
        assert_eq!(shown().await.0, "suspended");

        let long = store
            .invalidate_credential(&model, &"x".repeat(100_000))
            .await;
        let long = long.unwrap();
        assert_eq!(long.reason.len(), bounds::CREDENTIAL_REASON.length());
        assert_eq!(long.since, refused.since, "it has been so since then");

        let valid = store.update_credential(&model).await.unwrap();
        assert!(valid.valid && valid.since > refused.since);
        assert_eq!(shown().await, ("available".to_owned(), String::new()));
        let again = store.update_credential(&model).await.unwrap();
        assert!(again.since > valid.since, "everybody notices");

        store.invalidate_credential(&model, "").await.unwrap();
        store.destroy_model(&model, false, None).await.unwrap();
        assert_eq!(shown().await.0, "destroying");
        store.update_credential(&model).await.unwrap();
        assert_eq!(shown().await.0, "destroying", "its end is what matters now");
        fixture.end().await;
    }
}

#[tokio::test]
async fn a_providers_version_never_goes_back() {
    for fixture in fixtures().await {
        let store = &fixture.store;
        let model = fixture.model("lab").await;
        assert_eq!(store.environ_version(&model).await.unwrap(), 0);
        for version in [2, 1] {
            store.set_environ_version(&model, version).await.unwrap();
            assert_eq!(store.environ_version(&model).await.unwrap(), 2);
        }
        fixture.end().await;
    }
}

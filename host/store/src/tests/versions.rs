use std::sync::Arc;

use periapt_model::config::Value;
use periapt_wire::rest::ConfigChange;

use crate::db::params;
use crate::testing::{application, fixtures};
use crate::{Definition, Expected, Guard, StoreError, namespace};

fn port(number: i64) -> ConfigChange {
    ConfigChange {
        set: [("port".to_owned(), Value::Integer(number))].into(),
        reset: Vec::new(),
    }
}

#[tokio::test]
async fn of_two_changes_that_expect_the_same_version_one_is_made() {
    for fixture in fixtures().await {
        let model = fixture.site(1).await;
        let site = application("site");
        let definition = Definition::new(&model, namespace::APPLICATION_CONFIG, "site");
        let version = fixture.store.version(&definition).await.unwrap();
        // All at once, so that most of them share a transaction.
        let changes = (0..20).map(|number| {
            let guard = Guard::default().about(
                definition.clone(),
                Some(Expected::OneOf(vec![version])),
                true,
            );
            let (store, model, site) = (&fixture.store, &model, &site);
            async move {
                let change = store.set_application_config(model, site, port(number));
                (guard.around(change).await, guard)
            }
        });
        let outcomes = futures::future::join_all(changes).await;
        let (made, refused): (Vec<_>, Vec<_>) =
            outcomes.into_iter().partition(|(result, _)| result.is_ok());
        assert_eq!(made.len(), 1);
        assert_eq!(made[0].1.version(), Some(version + 1));
        for (result, guard) in refused {
            assert_eq!(
                result.unwrap_err().refusal().call_code(),
                "precondition-failed"
            );
            assert!(!guard.written() && guard.version().is_none());
        }
        assert_eq!(
            fixture.store.version(&definition).await.unwrap(),
            version + 1
        );
        fixture.end().await;
    }
}

#[tokio::test]
async fn each_change_raises_the_version_even_when_they_share_a_commit() {
    for fixture in fixtures().await {
        let model = fixture.site(1).await;
        let site = application("site");
        let definition = Definition::new(&model, namespace::APPLICATION_CONFIG, "site");
        let before = fixture.store.version(&definition).await.unwrap();
        let changes = (0..20).map(|number| {
            fixture
                .store
                .set_application_config(&model, &site, port(number))
        });
        for result in futures::future::join_all(changes).await {
            result.unwrap();
        }
        let after = fixture.store.version(&definition).await.unwrap();
        assert_eq!(after, before + 20);
        // What changes nothing raises nothing.
        let again = fixture
            .store
            .set_application_config(&model, &site, port(19));
        again.await.unwrap();
        assert_eq!(fixture.store.version(&definition).await.unwrap(), after);
        fixture.end().await;
    }
}

#[tokio::test]
async fn statuses_raise_nothing_and_a_removed_model_leaves_no_version() {
    use periapt_model::status::{Status, Workload};
    for fixture in fixtures().await {
        let model = fixture.site(1).await;
        let unit = crate::testing::unit("site/0");
        let definition = Definition::new(&model, namespace::UNIT, "site/0");
        let before = fixture.store.version(&definition).await.unwrap();
        assert!(before > 0);
        let active = Status::new(Workload::Active, "");
        let set = fixture.store.set_unit_status(&model, &unit, active);
        set.await.unwrap();
        assert_eq!(fixture.store.version(&definition).await.unwrap(), before);

        fixture
            .store
            .destroy_model(&model, true, Some(0))
            .await
            .unwrap();
        fixture.store.process_dying_model(&model).await.unwrap();
        fixture.store.remove_model(&model).await.unwrap();
        let sql = "SELECT COUNT(*) FROM entity_version WHERE model_uuid = $1";
        let mut db = fixture.store.glance().await.unwrap();
        assert_eq!(db.count(sql, params![&model]).await.unwrap(), 0);
        drop(db);
        fixture.end().await;
    }
}

#[tokio::test]
async fn a_request_that_fails_leaves_its_demands_for_its_next_write() {
    for fixture in fixtures().await {
        let model = fixture.site(1).await;
        let definition = Definition::new(&model, namespace::APPLICATION_CONFIG, "site");
        let guard = Guard::default().about(definition, Some(Expected::OneOf(vec![99])), true);
        let (store, site) = (Arc::new(fixture.store.clone()), application("site"));
        let errors: Vec<StoreError> = guard
            .around(async {
                let mut errors = Vec::new();
                for number in 0..2 {
                    let change = store.set_application_config(&model, &site, port(number));
                    errors.push(change.await.unwrap_err());
                }
                errors
            })
            .await;
        assert!(
            errors
                .iter()
                .all(|error| error.refusal().call_code() == "precondition-failed")
        );
        fixture.end().await;
    }
}

use periapt_engine::FakeClock;
use periapt_model::UserName;
use periapt_wire::rest::AddModel;

use crate::backup::{Cell, ColumnKind, Restoring, Table};
use crate::testing::{Fixture, empty_databases, fixtures};
use crate::{Store, StoreOptions};

fn admin() -> UserName {
    "admin".parse().unwrap()
}

fn request(name: &str) -> AddModel {
    AddModel::new(name.parse().unwrap())
}

async fn refused(fixture: &Fixture, request: AddModel) -> String {
    let refused = fixture.store.add_model(request, &admin()).await;
    refused.unwrap_err().to_string()
}

#[tokio::test]
async fn a_model_is_in_a_region_of_a_cloud_that_is_there() {
    for fixture in fixtures().await {
        let store = &fixture.store;
        let clouds = store.clouds().await.unwrap();
        let local = &clouds[0];
        assert_eq!(
            (clouds.len(), local.name.as_str(), local.kind.as_str()),
            (1, "local", "local")
        );
        assert_eq!(local.regions, ["default"]);

        let model = fixture.model("lab").await;
        let summary = store.model_summary(&model).await.unwrap();
        let place = (summary.cloud.as_str(), summary.region.as_str());
        assert_eq!(
            (place, summary.kind.as_str()),
            (("local", "default"), "iaas")
        );
        let info = store.get_model(&model).await.unwrap().unwrap();
        assert_eq!(info.cloud_type, "local");
        let status = store
            .full_status(&model, &[], &|_| true)
            .await
            .unwrap()
            .model;
        assert_eq!(
            (
                status.cloud_tag.as_str(),
                status.region.as_deref(),
                status.kind.as_str()
            ),
            ("cloud-local", Some("default"), "iaas")
        );

        let named = AddModel {
            cloud: Some("local".into()),
            region: Some("default".into()),
            ..request("named")
        };
        store.add_model(named, &admin()).await.unwrap();
        let elsewhere = AddModel {
            cloud: Some("moon".into()),
            ..request("other")
        };
        assert!(
            refused(&fixture, elsewhere)
                .await
                .contains("cloud \"moon\"")
        );
        let elsewhere = AddModel {
            region: Some("attic".into()),
            ..request("other")
        };
        assert!(
            refused(&fixture, elsewhere)
                .await
                .contains("region \"local/attic\"")
        );
        let foreign = AddModel {
            credential: Some("none".into()),
            ..request("other")
        };
        let message = refused(&fixture, foreign).await;
        assert!(
            message.contains("credential \"local/admin/none\""),
            "{message}"
        );
        assert!(
            refused(&fixture, request("lab"))
                .await
                .contains("model \"lab\"")
        );
        assert_eq!(
            store.models().await.unwrap().len(),
            2,
            "nothing was half made"
        );
        fixture.end().await;
    }
}

#[tokio::test]
async fn models_that_share_a_credential_are_suspended_together_and_others_are_not() {
    for fixture in fixtures().await {
        let store = &fixture.store;
        let (first, alone) = (fixture.model("first").await, fixture.model("alone").await);
        let second = AddModel {
            credential: Some("first".into()),
            ..request("second")
        };
        let second = store.add_model(second, &admin()).await.unwrap().uuid;
        let held = store.credentials(&admin()).await.unwrap();
        let shown: Vec<_> = held
            .iter()
            .map(|held| {
                let models: Vec<&str> = held.models.iter().map(|model| model.as_str()).collect();
                (held.name.as_str(), models.join(" "))
            })
            .collect();
        assert_eq!(
            shown,
            [
                ("alone", "alone".to_owned()),
                ("first", "first second".to_owned())
            ]
        );
        let nobody = store.credentials(&"bob".parse().unwrap()).await.unwrap();
        assert_eq!(nobody, []);

        let statuses = || async {
            let mut statuses = Vec::new();
            for model in [&first, &second, &alone] {
                let summary = store.model_summary(model).await.unwrap();
                statuses.push(summary.status.status.to_string());
            }
            statuses
        };
        let refused = store
            .invalidate_credential(&second, "expired")
            .await
            .unwrap();
        assert_eq!(
            (refused.cloud.as_str(), refused.name.as_str()),
            ("local", "first")
        );
        assert_eq!(statuses().await, ["suspended", "suspended", "available"]);
        assert!(!store.model_credential(&first).await.unwrap().valid);
        assert!(store.model_credential(&alone).await.unwrap().valid);
        assert_eq!(
            store.credentials(&admin()).await.unwrap()[1].reason,
            "expired"
        );
        store.update_credential(&first).await.unwrap();
        assert_eq!(statuses().await, ["available", "available", "available"]);
        fixture.end().await;
    }
}

#[tokio::test]
async fn a_credential_goes_with_the_last_model_that_uses_it() {
    for fixture in fixtures().await {
        let store = &fixture.store;
        let first = fixture.model("first").await;
        let second = AddModel {
            credential: Some("first".into()),
            ..request("second")
        };
        let second = store.add_model(second, &admin()).await.unwrap().uuid;
        for (model, left) in [(first, 1), (second, 0)] {
            store.destroy_model(&model, false, None).await.unwrap();
            store.process_dying_model(&model).await.unwrap();
            store.remove_model(&model).await.unwrap();
            assert_eq!(store.credentials(&admin()).await.unwrap().len(), left);
        }
        fixture.end().await;
    }
}

#[tokio::test]
async fn models_of_before_there_were_clouds_are_on_this_machine() {
    let clock = FakeClock::new();
    for empty in empty_databases().await {
        let options = StoreOptions::new(empty.database.clone(), clock.shared());
        let mut before = Restoring::begin(&options, 8).await.unwrap();
        let text = |name: &str| (name.to_owned(), ColumnKind::Text);
        let number = |name: &str| (name.to_owned(), ColumnKind::Integer);
        let columns = vec![
            text("uuid"),
            text("name"),
            text("owner"),
            text("life"),
            text("credential_refused"),
            number("credential_since"),
            number("created_at"),
            number("destroy_force"),
        ];
        let table = Table {
            name: "model".into(),
            columns,
        };
        before.table(table).await.unwrap();
        for (uuid, name, refused, since) in [
            ("11111111-2222-4333-8444-555555555555", "lab", "", 0),
            ("21111111-2222-4333-8444-555555555555", "shop", "no room", 7),
        ] {
            let mut row = [uuid, name, "admin", "alive", refused]
                .map(|text| Cell::Text(text.into()))
                .to_vec();
            row.extend([since, 1, 0].map(Cell::Integer));
            before.row(row).await.unwrap();
        }
        before.finish(0).await.unwrap();

        let store = Store::open(options).await.unwrap();
        let held = store.credentials(&admin()).await.unwrap();
        let shown: Vec<_> = held
            .iter()
            .map(|held| (held.name.as_str(), held.reason.as_str(), held.since))
            .collect();
        assert_eq!(shown, [("lab", "", 0), ("shop", "no room", 7)]);
        for (model, held) in store.models().await.unwrap().iter().zip(&held) {
            assert_eq!(held.models, std::slice::from_ref(&model.name));
            assert_eq!(
                (model.cloud.as_str(), model.region.as_str()),
                ("local", "default")
            );
            let credential = store.model_credential(&model.uuid).await.unwrap();
            assert_eq!(credential.valid, held.valid);
        }
        store.close().await;
        empty.end().await;
    }
}

#[tokio::test]
async fn units_are_told_of_the_cloud_once_their_application_is_trusted() {
    for fixture in fixtures().await {
        let store = &fixture.store;
        let model = fixture.site(1).await;
        let site = crate::testing::unit("site/0");
        let told = store.cloud_access(&model, &site).await.unwrap();
        assert_eq!(told, None, "nobody trusts it");
        let mut db = store.snapshot().await.unwrap();
        let access = super::access(&mut db, &model).await.unwrap();
        let place = [
            &access.name,
            &access.kind,
            &access.region,
            &access.auth_type,
        ];
        assert_eq!(place, ["local", "local", "default", "empty"]);
        assert_eq!(
            (access.endpoint.clone(), access.attributes.len()),
            (None, 0)
        );
        drop(db);
        let name = site.application();
        store.set_trust(&model, &name, true).await.unwrap();
        let told = store.cloud_access(&model, &site).await.unwrap();
        assert_eq!(told, Some(access));
        store.set_trust(&model, &name, false).await.unwrap();
        let told = store.cloud_access(&model, &site).await.unwrap();
        assert_eq!(told, None, "nobody trusts it any more");
        fixture.end().await;
    }
}

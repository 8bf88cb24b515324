//! Resources from their upload to their end, on both databases.

use std::time::Duration;

use bytes::Bytes;
use periapt_model::bounds::RESOURCES_WAITING;
use periapt_model::charm::{CharmInfo, Resource, ResourceKind};
use periapt_model::{ApplicationName, ModelUuid, UnitName};
use periapt_wire::rest::{Deploy, Refresh};

use crate::db::params;
use crate::testing::{Fixture, charm, fixtures, request};
use crate::{Interest, Store, namespace};

fn resource(kind: ResourceKind, filename: Option<&str>) -> Resource {
    Resource {
        kind,
        description: String::new(),
        filename: filename.map(str::to_owned),
        upstream_source: None,
    }
}

fn with(resources: &[(&str, Resource)]) -> CharmInfo {
    let mut info = charm("site");
    let resources = resources.iter().cloned();
    info.metadata.resources = resources
        .map(|(name, resource)| (name.to_owned(), resource))
        .collect();
    info
}

/// Declares two files and an image.
fn themed() -> CharmInfo {
    with(&[
        ("theme", resource(ResourceKind::File, Some("theme.css"))),
        ("words", resource(ResourceKind::File, None)),
        ("image", resource(ResourceKind::OciImage, None)),
    ])
}

async fn house(fixture: &Fixture) -> ModelUuid {
    let model = fixture.model("themed").await;
    let archive = Bytes::from_static(b"archive");
    let charm = fixture.store.add_charm(&model, themed(), archive).await;
    charm.expect("a charm");
    model
}

fn site() -> ApplicationName {
    "site".parse().expect("a name")
}

fn unit() -> UnitName {
    "site/0".parse().expect("a name")
}

fn with_uploads(uploads: &[(&str, u64)]) -> Deploy {
    let mut deploy = request("site", 1);
    deploy.resources = uploads
        .iter()
        .map(|(name, id)| ((*name).to_owned(), *id))
        .collect();
    deploy
}

impl Store {
    async fn bytes(&self, content: &'static str) -> String {
        let stored = self.put_blob(Bytes::from_static(content.as_bytes())).await;
        stored.expect("stored")
    }

    async fn upload(&self, model: &ModelUuid, content: &'static str) -> u64 {
        let sha256 = self.bytes(content).await;
        let by = "admin".parse().expect("a user");
        let uploaded = self.add_resource_upload(model, &by, &sha256).await;
        uploaded.expect("uploaded").id
    }

    async fn attach(&self, model: &ModelUuid, name: &str, content: &'static str) -> u64 {
        let sha256 = self.bytes(content).await;
        let by = "bob".parse().expect("a user");
        let attached = self
            .attach_resource(model, &site(), name, &by, &sha256)
            .await;
        attached.expect("attached").revision
    }

    async fn has(&self, content: &'static str) -> bool {
        let sha256 = periapt_model::Digest::of(content.as_bytes()).to_string();
        self.has_blob(&sha256).await.expect("asked")
    }

    async fn modified(&self, model: &ModelUuid) -> u64 {
        let sql = "SELECT charm_modified_version FROM application WHERE model_uuid = $1";
        let mut db = self.glance().await.expect("a session");
        db.count(sql, params![model]).await.expect("asked")
    }
}

#[tokio::test]
async fn an_application_begins_with_what_was_uploaded_for_it() {
    for fixture in fixtures().await {
        let store = &fixture.store;
        let model = house(&fixture).await;
        let id = store.upload(&model, "red").await;
        for (uploads, code) in [
            (vec![("them", id)], "resource-not-found"),
            (vec![("image", id)], "resource-is-image"),
            (vec![("theme", id + 7)], "upload-not-found"),
            (vec![("theme", id), ("words", id)], "upload-not-found"),
        ] {
            let refused = store.deploy(&model, with_uploads(&uploads)).await;
            let refused = refused.expect_err("refused");
            assert_eq!(refused.refusal().code(), code, "{refused}");
            if code == "resource-not-found" {
                let told = refused.to_string();
                assert!(told.contains("did you mean \"theme\"?"), "{told}");
            }
        }
        store
            .deploy(&model, with_uploads(&[("theme", id)]))
            .await
            .expect("deployed");
        let asked = store.resource_of_unit(&model, &unit(), "theme").await;
        let asked = asked.expect("asked").expect("attached");
        assert_eq!((asked.revision, asked.size, asked.known), (1, 3, None));
        assert!(
            store
                .model_uses_blob(&model, &asked.sha256)
                .await
                .expect("asked")
        );
        let none = store.resource_of_unit(&model, &unit(), "words").await;
        assert_eq!(none.expect("asked"), None);
        assert_eq!(store.modified(&model).await, 0);
        fixture.end().await;
    }
}

#[tokio::test]
async fn another_file_is_the_next_revision_and_the_charm_hears_of_it() {
    for fixture in fixtures().await {
        let store = &fixture.store;
        let model = house(&fixture).await;
        fixture.deploy(&model, "site", 1).await;
        assert_eq!(store.attach(&model, "theme", "red").await, 1);
        assert_eq!(store.modified(&model).await, 1);
        // The same bytes again are nothing new.
        assert_eq!(store.attach(&model, "theme", "red").await, 1);
        assert_eq!(store.modified(&model).await, 1);
        let interest = Interest::model(&model).key(namespace::APPLICATION, site().as_str());
        let mut changes = store.changes().subscribe(interest);
        assert_eq!(store.attach(&model, "theme", "blue").await, 2);
        fixture.settle().await;
        assert!(!changes.next().await.expect("told").is_empty());
        assert_eq!(store.modified(&model).await, 2);
        assert!(!store.has("red").await && store.has("blue").await);
        let wrong = store.require_resource(&model, &site(), "logo").await;
        assert!(wrong.is_err());

        store
            .set_unit_resource(&model, &unit(), "theme", 1)
            .await
            .expect("told");
        let shown = store.resources(&model, &site()).await.expect("shown");
        let names: Vec<&str> = shown
            .resources
            .iter()
            .map(|one| one.name.as_str())
            .collect();
        assert_eq!(names, ["image", "theme", "words"]);
        let theme = &shown.resources[1];
        let attached = theme.attached.as_ref().expect("attached");
        assert_eq!(
            (attached.revision, attached.uploaded_by.as_str()),
            (2, "bob")
        );
        assert_eq!(theme.file_name, "theme.css");
        assert_eq!(
            (theme.units[0].unit.clone(), theme.units[0].revision),
            (unit(), 1)
        );
        assert_eq!(shown.resources[2].file_name, "words");
        let asked = store.resource_of_unit(&model, &unit(), "theme").await;
        assert_eq!(asked.expect("asked").expect("attached").known, Some(1));
        fixture.end().await;
    }
}

#[tokio::test]
async fn a_refresh_keeps_what_the_new_charm_declares() {
    for fixture in fixtures().await {
        let store = &fixture.store;
        let model = house(&fixture).await;
        fixture.deploy(&model, "site", 1).await;
        store.attach(&model, "theme", "red").await;
        store.attach(&model, "words", "hello").await;
        let later = with(&[("theme", resource(ResourceKind::File, None))]);
        let archive = Bytes::from_static(b"later");
        store
            .add_charm(&model, later, archive)
            .await
            .expect("a charm");
        let id = store.upload(&model, "blue").await;
        let to = |charm: &str, uploads: &[(&str, u64)]| Refresh {
            capabilities: Default::default(),
            storage: Default::default(),
            channel: None,
            charm: charm.to_owned(),
            config: Default::default(),
            force_units: false,
            resources: with_uploads(uploads).resources,
        };
        // The same charm with another file.
        let before = store.modified(&model).await;
        store
            .refresh(&model, &site(), to("local:site-0", &[("theme", id)]))
            .await
            .expect("refreshed");
        assert_eq!(store.modified(&model).await, before + 1);
        store
            .refresh(&model, &site(), to("local:site-1", &[]))
            .await
            .expect("refreshed");
        let shown = store.resources(&model, &site()).await.expect("shown");
        let attached = shown.resources[0].attached.as_ref().expect("kept");
        assert_eq!((shown.resources.len(), attached.revision), (1, 2));
        assert!(store.has("blue").await && !store.has("red").await);
        assert!(!store.has("hello").await);
        fixture.end().await;
    }
}

#[tokio::test]
async fn content_goes_with_the_last_who_needs_it() {
    for fixture in fixtures().await {
        let store = &fixture.store;
        let model = house(&fixture).await;
        let other = fixture.model("other").await;
        fixture.deploy(&model, "site", 0).await;
        // Somebody attaches what is a charm's archive.
        assert_eq!(store.attach(&model, "theme", "archive").await, 1);
        assert_eq!(store.attach(&model, "theme", "red").await, 2);
        assert!(store.has("archive").await);
        store.upload(&other, "red").await;
        store
            .remove_application(&model, &site(), false)
            .await
            .expect("removed");
        assert!(store.has("red").await);
        // What waits is forgotten after a day, and where too many others came later.
        fixture.clock.advance(Duration::from_secs(25 * 60 * 60));
        store.upload(&other, "blue").await;
        assert!(!store.has("red").await && store.has("blue").await);
        for _ in 0..RESOURCES_WAITING.most {
            store.upload(&other, "green").await;
        }
        assert!(!store.has("blue").await && store.has("green").await);
        fixture.end().await;
    }
}

//! What applications could be refreshed to, on both databases.

use periapt_model::charm::repository::{Index, Release};
use periapt_model::{ApplicationName, Digest, ModelUuid};
use periapt_wire::rest::{ApplicationInfo, CharmUpgrade, Refresh};

use crate::Store;
use crate::testing::{charm, fixtures, present, request};

fn site() -> ApplicationName {
    "site".parse().unwrap()
}

fn index(releases: &[(&str, &str)]) -> Index {
    let mut index = Index::default();
    for (text, channel) in releases {
        let release = Release {
            sha256: Digest::of(text),
            size: text.len() as u64,
        };
        index.publish("site", channel, release, None).unwrap();
    }
    index
}

impl Store {
    async fn followed(&self, model: &ModelUuid) -> (String, String) {
        let ApplicationInfo {
            channel,
            can_upgrade_to,
            ..
        } = self.application(model, &site()).await.unwrap();
        (channel, can_upgrade_to)
    }

    async fn refreshed_to(&self, model: &ModelUuid, charm: &str, channel: Option<&str>) {
        let request = Refresh {
            capabilities: Default::default(),
            storage: Default::default(),
            channel: channel.map(str::to_owned),
            resources: Default::default(),
            charm: charm.to_owned(),
            config: Default::default(),
            force_units: false,
        };
        self.refresh(model, &site(), request).await.unwrap();
    }
}

fn both(channel: &str, can_upgrade_to: &str) -> (String, String) {
    (channel.to_owned(), can_upgrade_to.to_owned())
}

#[tokio::test]
async fn an_application_shows_what_its_channel_is_at_until_it_has_it() {
    for fixture in fixtures().await {
        let (store, model) = (&fixture.store, fixture.model("default").await);
        fixture.charm(&model, "site", b"a").await;
        let mut deploy = request("site", 0);
        deploy.channel = Some("edge".to_owned());
        store.deploy(&model, deploy).await.unwrap();
        assert_eq!(store.followed(&model).await, both("edge", ""));

        let later = index(&[("a", "edge"), ("b", "edge")]);
        let told = store.note_charm_revisions(&model, later.clone()).await;
        let upgrade = CharmUpgrade {
            application: site(),
            charm: "local:site-0".to_owned(),
            can_upgrade_to: "repository:site-1".to_owned(),
        };
        assert_eq!(told.unwrap(), std::slice::from_ref(&upgrade));
        assert_eq!(
            store.followed(&model).await,
            both("edge", "repository:site-1")
        );
        let status = store.full_status(&model, &[], &present).await.unwrap();
        let shown = &status.applications["site"];
        assert_eq!(
            both(&shown.charm_channel, &shown.can_upgrade_to),
            both("edge", "repository:site-1")
        );
        // Nothing is written again.
        fixture.settle().await;
        let told = store.note_charm_revisions(&model, later.clone()).await;
        assert_eq!(told.unwrap(), [upgrade]);
        assert_eq!(store.changes().dispatch_page().await.unwrap(), 0);

        store
            .add_charm(&model, charm("site"), b"b".as_slice().into())
            .await
            .unwrap();
        store
            .refreshed_to(&model, "local:site-1", Some("edge"))
            .await;
        assert_eq!(store.followed(&model).await, both("edge", ""));
        let told = store.note_charm_revisions(&model, later.clone()).await;
        assert!(told.unwrap().is_empty());
        // Back again: the channel stays, and what it has is told when it is looked at.
        store.refreshed_to(&model, "local:site-0", None).await;
        assert_eq!(store.followed(&model).await, both("edge", ""));
        store.note_charm_revisions(&model, later).await.unwrap();
        assert_eq!(
            store.followed(&model).await,
            both("edge", "repository:site-1")
        );
        // Another channel, and then none, with the charm that is there.
        store
            .refreshed_to(&model, "local:site-0", Some("stable"))
            .await;
        assert_eq!(store.followed(&model).await, both("stable", ""));
        store.refreshed_to(&model, "local:site-0", Some("")).await;
        assert_eq!(store.followed(&model).await, both("", ""));
        // Without a channel the archive itself has to be the repository's.
        let stable = index(&[("a", "stable"), ("c", "stable")]);
        store.note_charm_revisions(&model, stable).await.unwrap();
        assert_eq!(store.followed(&model).await, both("", "repository:site-1"));
        let elsewhere = index(&[("x", "stable")]);
        store.note_charm_revisions(&model, elsewhere).await.unwrap();
        assert_eq!(store.followed(&model).await, both("", ""));
        fixture.end().await;
    }
}

#[tokio::test]
async fn a_channel_that_can_be_none_is_refused() {
    for fixture in fixtures().await {
        let (store, model) = (&fixture.store, fixture.site(0).await);
        let request = Refresh {
            capabilities: Default::default(),
            storage: Default::default(),
            channel: Some("-x".to_owned()),
            resources: Default::default(),
            charm: "local:site-0".to_owned(),
            config: Default::default(),
            force_units: false,
        };
        let refused = store.refresh(&model, &site(), request).await.unwrap_err();
        assert_eq!(refused.refusal().code(), "bad-request");
        assert_eq!(store.followed(&model).await, both("", ""));
        fixture.end().await;
    }
}

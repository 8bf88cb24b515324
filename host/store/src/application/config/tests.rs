//! Trust on both databases.

use periapt_wire::rest::{ConfigChange, Refresh};

use crate::testing::{application, fixtures, request, unit};
use crate::{Interest, namespace};

#[tokio::test]
async fn a_change_of_trust_is_heard_by_units_as_one_of_configuration_is() {
    for fixture in fixtures().await {
        let store = &fixture.store;
        let model = fixture.model("lab").await;
        fixture.charm(&model, "site", b"archive").await;
        fixture.deploy(&model, "site", 1).await;
        let (site, first) = (application("site"), unit("site/0"));
        let told = async || {
            let told = store
                .unit_told(&model, &first, "")
                .await
                .expect("read")
                .expect("there");
            (told.remote.config_hash, told.view.trusted)
        };
        let (plain, trusted) = told().await;
        assert!(!trusted);
        let mut heard = store
            .changes()
            .subscribe(Interest::model(&model).key(namespace::APPLICATION_CONFIG, &site));

        let shown = store.set_trust(&model, &site, true).await.expect("trusted");
        assert!(shown.trust);
        fixture.settle().await;
        assert!(!heard.next().await.expect("changes").is_empty());
        let (with_trust, trusted) = told().await;
        assert!(trusted && with_trust != plain);
        let config = store
            .application_config(&model, &site)
            .await
            .expect("config");
        assert!(config.trust);

        // A change of an option keeps it, and so does another revision of the charm.
        let change = ConfigChange {
            set: [("port".to_owned(), periapt_model::config::Value::Integer(1))].into(),
            reset: Vec::new(),
        };
        store
            .set_application_config(&model, &site, change)
            .await
            .expect("set");
        assert!(told().await.1);
        let next = periapt_model::charm::CharmInfo {
            url: "local:site-1".parse().expect("url"),
            revision: 1,
            ..crate::testing::charm("site")
        };
        let archive = bytes::Bytes::from_static(b"another");
        store.add_charm(&model, next, archive).await.expect("charm");
        let refresh = Refresh {
            capabilities: Default::default(),
            storage: Default::default(),
            charm: "local:site-1".to_owned(),
            force_units: false,
            resources: Default::default(),
            config: Default::default(),
            channel: None,
        };
        store
            .refresh(&model, &site, refresh)
            .await
            .expect("refreshed");
        let (refreshed, trusted) = told().await;
        assert!(trusted && store.application(&model, &site).await.expect("shown").trust);

        let shown = store
            .set_trust(&model, &site, false)
            .await
            .expect("taken back");
        assert!(!shown.trust);
        let (after, trusted) = told().await;
        assert!(!trusted && after != refreshed);
        fixture.end().await;
    }
}

#[tokio::test]
async fn an_application_may_be_trusted_from_the_start() {
    for fixture in fixtures().await {
        let store = &fixture.store;
        let model = fixture.model("lab").await;
        fixture.charm(&model, "site", b"archive").await;
        let mut deploy = request("site", 1);
        deploy.trust = true;
        let shown = store.deploy(&model, deploy).await.expect("deployed");
        assert!(shown.trust);
        let told = store.unit_told(&model, &unit("site/0"), "").await;
        assert!(told.expect("read").expect("there").view.trusted);
        let same = store.set_trust(&model, &application("site"), true).await;
        assert!(same.expect("the same").trust);
        fixture.end().await;
    }
}

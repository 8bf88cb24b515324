use periapt_model::Life;
use periapt_model::config::Value;
use periapt_model::refusal::Subject;
use periapt_wire::rest::{AddModel, ConfigChange, Refresh};

use crate::testing::{application, charm, fixtures, form, request, unit};
use crate::{Setter, StoreError};

#[tokio::test]
async fn models_have_unique_names_and_checked_configuration() {
    for fixture in fixtures().await {
        let store = &fixture.store;
        let model = fixture.model("default").await;
        let again = AddModel::new("default".parse().expect("name"));
        let refused = store
            .add_model(again, &"admin".parse().expect("user"))
            .await
            .expect_err("taken");
        assert_eq!(refused.refusal().call_code(), "already exists");
        assert_eq!(refused.refusal().code(), "model-already-exists");
        assert_eq!(
            store.model_by_name_or_uuid("default").await.expect("found"),
            model
        );
        assert_eq!(
            store
                .model_by_name_or_uuid(model.as_str())
                .await
                .expect("found"),
            model
        );
        assert_eq!(
            store
                .model_by_name_or_uuid("other")
                .await
                .expect_err("none")
                .refusal()
                .code(),
            "model-not-found"
        );

        let values = store.model_config(&model).await.expect("config");
        assert_eq!(
            values["logging-config"],
            Value::Text("<root>=INFO".to_owned())
        );
        assert_eq!(values["automatically-retry-hooks"], Value::Boolean(true));
        let set = |name: &str, text: &str| ConfigChange {
            set: [(name.to_owned(), Value::Text(text.to_owned()))].into(),
            reset: Vec::new(),
        };
        let unknown = store
            .set_model_config(&model, set("colour", "red"), Setter::Admin)
            .await
            .expect_err("unknown");
        assert_eq!(unknown.refusal().call_code(), "model-option-unknown");
        let wrong = store
            .set_model_config(&model, set("force-wait", "soon"), Setter::Admin)
            .await
            .expect_err("wrong");
        assert_eq!(wrong.refusal().call_code(), "model-option-invalid");
        store
            .set_model_config(
                &model,
                set("automatically-retry-hooks", "false"),
                Setter::Admin,
            )
            .await
            .expect("set");
        assert!(
            !store
                .get_retry_strategy(&model)
                .await
                .expect("strategy")
                .should_retry
        );
        let reset = ConfigChange {
            reset: vec!["automatically-retry-hooks".to_owned()],
            ..Default::default()
        };
        store
            .set_model_config(&model, reset, Setter::Admin)
            .await
            .expect("reset");
        assert!(
            store
                .get_retry_strategy(&model)
                .await
                .expect("strategy")
                .should_retry
        );
        fixture.end().await;
    }
}

#[tokio::test]
async fn the_same_archive_keeps_its_revision() {
    for fixture in fixtures().await {
        let model = fixture.model("default").await;
        let first = fixture.charm(&model, "site", b"one").await;
        let second = fixture.charm(&model, "site", b"two").await;
        let again = fixture.charm(&model, "site", b"one").await;
        assert_eq!(first.url.to_string(), "local:site-0");
        assert_eq!(second.url.to_string(), "local:site-1");
        assert_eq!(again, first);
        let archive = fixture
            .store
            .get_blob(&first.sha256)
            .await
            .expect("read")
            .expect("there");
        assert_eq!(&archive[..], b"one");
        assert!(
            fixture
                .store
                .model_uses_blob(&model, &first.sha256)
                .await
                .expect("asked")
        );
        assert_eq!(fixture.store.charms(&model).await.expect("charms").len(), 2);
        let other = fixture.model("other").await;
        assert!(
            !fixture
                .store
                .model_uses_blob(&other, &first.sha256)
                .await
                .expect("asked")
        );
        assert_eq!(
            fixture.charm(&other, "site", b"two").await.url.to_string(),
            "local:site-0"
        );
        fixture.end().await;
    }
}

#[tokio::test]
async fn a_compiled_charm_is_found_and_ends_the_waiting() {
    for fixture in fixtures().await {
        let store = &fixture.store;
        let model = fixture.site(0).await;
        let info = store
            .application_charm(&model, &application("site"))
            .await
            .expect("charm");
        assert_eq!(
            store
                .pending_charms(&model, "engine")
                .await
                .expect("pending"),
            [application("site")]
        );
        let digest = store
            .put_blob(vec![7_u8; 3 << 20].into())
            .await
            .expect("blob");
        store
            .put_compiled(&info.sha256, form("engine", &digest))
            .await
            .expect("compiled");
        assert_eq!(
            store.compiled(&info.sha256, "engine").await.expect("read"),
            Some(digest.clone())
        );
        assert!(
            store
                .pending_charms(&model, "engine")
                .await
                .expect("pending")
                .is_empty()
        );
        assert_eq!(
            store
                .pending_charms(&model, "newer")
                .await
                .expect("pending")
                .len(),
            1
        );
        assert!(store.model_uses_blob(&model, &digest).await.expect("asked"));
        assert_eq!(
            store
                .get_blob(&digest)
                .await
                .expect("read")
                .expect("there")
                .len(),
            3 << 20
        );
        fixture.end().await;
    }
}

#[tokio::test]
async fn deploying_checks_everything_before_it_writes_anything() {
    for fixture in fixtures().await {
        let store = &fixture.store;
        let model = fixture.model("default").await;
        let missing = store
            .deploy(&model, request("site", 1))
            .await
            .expect_err("no charm");
        assert_eq!(missing.refusal().code(), "charm-not-found");
        fixture.charm(&model, "site", b"archive").await;
        let mut bad = request("site", 1);
        bad.config
            .insert("port".to_owned(), Value::Text("eighty".to_owned()));
        assert_eq!(
            store
                .deploy(&model, bad)
                .await
                .expect_err("bad")
                .refusal()
                .call_code(),
            "config-wrong-type"
        );
        assert!(store.applications(&model).await.expect("list").is_empty());

        let mut good = request("site", 2);
        good.config
            .insert("port".to_owned(), Value::Text("80".to_owned()));
        let info = store.deploy(&model, good).await.expect("deployed");
        assert_eq!(info.units, [unit("site/0"), unit("site/1")]);
        assert_eq!(info.status.status.to_string(), "waiting");
        let config = store
            .application_config(&model, &application("site"))
            .await
            .expect("config");
        assert_eq!(config.effective["port"], Value::Integer(80));
        let taken = store
            .deploy(&model, request("site", 1))
            .await
            .expect_err("taken");
        assert_eq!(taken.refusal().code(), "application-already-exists");

        store
            .destroy_model(&model, false, None)
            .await
            .expect("destroyed");
        let dying = store
            .deploy(&model, request("site", 1))
            .await
            .expect_err("dying");
        assert_eq!(
            dying,
            StoreError::NotAlive {
                kind: Subject::Model,
                name: model.to_string(),
                life: Life::Dying
            }
        );
        fixture.end().await;
    }
}

#[tokio::test]
async fn unit_numbers_are_never_used_again() {
    for fixture in fixtures().await {
        let store = &fixture.store;
        let model = fixture.model("default").await;
        fixture.charm(&model, "site", b"archive").await;
        fixture.deploy(&model, "site", 2).await;
        store
            .remove_unit(&model, &unit("site/1"), false)
            .await
            .expect("removed");
        let added = store
            .add_units(&model, &application("site"), 2)
            .await
            .expect("added");
        assert_eq!(added, [unit("site/2"), unit("site/3")]);
        store
            .remove_application(&model, &application("site"), false)
            .await
            .expect("removed");
        store.cleanup(&model).await.expect("cleaned");
        fixture.deploy(&model, "site", 1).await;
        let info = store
            .application(&model, &application("site"))
            .await
            .expect("info");
        assert_eq!(info.units, [unit("site/4")]);
        fixture.end().await;
    }
}

#[tokio::test]
async fn configuration_changes_wholly_or_not_at_all_and_only_when_it_changes() {
    for fixture in fixtures().await {
        let store = &fixture.store;
        let model = fixture.site(1).await;
        let before = store
            .get_remote_state(&model, &unit("site/0"))
            .await
            .expect("state")
            .expect("there");
        fixture.settle().await;
        let mut watch = store
            .changes()
            .subscribe(crate::Interest::model(&model).all(crate::namespace::APPLICATION_CONFIG));
        let half = ConfigChange {
            set: [
                ("title".to_owned(), Value::Text("hello".to_owned())),
                ("port".to_owned(), Value::Text("x".to_owned())),
            ]
            .into(),
            reset: Vec::new(),
        };
        let refused = store
            .set_application_config(&model, &application("site"), half)
            .await
            .expect_err("bad");
        assert_eq!(refused.refusal().call_code(), "config-wrong-type");
        let unknown = ConfigChange {
            reset: vec!["colour".to_owned()],
            ..Default::default()
        };
        let refused = store
            .set_application_config(&model, &application("site"), unknown)
            .await
            .expect_err("bad");
        assert_eq!(refused.refusal().call_code(), "config-unknown-option");
        let config = store
            .application_config(&model, &application("site"))
            .await
            .expect("config");
        assert!(config.settings.is_empty());

        let set = ConfigChange {
            set: [("title".to_owned(), Value::Text("hello".to_owned()))].into(),
            reset: Vec::new(),
        };
        store
            .set_application_config(&model, &application("site"), set.clone())
            .await
            .expect("set");
        fixture.settle().await;
        assert_eq!(watch.take_now().len(), 1);
        let after = store
            .get_remote_state(&model, &unit("site/0"))
            .await
            .expect("state")
            .expect("there");
        assert_ne!(before.config_hash, after.config_hash);

        store
            .set_application_config(&model, &application("site"), set)
            .await
            .expect("again");
        fixture.settle().await;
        assert!(watch.take_now().is_empty());
        let same = store
            .get_remote_state(&model, &unit("site/0"))
            .await
            .expect("state")
            .expect("there");
        assert_eq!(after, same);
        fixture.end().await;
    }
}

#[tokio::test]
async fn refreshing_counts_and_keeps_what_still_fits() {
    for fixture in fixtures().await {
        let store = &fixture.store;
        let model = fixture.site(1).await;
        let set = ConfigChange {
            set: [
                ("title".to_owned(), Value::Text("hello".to_owned())),
                ("port".to_owned(), Value::Integer(81)),
            ]
            .into(),
            reset: Vec::new(),
        };
        store
            .set_application_config(&model, &application("site"), set)
            .await
            .expect("set");
        let mut newer = charm("site");
        newer.config.options.remove("title");
        store
            .add_charm(&model, newer, b"newer".as_slice().into())
            .await
            .expect("charm");
        fixture.charm(&model, "other", b"other").await;

        let to = |charm: &str| Refresh {
            capabilities: Default::default(),
            storage: Default::default(),
            channel: None,
            resources: Default::default(),
            charm: charm.to_owned(),
            config: Default::default(),
            force_units: false,
        };
        let wrong = store
            .refresh(&model, &application("site"), to("local:other-0"))
            .await
            .expect_err("other");
        assert_eq!(wrong.refusal().call_code(), "charm-name-differs");
        for _ in 0..2 {
            let info = store
                .refresh(&model, &application("site"), to("local:site-1"))
                .await
                .expect("refreshed");
            assert_eq!(info.charm_revision, 1);
        }
        let state = store
            .get_remote_state(&model, &unit("site/0"))
            .await
            .expect("state")
            .expect("there");
        assert_eq!(
            (state.charm_url.as_str(), state.charm_modified_version),
            ("local:site-1", 1)
        );
        let config = store
            .application_config(&model, &application("site"))
            .await
            .expect("config");
        assert_eq!(config.settings.keys().collect::<Vec<_>>(), ["port"]);
        fixture.end().await;
    }
}

#[tokio::test]
async fn a_refresh_sets_options_goes_back_and_lets_units_in_error_follow_later() {
    for fixture in fixtures().await {
        let (store, site) = (&fixture.store, application("site"));
        let model = fixture.site(1).await;
        let mut newer = charm("site");
        let title = newer.config.options.remove("title").expect("title");
        newer.config.options.insert("heading".to_owned(), title);
        store
            .add_charm(&model, newer, b"newer".as_slice().into())
            .await
            .expect("charm");
        let to = |revision: u32, config: &[(&str, Value)], force_units: bool| Refresh {
            capabilities: Default::default(),
            storage: Default::default(),
            channel: None,
            resources: Default::default(),
            charm: format!("local:site-{revision}"),
            config: config
                .iter()
                .map(|(name, value)| ((*name).to_owned(), value.clone()))
                .collect(),
            force_units,
        };
        let text = |text: &str| Value::Text(text.to_owned());

        // Options are those of the new charm, and what is refused changes nothing.
        let refused = store
            .refresh(&model, &site, to(1, &[("title", text("old"))], false))
            .await
            .expect_err("no such option");
        assert_eq!(refused.refusal().code(), "config-unknown-option");
        let before = store.application_config(&model, &site).await.expect("it");
        assert_eq!(before.charm, "local:site-0");

        let newer = to(1, &[("heading", text("new"))], false);
        store.refresh(&model, &site, newer).await.expect("newer");
        let after = store.application_config(&model, &site).await.expect("it");
        assert_eq!(after.settings["heading"], text("new"));

        // The same charm again: options and force alone.
        let again = to(1, &[("port", Value::Integer(81))], true);
        store.refresh(&model, &site, again).await.expect("again");
        let after = store.application_config(&model, &site).await.expect("it");
        assert_eq!(after.settings["heading"], text("new"));
        assert_eq!(after.settings["port"], Value::Integer(81));
        let remote = store.get_remote_state(&model, &unit("site/0")).await;
        let remote = remote.expect("state").expect("there");
        assert!(remote.force_charm_upgrade);
        assert_eq!(remote.charm_modified_version, 1, "the charm is the same");

        // Back again, without force.
        store
            .refresh(&model, &site, to(0, &[], false))
            .await
            .expect("back");
        let remote = store.get_remote_state(&model, &unit("site/0")).await;
        let remote = remote.expect("state").expect("there");
        assert_eq!(remote.charm_url, "local:site-0");
        assert!(!remote.force_charm_upgrade);
        let back = store.application_config(&model, &site).await.expect("it");
        assert_eq!(back.settings.keys().collect::<Vec<_>>(), ["port"]);
        fixture.end().await;
    }
}

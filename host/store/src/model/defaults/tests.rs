//! Defaults on both databases.

use periapt_model::options::Source;
use periapt_wire::rest::ConfigChange;

use super::*;
use crate::testing::fixtures;
use crate::{Interest, Setter};

fn set(region: Option<&str>, options: &[(&str, &str)]) -> ChangeModelDefaults {
    let options = options.iter();
    ChangeModelDefaults {
        region: region.map(str::to_owned),
        set: options
            .map(|(key, value)| ((*key).to_owned(), Value::Text((*value).to_owned())))
            .collect(),
        ..ChangeModelDefaults::default()
    }
}

#[tokio::test]
async fn models_have_defaults_live_and_their_own_options_go_before() {
    for fixture in fixtures().await {
        let store = &fixture.store;
        let model = fixture.model("one").await;
        let mut heard = store
            .changes()
            .subscribe(Interest::model(&model).all(namespace::MODEL_CONFIG));
        let found = async |model: &ModelUuid| {
            let setting = store
                .model_settings(model)
                .await
                .expect("shown")
                .remove("force-wait");
            let setting = setting.expect("force-wait");
            let effective = store
                .model_config(model)
                .await
                .expect("read")
                .remove("force-wait");
            assert_eq!(setting.value, effective, "shown is what holds");
            (setting.value.expect("a value").to_string(), setting.source)
        };
        let at = |value: &str, source| (value.to_owned(), source);
        assert_eq!(found(&model).await, at("1m", Source::Default));

        let wait = |value| [("force-wait", value)];
        let changed = store.change_model_defaults(set(None, &wait("2m"))).await;
        let changed = changed
            .expect("changed")
            .remove("force-wait")
            .expect("there");
        assert_eq!(changed.controller, Some(Value::Text("2m".to_owned())));
        assert_eq!(changed.default, Some(Value::Text("1m".to_owned())));
        fixture.settle().await;
        assert!(!heard.next().await.expect("changes").is_empty());
        assert_eq!(found(&model).await, at("2m", Source::Controller));
        let new = fixture.model("two").await;
        assert_eq!(found(&new).await, at("2m", Source::Controller));

        let changed = store
            .change_model_defaults(set(Some("default"), &wait("3m")))
            .await;
        let changed = changed
            .expect("changed")
            .remove("force-wait")
            .expect("there");
        assert_eq!(changed.regions["default"], Value::Text("3m".to_owned()));
        assert_eq!(found(&model).await, at("3m", Source::Region));
        let own = ConfigChange {
            set: set(None, &wait("4m")).set,
            reset: Vec::new(),
        };
        let shown = store
            .set_model_config(&model, own, Setter::Admin)
            .await
            .expect("set");
        assert_eq!(shown["force-wait"].source, Source::Model);
        assert_eq!(found(&model).await, at("4m", Source::Model));
        assert_eq!(found(&new).await, at("3m", Source::Region));

        let reset = |region: Option<&str>| ChangeModelDefaults {
            region: region.map(str::to_owned),
            reset: vec!["force-wait".to_owned()],
            ..ChangeModelDefaults::default()
        };
        store
            .change_model_defaults(reset(Some("default")))
            .await
            .expect("reset");
        assert_eq!(found(&new).await, at("2m", Source::Controller));
        store
            .change_model_defaults(reset(None))
            .await
            .expect("reset");
        assert_eq!(found(&new).await, at("1m", Source::Default));
        let defaults = store.model_defaults(Some("local")).await.expect("read");
        assert_eq!(defaults["force-wait"].controller, None);
        fixture.end().await;
    }
}

#[tokio::test]
async fn a_default_that_cannot_be_is_refused() {
    for fixture in fixtures().await {
        let store = &fixture.store;
        let elsewhere = ChangeModelDefaults {
            cloud: Some("moon".to_owned()),
            ..set(None, &[("force-wait", "2m")])
        };
        for (request, code) in [
            (set(None, &[("colour", "red")]), "model-option-unknown"),
            (set(None, &[("force-wait", "soon")]), "model-option-invalid"),
            (
                set(None, &[("syslog-client-key", "key")]),
                "model-option-invalid",
            ),
            (
                set(None, &[("storage-default-filesystem-source", "fast")]),
                "model-option-invalid",
            ),
            (
                set(Some("attic"), &[("force-wait", "2m")]),
                "region-not-found",
            ),
            (elsewhere, "cloud-not-found"),
        ] {
            let refused = store.change_model_defaults(request).await;
            assert_eq!(refused.expect_err("refused").refusal().code(), code);
        }
        let nowhere = store.model_defaults(Some("moon")).await;
        assert_eq!(
            nowhere.expect_err("none").refusal().code(),
            "cloud-not-found"
        );
        fixture.end().await;
    }
}

#[tokio::test]
async fn a_host_for_the_log_that_is_a_default_is_a_superusers_word() {
    for fixture in fixtures().await {
        let store = &fixture.store;
        let model = fixture.model("one").await;
        let options = [
            ("syslog-host", "logs.example:6514"),
            ("logforward-enabled", "true"),
        ];
        store
            .change_model_defaults(set(None, &options))
            .await
            .expect("set");
        let destination = store.log_destination(&model).await.expect("read");
        let destination = destination.expect("is on");
        assert_eq!(
            (destination.host.as_str(), destination.allowed),
            ("logs.example:6514", true)
        );
        fixture.end().await;
    }
}

#[tokio::test]
async fn a_default_goes_together_with_those_of_each_region_it_holds_in() {
    for fixture in fixtures().await {
        let store = &fixture.store;
        let change = async |region, option| {
            let changed = store.change_model_defaults(set(region, &[option])).await;
            changed.map_err(|error| error.refusal().code())
        };
        let conflict = Err("proxy-options-conflict");
        let one = ("http-proxy", "http://a.example");
        let other = ("juju-https-proxy", "http://b.example");
        change(Some("default"), one).await.expect("set");
        assert_eq!(change(None, other).await.map(|_| ()), conflict);
        assert_eq!(change(Some("default"), other).await.map(|_| ()), conflict);
        change(Some("default"), ("http-proxy", ""))
            .await
            .expect("none");
        change(None, other).await.expect("they go together");
        change(None, ("force-wait", "2m")).await.expect("another");
        fixture.end().await;
    }
}

/// It was there before: whoever set the default did not look at what each model says.
#[tokio::test]
async fn a_default_that_conflicts_with_a_models_options_keeps_none_of_them_from_being_changed() {
    for fixture in fixtures().await {
        let store = &fixture.store;
        let model = fixture.model("one").await;
        let options = async |options: &[(&str, &str)]| {
            let change = ConfigChange {
                set: set(None, options).set,
                reset: Vec::new(),
            };
            let changed = store.set_model_config(&model, change, Setter::Admin).await;
            changed.map_err(|error| error.refusal().code())
        };
        let own = [("http-proxy", "http://a.example")];
        options(&own).await.expect("set");
        let theirs = [("juju-https-proxy", "http://b.example")];
        let defaults = store.change_model_defaults(set(None, &theirs)).await;
        defaults.expect("set");
        options(&[("force-wait", "2m")]).await.expect("another");
        options(&[("http-proxy", "")]).await.expect("none");
        let again = options(&own).await.map(|_| ());
        assert_eq!(again, Err("proxy-options-conflict"));
        fixture.end().await;
    }
}

use periapt_model::options::Source;

use super::*;
use crate::testing::{Fixture, fixtures};
use crate::{Interest, StoreError};

const KEY: &str = "-----BEGIN PRIVATE KEY-----";

fn change(options: &[(&str, &str)]) -> ConfigChange {
    let set = options.iter();
    ConfigChange {
        set: set
            .map(|(key, value)| ((*key).to_owned(), Value::Text((*value).to_owned())))
            .collect(),
        reset: Vec::new(),
    }
}

async fn set_as(
    fixture: &Fixture,
    model: &ModelUuid,
    setter: Setter,
    options: &[(&str, &str)],
) -> std::result::Result<Settings, StoreError> {
    let store = &fixture.store;
    store.set_model_config(model, change(options), setter).await
}

#[tokio::test]
async fn a_secret_goes_to_the_one_who_needs_it_and_to_nobody_else() {
    for fixture in fixtures().await {
        let store = &fixture.store;
        let model = fixture.model("default").await;
        let set = [("syslog-client-key", KEY), ("logforward-enabled", "true")];
        let answer = set_as(&fixture, &model, Setter::Admin, &set).await;
        let shown = [
            serde_json::to_string(&answer.expect("set")),
            serde_json::to_string(&store.model_settings(&model).await.expect("shown")),
            serde_json::to_string(&store.model_config(&model).await.expect("effective")),
        ];
        for shown in shown {
            assert!(!shown.expect("JSON").contains(KEY));
        }
        let settings = store.model_settings(&model).await.expect("shown");
        assert_eq!(settings["syslog-client-key"].source, Source::Model);
        let destination = store.log_destination(&model).await.expect("read");
        let destination = destination.expect("is on");
        assert_eq!(destination.key, KEY);
        assert!(!format!("{destination:?}").contains(KEY));

        let reset = ConfigChange {
            reset: vec!["syslog-client-key".to_owned()],
            ..ConfigChange::default()
        };
        let answer = store.set_model_config(&model, reset, Setter::Admin).await;
        let answer = answer.expect("reset");
        assert_eq!(answer["syslog-client-key"].source, Source::Default);
        fixture.end().await;
    }
}

#[tokio::test]
async fn where_the_log_goes_is_a_superusers_word() {
    for fixture in fixtures().await {
        let store = &fixture.store;
        let model = fixture.model("default").await;
        let host = |host: &'static str| [("syslog-host", host), ("logforward-enabled", "true")];
        let allowed = async || {
            let destination = store.log_destination(&model).await.expect("read");
            destination.expect("is on").allowed
        };
        for inside in [
            "127.0.0.1:5432",
            "localhost",
            "169.254.169.254",
            "logs.example",
        ] {
            let refused = set_as(&fixture, &model, Setter::Admin, &host(inside)).await;
            let refused = refused.expect_err(inside);
            assert_eq!(refused.refusal().call_code(), "syslog-host-not-allowed");
        }
        set_as(&fixture, &model, Setter::Superuser, &host("127.0.0.1:514"))
            .await
            .expect("a superuser may");
        assert!(allowed().await);
        // Whatever else an admin sets, the host stays the superuser's.
        set_as(
            &fixture,
            &model,
            Setter::Admin,
            &[("syslog-ca-cert", "PEM")],
        )
        .await
        .expect("set");
        assert!(allowed().await);

        let list = |hosts| store.set_controller_config(change(&[("syslog-allowed-hosts", hosts)]));
        list("logs.example, other:514").await.expect("listed");
        set_as(&fixture, &model, Setter::Admin, &host("logs.example:6514"))
            .await
            .expect("listed");
        assert!(allowed().await);
        fixture.settle().await;
        let interest = Interest::model(&model).all(namespace::MODEL_CONFIG);
        let mut changes = store.changes().subscribe(interest);
        list("other:514").await.expect("no longer");
        assert!(!allowed().await, "what was set is asked about again");
        fixture.settle().await;
        assert_eq!(changes.take_now().len(), 1, "and the model hears of it");
        set_as(&fixture, &model, Setter::Admin, &host(""))
            .await
            .expect("none");
        fixture.end().await;
    }
}

#[tokio::test]
async fn a_model_is_added_with_the_word_of_its_owner() {
    for fixture in fixtures().await {
        let store = &fixture.store;
        let superuser: periapt_model::UserName = "admin".parse().expect("user");
        let request = |name: &str| periapt_wire::rest::AddModel {
            config: change(&[("syslog-host", "127.0.0.1"), ("logforward-enabled", "on")]).set,
            ..periapt_wire::rest::AddModel::new(name.parse().expect("name"))
        };
        let refused = store.add_model(request("first"), &superuser).await;
        assert_eq!(
            refused.expect_err("nobody yet").refusal().call_code(),
            "syslog-host-not-allowed"
        );
        assert!(store.models().await.expect("models").is_empty());
        store
            .set_password(&superuser, "a long secret")
            .await
            .expect("user");
        let model = store.add_model(request("first"), &superuser).await;
        let model = model.expect("added").uuid;
        let destination = store.log_destination(&model).await.expect("read");
        assert!(destination.expect("is on").allowed);
        fixture.end().await;
    }
}

#[tokio::test]
async fn the_same_again_is_no_change_and_a_wrong_one_changes_nothing() {
    for fixture in fixtures().await {
        let store = &fixture.store;
        let model = fixture.model("default").await;
        let before = store.model_settings(&model).await.expect("shown");
        for (options, code) in [
            (
                &[("force-wait", "2m"), ("force-wiat", "2m")][..],
                "model-option-unknown",
            ),
            (
                &[("force-wait", "2m"), ("removal-deadline", "x")][..],
                "model-option-invalid",
            ),
            (
                &[("provisioner-harvest-mode", "some")][..],
                "model-option-invalid",
            ),
        ] {
            let refused = set_as(&fixture, &model, Setter::Superuser, options).await;
            assert_eq!(refused.expect_err(code).refusal().call_code(), code);
        }
        assert_eq!(store.model_settings(&model).await.expect("shown"), before);
        let set = [("force-wait", "2m"), ("provisioner-harvest-mode", "none")];
        set_as(&fixture, &model, Setter::Admin, &set)
            .await
            .expect("set");
        fixture.settle().await;
        let interest = Interest::model(&model).all(namespace::MODEL_CONFIG);
        let mut changes = store.changes().subscribe(interest);
        set_as(&fixture, &model, Setter::Admin, &set)
            .await
            .expect("again");
        fixture.settle().await;
        assert_eq!(changes.take_now().len(), 0);
        let values = store.model_config(&model).await.expect("effective");
        assert_eq!(
            values["provisioner-harvest-mode"],
            Value::Text("none".into())
        );
        fixture.end().await;
    }
}

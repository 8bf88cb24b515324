use periapt_model::config::Value;
use periapt_model::options::Source;
use periapt_wire::rest::ConfigChange;

use crate::testing::fixtures;
use crate::{Interest, namespace};

fn set(key: &str, value: &str) -> ConfigChange {
    ConfigChange {
        set: [(key.to_owned(), Value::Text(value.to_owned()))].into(),
        reset: Vec::new(),
    }
}

#[tokio::test]
async fn options_have_jujus_defaults_are_checked_and_told() {
    for fixture in fixtures().await {
        let store = &fixture.store;
        let values = store.controller_settings().await.unwrap();
        assert_eq!(values["auditing-enabled"].value, Some(Value::Boolean(true)));
        assert_eq!(values["auditing-enabled"].source, Source::Default);
        assert_eq!(
            values["audit-log-max-backups"].value,
            Some(Value::Integer(10))
        );

        fixture.settle().await;
        let interest = Interest::any_model().all(namespace::CONTROLLER_CONFIG);
        let mut changes = store.changes().subscribe(interest);
        let after = store
            .set_controller_config(set("auditing-enabled", "off"))
            .await
            .unwrap();
        assert_eq!(after["auditing-enabled"].value, Some(Value::Boolean(false)));
        assert_eq!(after["auditing-enabled"].source, Source::Controller);
        fixture.settle().await;
        assert_eq!(changes.take_now().len(), 1);
        // The same again is no change.
        store
            .set_controller_config(set("auditing-enabled", "false"))
            .await
            .unwrap();
        fixture.settle().await;
        assert_eq!(changes.take_now().len(), 0);

        for (key, value) in [("auditing-enabled", "maybe"), ("no-such-option", "1")] {
            let refused = store.set_controller_config(set(key, value)).await;
            assert!(refused.is_err(), "{key}={value}");
        }
        let hosts = store.set_controller_config(set("syslog-allowed-hosts", "logs.example"));
        hosts.await.unwrap();
        let reset = ConfigChange {
            reset: vec!["auditing-enabled".into(), "syslog-allowed-hosts".into()],
            ..ConfigChange::default()
        };
        assert_eq!(store.set_controller_config(reset).await.unwrap(), values);
        fixture.end().await;
    }
}

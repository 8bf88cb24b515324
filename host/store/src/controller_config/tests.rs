use periapt_model::config::Value;
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
        let values = store.controller_config().await.unwrap();
        assert_eq!(values["auditing-enabled"], Value::Boolean(true));
        assert_eq!(values["audit-log-capture-args"], Value::Boolean(false));
        assert_eq!(values["audit-log-max-size"], Value::Text("300M".into()));
        assert_eq!(values["audit-log-max-backups"], Value::Integer(10));

        fixture.settle().await;
        let interest = Interest::any_model().all(namespace::CONTROLLER_CONFIG);
        let mut changes = store.changes().subscribe(interest);
        let after = store
            .set_controller_config(set("auditing-enabled", "off"))
            .await
            .unwrap();
        assert_eq!(after["auditing-enabled"], Value::Boolean(false));
        fixture.settle().await;
        assert_eq!(changes.take_now().len(), 1);
        // The same again is no change.
        store
            .set_controller_config(set("auditing-enabled", "false"))
            .await
            .unwrap();
        fixture.settle().await;
        assert_eq!(changes.take_now().len(), 0);

        for (key, value) in [
            ("auditing-enabled", "maybe"),
            ("audit-log-max-size", "big"),
            ("audit-log-max-size", "0"),
            ("audit-log-max-backups", "-1"),
            ("audit-log-exclude-methods", "everything"),
            ("syslog-target", "somewhere"),
            ("no-such-option", "1"),
        ] {
            assert!(
                store.set_controller_config(set(key, value)).await.is_err(),
                "{key}={value}"
            );
        }
        for (key, value) in [
            (
                "audit-log-exclude-methods",
                "Uniter.CommitHook, AgentMethods",
            ),
            ("syslog-target", "unix:/dev/log"),
            ("syslog-target", "tcp:[::1]:514"),
            ("syslog-target", ""),
        ] {
            store.set_controller_config(set(key, value)).await.unwrap();
        }
        let reset = ConfigChange {
            reset: vec![
                "auditing-enabled".into(),
                "audit-log-exclude-methods".into(),
            ],
            ..ConfigChange::default()
        };
        assert_eq!(store.set_controller_config(reset).await.unwrap(), values);
        fixture.end().await;
    }
}

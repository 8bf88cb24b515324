use serde_json::json;

use crate::relation::RelationSettings;
use crate::secret::SecretId;
use crate::testing::range;
use crate::{
    CallErrorCode, Effects, HookTxn, StateAnswers, action, leadership, payloads, ports, reboot,
    relation, secret, workload,
};

fn effects() -> Effects {
    Effects {
        ports: ports::Changes {
            open: vec![range("443/tcp").into()],
            close: vec![range("80/tcp")],
        },
        state: [
            ("a to b".to_owned(), Some("secret".to_owned())),
            ("old".to_owned(), None),
        ]
        .into(),
        relations: [(
            3,
            RelationSettings {
                unit: [("host".to_owned(), Some("x".to_owned()))].into(),
                application: [("url".to_owned(), None)].into(),
            },
        )]
        .into(),
        leader: [("token".to_owned(), Some("secret".to_owned()))].into(),
        secrets: secret::Changes {
            removed: [(
                SecretId::of_random([0; 12]),
                secret::RemovedSecret {
                    owner: secret::Owner::Unit,
                    revisions: [2].into(),
                },
            )]
            .into(),
            ..secret::Changes::default()
        },
        workload: [(
            "web".to_owned(),
            workload::Change {
                layers: Some(workload::Layers::default()),
                requests: vec![workload::Request::Stop(vec!["site".to_owned()])],
            },
        )]
        .into(),
        payloads: payloads::Changes {
            put: Vec::new(),
            gone: vec![payloads::PayloadKey {
                class: "monitor".to_owned(),
                id: "a".to_owned(),
            }],
        },
        reboot: reboot::Changes { wanted: true },
        storage: [("data".to_owned(), 2)].into_iter().collect(),
        action: action::Outcome {
            results: [("built".to_owned(), json!(3))].into_iter().collect(),
            ..action::Outcome::default()
        },
    }
}

#[test]
fn words_name_what_changes_and_no_value() {
    assert_eq!(
        effects().in_words(),
        [
            "closed 80/tcp",
            "opened 443/tcp",
            "state a to b",
            "state old deleted",
            "relation 3 setting host",
            "relation 3 application setting url deleted",
            "leader setting token",
            "secret 00000000000000000000, a revision removed",
            "added storage data 2 times",
            "planned web",
            "stop site in web",
            "unregistered payload monitor a",
            "reboot of the machine",
            "result built",
        ]
    );
}

/// Agents and controllers of other versions read and write this.
#[test]
fn effects_are_sent_as_they_always_were() {
    let sent = json!({
        "open_ports": ["443/tcp"],
        "close_ports": ["80/tcp"],
        "state": { "a to b": "secret", "old": null },
        "relations": { "3": { "unit": { "host": "x" }, "application": { "url": null } } },
        "leader": { "token": "secret" },
        "secrets": { "removed": { "00000000000000000000": { "owner": "unit", "revisions": [2] } } },
        "workload": { "web": { "layers": [], "requests": [{ "stop": ["site"] }] } },
        "payloads": { "gone": [{ "class": "monitor", "id": "a" }] },
        "reboot": true,
        "storage": { "data": 2 },
        "action": { "results": { "built": 3 } },
    });
    assert_eq!(serde_json::to_value(effects()).unwrap(), sent);
    assert_eq!(serde_json::from_value::<Effects>(sent).unwrap(), effects());
    assert_eq!(serde_json::to_value(Effects::default()).unwrap(), json!({}));
    assert_eq!(
        serde_json::from_value::<Effects>(json!({})).unwrap(),
        Effects::default()
    );
}

#[test]
fn only_what_is_the_leaders_needs_leadership() {
    let all = effects();
    let of_unit = Effects {
        leader: leadership::Changes::default(),
        relations: relation::Changes::default(),
        ..all.clone()
    };
    assert!(!of_unit.needs_leadership() && !of_unit.is_empty());
    let shared = Effects {
        relations: all.relations.clone(),
        ..Effects::default()
    };
    assert!(shared.needs_leadership());
    let untouched = Effects {
        relations: [(3, RelationSettings::default())].into(),
        ..Effects::default()
    };
    assert!(untouched.is_empty() && !untouched.needs_leadership());
}

#[test]
fn what_an_agent_does_not_answer_is_refused() {
    struct Nobody;
    impl StateAnswers for Nobody {}
    let refused = HookTxn::default().state_get(&mut Nobody, "key");
    let refused = refused.unwrap_err();
    assert_eq!(refused.code, CallErrorCode::Denied);
    assert_eq!(refused.message, "the host answers only while a hook runs");
}

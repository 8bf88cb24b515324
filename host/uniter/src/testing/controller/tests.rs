use periapt_contract::{ports, storage};
use periapt_model::bounds::{PORT_RANGES, STATE_VALUE_BYTES};
use periapt_model::charm::CharmUrl;
use periapt_model::hook::{Effects, Info, RelationEvent, RelationSettings};
use periapt_model::relation::{HookKind, RelationHook};
use periapt_model::uniter::{OperationKind, OperationState};
use periapt_wire::agent::uniter::{CommitHook, HookCommitted, Known};

use super::*;
use crate::testing::{archive, charm_info};

fn unit() -> UnitName {
    "site/0".parse().unwrap()
}

fn event(kind: HookKind, relation: u64) -> Info {
    Info::relation(RelationEvent {
        endpoint: "db".to_owned(),
        remote_application: "postgres".parse().unwrap(),
        hook: RelationHook {
            relation,
            kind,
            unit: None,
            application: None,
            version: 0,
        },
        departing: None,
    })
}

/// A unit that leads and is in the scope of relation 1, but not in that of 2.
fn controller() -> Controller {
    let controller = Controller::new();
    controller.add_unit(&unit(), &"0".parse().unwrap(), "local:site-0");
    controller.set_leader("site", Some(unit()));
    for id in [1, 2] {
        controller.relation(id, |relation| {
            let mut made = Relation::new(&[("site", "db"), ("postgres", "server")]);
            if id == 1 {
                made.enter(&unit(), &[]);
            }
            *relation = Some(made);
        });
    }
    controller.change(&unit(), |record| {
        record.state.opened_ports = [range("80-90/tcp")].into_iter().collect();
    });
    controller
}

fn range(text: &str) -> ports::PortRange {
    text.parse().unwrap()
}

fn opens(range: ports::PortRange) -> ports::Changes {
    ports::Changes {
        open: vec![range.into()],
        close: Vec::new(),
    }
}

fn writes(relation: u64) -> Effects {
    let settings = RelationSettings {
        unit: [("key".to_owned(), Some("value".to_owned()))].into(),
        ..RelationSettings::default()
    };
    Effects {
        relations: [(relation, settings)].into(),
        ..Effects::default()
    }
}

fn call(effects: Effects) -> CommitHook {
    CommitHook {
        unit: unit(),
        from: 0,
        effects,
        operation: OperationState {
            kind: OperationKind::Continue,
            ..OperationState::default()
        },
        workload: None,
        hook: None,
        absent: Vec::new(),
        run: None,
        task: None,
        records: vec![LogRecord {
            time: 0,
            entity: "machine-0".parse().unwrap(),
            level: "INFO".to_owned(),
            module: "unit.site/0".to_owned(),
            message: "done".to_owned(),
        }],
        rests: false,
        known: Known::default(),
    }
}

async fn commit(controller: &Controller, call: CommitHook) -> Result<HookCommitted, CallError> {
    controller.connect().0.call(&call).await
}

async fn refusal(controller: &Controller, call: CommitHook) -> String {
    let refused = commit(controller, call).await.unwrap_err();
    refused.code().to_owned()
}

#[tokio::test]
async fn a_refused_commit_leaves_nothing() {
    let controller = controller();
    let all = || Effects {
        leader: [("told".to_owned(), Some("x".to_owned()))].into(),
        state: [("kept".to_owned(), Some("x".to_owned()))].into(),
        ..writes(1)
    };
    let mut part = call(all());
    part.effects.ports = opens(range("85/tcp"));
    assert_eq!(refusal(&controller, part).await, "port-conflict");
    let mut late = call(all());
    late.from = 7;
    late.absent = vec![event(HookKind::Created, 2)];
    assert_eq!(refusal(&controller, late).await, code::STALE);

    let record = controller.unit(&unit()).unwrap();
    assert!(record.commits.is_empty() && record.state.charm_state.is_empty());
    assert!(controller.leader_settings("site").is_empty());
    assert!(controller.logs().is_empty());
    let bag = &controller.related(1).unwrap().units[&unit()];
    assert!(bag.settings.is_empty());
    assert!(controller.related(2).unwrap().scope.is_empty());

    commit(&controller, call(all())).await.unwrap();
    assert_eq!(controller.leader_settings("site")["told"], "x");
    assert_eq!(controller.logs()[0].entity.to_string(), "unit-site-0");
    let bag = &controller.related(1).unwrap().units[&unit()];
    assert_eq!(bag.settings["key"], "value");
}

#[tokio::test]
async fn refusals_are_those_of_a_controller() {
    let controller = controller();
    let outside = call(writes(2));
    assert_eq!(refusal(&controller, outside).await, "not-in-scope");
    let mut many = call(Effects::default());
    let ranges = (0..=PORT_RANGES.most).map(|n| range(&format!("{}/udp", n + 1)).into());
    many.effects.ports.open = ranges.collect();
    assert_eq!(refusal(&controller, many).await, "too-many-ports");
    let long = "x".repeat(STATE_VALUE_BYTES.length() + 1);
    let long = call(Effects {
        state: [("key".to_owned(), Some(long))].into(),
        ..Effects::default()
    });
    assert_eq!(refusal(&controller, long).await, "quota-limit-exceeded");
    let enters = |relation| CommitHook {
        absent: vec![event(HookKind::Created, relation)],
        ..call(Effects::default())
    };
    assert_eq!(refusal(&controller, enters(3)).await, code::TRY_AGAIN);
    controller.relation(2, |relation| {
        relation.as_mut().unwrap().suspended = true;
    });
    assert_eq!(refusal(&controller, enters(2)).await, code::TRY_AGAIN);
    controller.set_leader("site", None);
    let told = call(Effects {
        leader: [("told".to_owned(), None)].into(),
        ..Effects::default()
    });
    assert_eq!(refusal(&controller, told).await, code::LEASE_DENIED);
    controller.change(&unit(), |record| record.remote.life = Life::Dead);
    assert_eq!(refusal(&controller, call(writes(1))).await, code::DEAD);
    assert!(commit(&controller, call(Effects::default())).await.is_ok());
}

#[tokio::test]
async fn what_nobody_is_left_to_read_is_dropped() {
    let controller = controller();
    let gone = commit(&controller, call(writes(3))).await;
    assert!(gone.is_ok(), "taken away by force: {gone:?}");
    let left = CommitHook {
        from: 1,
        hook: Some(event(HookKind::Broken, 2)),
        ..call(writes(2))
    };
    let left = commit(&controller, left).await;
    assert!(left.is_ok(), "left by this hook: {left:?}");
    assert!(controller.related(2).unwrap().units.is_empty());
}

/// The unit's charm declares up to two storages `data`.
fn with_storage() -> Controller {
    let controller = controller();
    let bytes = archive("site", "storage");
    let url = CharmUrl::new("site", 0).unwrap();
    let mut info = charm_info(&bytes, &url, &[]).unwrap();
    let data = r#"{"type": "filesystem", "multiple": {"range": "0-2"}}"#;
    let data: periapt_model::charm::Storage = serde_json::from_str(data).unwrap();
    info.metadata.storage = [("data".to_owned(), data)].into();
    controller.add_charm(info, bytes);
    controller
}

fn attached(controller: &Controller) -> Vec<String> {
    let attached = controller.unit(&unit()).unwrap().remote.storage;
    attached.keys().map(ToString::to_string).collect()
}

#[tokio::test]
async fn storage_is_given_by_a_commit_and_let_go_of_by_another() {
    let controller = with_storage();
    let adds = |from, count| CommitHook {
        from,
        ..call(Effects {
            storage: storage::Changes::from([("data".to_owned(), count)]),
            ..Effects::default()
        })
    };
    commit(&controller, adds(0, 2)).await.unwrap();
    assert_eq!(attached(&controller), ["data/1", "data/2"]);
    let refused = refusal(&controller, adds(1, 1)).await;
    assert_eq!(refused, "storage-invalid");
    assert_eq!(attached(&controller).len(), 2);

    let all = controller.unit(&unit()).unwrap().remote.storage;
    let gone = all.iter().map(|(id, one)| {
        let event = one.event(id);
        Info::storage(periapt_model::hook::Kind::StorageDetaching, event)
    });
    let mut gone: Vec<Info> = gone.collect();
    // Once more than there is: again is the same.
    for from in 1..=2 {
        let lets_go = CommitHook {
            from,
            hook: gone.first().cloned(),
            absent: gone.split_off(1.min(gone.len())),
            ..call(Effects::default())
        };
        commit(&controller, lets_go).await.unwrap();
        assert!(attached(&controller).is_empty());
    }
}

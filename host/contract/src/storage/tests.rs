use super::*;
use crate::CallErrorCode;
use crate::testing::{Unit, unit};

fn with_storage() -> Unit {
    let attached = |id: &str| Attached {
        id: id.parse().unwrap(),
        kind: Kind::Filesystem,
        location: format!("/storage/{id}"),
        read_only: false,
    };
    let declared = |room, shared| Declared { room, shared };
    Unit {
        storage: ["cache/1", "data/0", "data/10"].map(attached).into(),
        declared_storage: [
            ("cache", declared(None, false)),
            ("data", declared(Some(2), false)),
            ("pool", declared(Some(0), true)),
        ]
        .map(|(name, declared)| (name.to_owned(), declared))
        .into(),
        ..unit()
    }
}

fn ids(found: &[StorageId]) -> Vec<String> {
    found.iter().map(StorageId::to_string).collect()
}

#[test]
fn an_id_is_a_name_and_a_number_and_is_in_order_of_numbers() {
    let id: StorageId = "pg-data/12".parse().unwrap();
    assert_eq!((id.name(), id.number()), ("pg-data", 12));
    assert_eq!(
        (id.to_string(), id.dashed()),
        ("pg-data/12".into(), "pg-data-12".into())
    );
    assert!("data/2".parse::<StorageId>().unwrap() < "data/10".parse().unwrap());
    for bad in [
        "", "data", "data/", "/0", "data/01", "data/-1", "data/+1", "0/0", "a b/0", "../0",
    ] {
        assert!(bad.parse::<StorageId>().is_err(), "{bad}");
    }
    assert!(StorageId::new("no/slash", 0).is_err());
}

#[test]
fn storage_is_listed_as_a_whole_or_by_its_name() {
    let mut txn = HookTxn::default();
    let mut unit = with_storage();
    let all = txn.storage_ids(&mut unit, None).unwrap();
    assert_eq!(ids(&all), ["cache/1", "data/0", "data/10"]);
    let data = txn.storage_ids(&mut unit, Some("data")).unwrap();
    assert_eq!(ids(&data), ["data/0", "data/10"]);
    let error = txn.storage_ids(&mut unit, Some("dat")).unwrap_err();
    assert_eq!(error.code, CallErrorCode::NotFound);
    assert!(
        error.message.ends_with("did you mean \"data\"?"),
        "{error:?}"
    );
}

#[test]
fn without_an_id_storage_get_is_about_the_storage_of_the_hook() {
    let mut txn = HookTxn::default();
    let mut unit = with_storage();
    let error = txn.storage_get(&mut unit, None).unwrap_err();
    assert_eq!(error.code, CallErrorCode::Invalid);
    unit.hook_storage = Some("data/10".parse().unwrap());
    let found = txn.storage_get(&mut unit, None).unwrap();
    assert_eq!(found.location, "/storage/data/10");
    let found = txn.storage_get(&mut unit, Some("cache/1")).unwrap();
    assert_eq!((found.id.name(), found.kind), ("cache", Kind::Filesystem));
    let error = txn.storage_get(&mut unit, Some("data/7")).unwrap_err();
    assert_eq!(error.code, CallErrorCode::NotFound);
    let error = txn.storage_get(&mut unit, Some("data")).unwrap_err();
    assert_eq!(error.code, CallErrorCode::Invalid);
}

#[test]
fn what_a_hook_adds_is_committed_up_to_what_the_charm_declares() {
    let mut txn = HookTxn::default();
    let mut unit = with_storage();
    txn.storage_add(&mut unit, "data", 1).unwrap();
    txn.storage_add(&mut unit, "data", 1).unwrap();
    let refused = |txn: &mut HookTxn, unit: &mut Unit, name, count| {
        txn.storage_add(unit, name, count).unwrap_err().code
    };
    let refusals = [
        (("data", 1), CallErrorCode::Limit),
        (("data", 0), CallErrorCode::Invalid),
        (("pool", 1), CallErrorCode::Denied),
        (("disk", 1), CallErrorCode::NotFound),
        (("cache", 1_000_000), CallErrorCode::Limit),
    ];
    for ((name, count), code) in refusals {
        assert_eq!(refused(&mut txn, &mut unit, name, count), code, "{name}");
    }
    txn.storage_add(&mut unit, "cache", 1).unwrap();
    let effects = txn.into_effects();
    assert_eq!(
        effects.storage,
        Changes::from([("cache".to_owned(), 1), ("data".to_owned(), 2)])
    );
    assert_eq!(
        effects.in_words(),
        ["added storage cache", "added storage data 2 times"]
    );
    assert!(!effects.needs_leadership());
}

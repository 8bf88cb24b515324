use crate::bounds::{STATE_BYTES, STATE_KEYS, STATE_VALUE_BYTES};
use crate::testing::unit;
use crate::{CallErrorCode, HookTxn};

#[test]
fn reads_see_own_writes_and_effects_hold_only_changes() {
    let unit = unit();
    let (mut txn, mut context) = (HookTxn::default(), unit.context());
    assert_eq!(
        txn.state_get(&mut context, "old").unwrap().as_deref(),
        Some("1")
    );
    txn.state_set(&mut context, "new".into(), "2".into())
        .unwrap();
    txn.state_delete(&mut context, "old".into()).unwrap();
    assert_eq!(txn.state_get(&mut context, "old").unwrap(), None);
    assert_eq!(
        txn.state_all(&mut context).unwrap(),
        [("new".into(), "2".into())]
    );
    // Back to what is committed: nothing to do.
    txn.state_set(&mut context, "old".into(), "1".into())
        .unwrap();
    txn.state_set(&mut context, "passing".into(), "x".into())
        .unwrap();
    txn.state_delete(&mut context, "passing".into()).unwrap();
    let effects = txn.into_effects();
    assert_eq!(
        effects.state.into_iter().collect::<Vec<_>>(),
        [("new".into(), Some("2".into()))]
    );
    assert_eq!(unit.record.lock().unwrap().state_reads, 1);
}

#[test]
fn limits_of_keys_values_and_the_whole() {
    let unit = unit();
    let (mut txn, mut context) = (HookTxn::default(), unit.context());
    let mut set = |key: &str, bytes: usize| {
        txn.state_set(&mut context, key.into(), "x".repeat(bytes))
            .map_err(|error| error.code)
    };
    assert_eq!(set("", 1), Err(CallErrorCode::Invalid));
    assert_eq!(set(&"k".repeat(257), 1), Err(CallErrorCode::Limit));
    assert_eq!(set(&"k".repeat(256), 1), Ok(()));
    assert_eq!(
        set("big", STATE_VALUE_BYTES.length() + 1),
        Err(CallErrorCode::Limit)
    );
    let many = STATE_BYTES.length() / STATE_VALUE_BYTES.length();
    for number in 0..many - 1 {
        assert_eq!(
            set(&format!("{number:03}"), STATE_VALUE_BYTES.length()),
            Ok(())
        );
    }
    assert_eq!(
        set("full", STATE_VALUE_BYTES.length()),
        Err(CallErrorCode::Limit)
    );
    // A refused write leaves what was there; replacing counts once.
    assert_eq!(set("000", STATE_VALUE_BYTES.length()), Ok(()));
    assert_eq!(set("000", 0), Ok(()));
    assert_eq!(set("full", STATE_VALUE_BYTES.length()), Ok(()));
}

#[test]
fn state_has_a_bound_on_its_keys() {
    let unit = unit();
    let (mut txn, mut context) = (HookTxn::default(), unit.context());
    let mut set = |key: u64| {
        txn.state_set(&mut context, format!("k{key}"), String::new())
            .map_err(|error| error.code)
    };
    // One was there before.
    for key in 1..STATE_KEYS.most {
        assert_eq!(set(key), Ok(()));
    }
    assert_eq!(set(STATE_KEYS.most), Err(CallErrorCode::Limit));
    assert_eq!(set(1), Ok(()));
    txn.state_delete(&mut context, "old".into()).unwrap();
    txn.state_set(&mut context, "new".into(), String::new())
        .unwrap();
}

use periapt_model::bounds::{PORT_RANGES, STATE_BYTES, STATE_KEYS, STATE_VALUE_BYTES};
use periapt_model::hook::Effects;
use periapt_model::ports::PortRange;

use super::HookTxn;
use crate::context::CallErrorCode;
use crate::tests::agent::Unit;

fn range(text: &str) -> PortRange {
    text.parse().unwrap()
}

fn unit() -> Unit {
    let mut unit = Unit::new();
    unit.state.insert("old".into(), "1".into());
    unit.ports = vec![range("80/tcp")];
    unit
}

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
fn ports_open_and_close_as_wholes() {
    let unit = unit();
    let (mut txn, mut context) = (HookTxn::default(), unit.context());
    txn.open_port(&mut context, range("8000-8010/tcp")).unwrap();
    txn.open_port(&mut context, range("8000-8010/tcp")).unwrap();
    txn.open_port(&mut context, range("8005/udp")).unwrap();
    let error = txn.open_port(&mut context, range("8005/tcp")).unwrap_err();
    assert_eq!(error.code, CallErrorCode::Invalid);
    assert!(error.message.contains("overlaps 8000-8010/tcp"), "{error}");
    assert!(txn.close_port(&mut context, range("8000/tcp")).is_err());
    txn.close_port(&mut context, range("80/tcp")).unwrap();
    txn.close_port(&mut context, range("9999/tcp")).unwrap();
    assert_eq!(
        txn.opened_ports(&mut context).unwrap(),
        [range("8000-8010/tcp"), range("8005/udp")]
    );
    // Closed in this hook, so its numbers are free again.
    txn.open_port(&mut context, range("79-81/tcp")).unwrap();
    txn.close_port(&mut context, range("8005/udp")).unwrap();
    assert_eq!(
        txn.into_effects(),
        Effects {
            open_ports: vec![range("79-81/tcp"), range("8000-8010/tcp")],
            close_ports: vec![range("80/tcp")],
            ..Effects::default()
        }
    );
}

#[test]
fn closing_and_opening_again_is_nothing() {
    let unit = unit();
    let (mut txn, mut context) = (HookTxn::default(), unit.context());
    txn.close_port(&mut context, range("80/tcp")).unwrap();
    txn.open_port(&mut context, range("80/tcp")).unwrap();
    assert_eq!(txn.into_effects(), Effects::default());
}

#[test]
fn a_unit_opens_a_hundred_ranges_and_is_refused_one_more() {
    let unit = unit();
    let (mut txn, mut context) = (HookTxn::default(), unit.context());
    let range_at = |port: u64| range(&format!("{port}/tcp"));
    for port in 1_000..1_000 + PORT_RANGES.most - 1 {
        txn.open_port(&mut context, range_at(port)).unwrap();
    }
    let error = txn.open_port(&mut context, range_at(5_000)).unwrap_err();
    assert_eq!(error.code, CallErrorCode::Limit);
    assert!(error.message.starts_with("too-many-ports"), "{error}");
    // What is open stays so, and room is room.
    txn.open_port(&mut context, range_at(1_000)).unwrap();
    txn.close_port(&mut context, range_at(1_000)).unwrap();
    txn.open_port(&mut context, range_at(5_000)).unwrap();
    let open = txn.opened_ports(&mut context).unwrap();
    assert_eq!(open.len() as u64, PORT_RANGES.most);
}

/// A charm may ask as often as its calls allow; each answer takes the same small time.
#[test]
fn asking_for_ports_a_hundred_thousand_times_takes_no_time() {
    let unit = unit();
    let (mut txn, mut context) = (HookTxn::default(), unit.context());
    let begun = std::time::Instant::now();
    for round in 0..100_000_u64 {
        let range = range(&format!("{}/tcp", 1 + round % 60_000));
        match round % 2 {
            0 => drop(txn.open_port(&mut context, range)),
            _ => drop(txn.close_port(&mut context, range)),
        }
    }
    assert!(begun.elapsed().as_secs() < 10, "{:?}", begun.elapsed());
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

mod settings;

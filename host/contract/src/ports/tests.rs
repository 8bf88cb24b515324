use super::{Changes, OpenPorts, PortRange, Refused};
use crate::bounds::PORT_RANGES;
use crate::testing::{range, unit};
use crate::{CallErrorCode, Effects, HookTxn};

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
            ports: Changes {
                open: vec![range("79-81/tcp"), range("8000-8010/tcp")],
                close: vec![range("80/tcp")],
            },
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
fn a_commit_closes_before_it_opens_and_heeds_the_other_units_of_the_machine() {
    let changes = |open: &[&str], close: &[&str]| {
        let ranges = |texts: &[&str]| texts.iter().map(|text| range(text)).collect();
        Changes {
            open: ranges(open),
            close: ranges(close),
        }
    };
    let before = [range("80-90/tcp")];
    let mut others: OpenPorts<&str> = OpenPorts::default();
    others.insert_of(&"other/0", [range("443/tcp"), range("icmp")]);
    let applied = |changes: Changes| changes.applied(&before, &others);
    let swapped: Vec<PortRange> = vec![range("85/tcp"), range("icmp")];
    assert_eq!(
        applied(changes(&["85/tcp", "icmp"], &["80-90/tcp"])),
        Ok(swapped)
    );
    assert_eq!(
        applied(changes(&["85/tcp"], &[])),
        Err(Refused::Taken {
            range: range("85/tcp"),
            open: range("80-90/tcp"),
            owner: None
        })
    );
    assert_eq!(
        applied(changes(&["440-450/tcp"], &[])),
        Err(Refused::Taken {
            range: range("440-450/tcp"),
            open: range("443/tcp"),
            owner: Some("other/0")
        })
    );
    let again = Changes::default().applied(&before, &others);
    assert_eq!(again, Ok(before.to_vec()));
}

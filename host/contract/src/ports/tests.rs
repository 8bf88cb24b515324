use super::Endpoints::All;
use super::{Changes, Endpoints, Opening, OpeningError, Openings, PortRange};
use crate::bounds::PORT_RANGES;
use crate::testing::{Unit, range, unit};
use crate::{CallErrorCode, Effects, HookTxn};

fn opened(txn: &mut HookTxn, context: &mut Unit) -> Vec<PortRange> {
    txn.openings(context).unwrap().ranges().collect()
}

#[test]
fn ports_open_and_close_as_wholes() {
    let unit = unit();
    let (mut txn, mut context) = (HookTxn::default(), unit.context());
    txn.open_port(&mut context, range("8000-8010/tcp"), All)
        .unwrap();
    txn.open_port(&mut context, range("8000-8010/tcp"), All)
        .unwrap();
    txn.open_port(&mut context, range("8005/udp"), All).unwrap();
    let error = txn
        .open_port(&mut context, range("8005/tcp"), All)
        .unwrap_err();
    assert_eq!(error.code, CallErrorCode::Invalid);
    assert!(error.message.contains("overlaps 8000-8010/tcp"), "{error}");
    assert!(
        txn.close_port(&mut context, range("8000/tcp"), &All)
            .is_err()
    );
    txn.close_port(&mut context, range("80/tcp"), &All).unwrap();
    txn.close_port(&mut context, range("9999/tcp"), &All)
        .unwrap();
    assert_eq!(
        opened(&mut txn, &mut context),
        [range("8000-8010/tcp"), range("8005/udp")]
    );
    // Closed in this hook, so its numbers are free again.
    txn.open_port(&mut context, range("79-81/tcp"), All)
        .unwrap();
    txn.close_port(&mut context, range("8005/udp"), &All)
        .unwrap();
    assert_eq!(
        txn.into_effects(),
        Effects {
            ports: Changes {
                open: vec![range("79-81/tcp").into(), range("8000-8010/tcp").into()],
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
    txn.close_port(&mut context, range("80/tcp"), &All).unwrap();
    txn.open_port(&mut context, range("80/tcp"), All).unwrap();
    assert_eq!(txn.into_effects(), Effects::default());
}

#[test]
fn a_unit_opens_a_hundred_ranges_and_is_refused_one_more() {
    let unit = unit();
    let (mut txn, mut context) = (HookTxn::default(), unit.context());
    let range_at = |port: u64| range(&format!("{port}/tcp"));
    for port in 1_000..1_000 + PORT_RANGES.most - 1 {
        txn.open_port(&mut context, range_at(port), All).unwrap();
    }
    let error = txn
        .open_port(&mut context, range_at(5_000), All)
        .unwrap_err();
    assert_eq!(error.code, CallErrorCode::Limit);
    assert!(error.message.starts_with("too-many-ports"), "{error}");
    // What is open stays so, and room is room.
    txn.open_port(&mut context, range_at(1_000), All).unwrap();
    txn.close_port(&mut context, range_at(1_000), &All).unwrap();
    txn.open_port(&mut context, range_at(5_000), All).unwrap();
    let open = opened(&mut txn, &mut context);
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
            0 => drop(txn.open_port(&mut context, range, All)),
            _ => drop(txn.close_port(&mut context, range, &All)),
        }
    }
    assert!(begun.elapsed().as_secs() < 10, "{:?}", begun.elapsed());
}

#[test]
fn a_commit_closes_before_it_opens() {
    let changes = |open: &[&str], close: &[&str]| Changes {
        open: open.iter().map(|text| range(text).into()).collect(),
        close: close.iter().map(|text| range(text)).collect(),
    };
    let before: Openings = [range("80-90/tcp")].into_iter().collect();
    let applied = |changes: Changes| changes.applied(&before);
    let swapped: Openings = [range("85/tcp"), range("icmp")].into_iter().collect();
    assert_eq!(
        applied(changes(&["85/tcp", "icmp"], &["80-90/tcp"])),
        Ok(swapped)
    );
    assert_eq!(
        applied(changes(&["85/tcp"], &[])),
        Err(OpeningError::Overlaps {
            range: range("85/tcp"),
            open: range("80-90/tcp"),
        })
    );
    let again = Changes::default().applied(&before);
    assert_eq!(again, Ok(before.clone()));
}

fn opening(text: &str, endpoints: &[&str]) -> Opening {
    Opening {
        ports: range(text),
        endpoints: Endpoints::of(endpoints.iter().copied()),
    }
}

#[test]
fn ports_open_and_close_for_endpoints() {
    let unit = unit();
    let (mut txn, mut context) = (HookTxn::default(), unit.context());
    let website = || Endpoints::of(["website"]);
    let web = range("8080/tcp");
    txn.open_port(&mut context, web, website()).unwrap();
    let cluster = Endpoints::of(["cluster"]);
    txn.open_port(&mut context, web, cluster).unwrap();
    // What was open for all stays open for the others.
    txn.close_port(&mut context, range("80/tcp"), &website())
        .unwrap();
    let stranger = Endpoints::of(["website", "nosuch"]);
    let refused = txn.open_port(&mut context, web, stranger.clone());
    let refused = refused.unwrap_err();
    assert_eq!(refused.code, CallErrorCode::NotFound);
    assert!(refused.message.contains("\"nosuch\""), "{refused}");
    let refused = txn.close_port(&mut context, web, &stranger);
    assert_eq!(refused.unwrap_err().code, CallErrorCode::NotFound);
    let effects = txn.into_effects().ports;
    let expected = Changes {
        open: vec![
            opening("80/tcp", &["cluster"]),
            opening("8080/tcp", &["website", "cluster"]),
        ],
        close: Vec::new(),
    };
    assert_eq!(effects, expected);
    // The commit leaves it open for those and no others.
    let after = effects.applied(&unit.ports);
    assert_eq!(Vec::from(after.unwrap()), expected.open);
}

#[test]
fn what_is_open_for_all_is_written_as_before() {
    let openings: Openings = [range("icmp").into(), opening("80/tcp", &["website"])]
        .into_iter()
        .collect();
    let text = serde_json::to_string(&openings).unwrap();
    let written = r#"[{"ports":"80/tcp","endpoints":["website"]},"icmp"]"#;
    assert_eq!(text, written);
    let read: Openings = serde_json::from_str(&text).unwrap();
    assert_eq!(read, openings);
    assert!(serde_json::from_str::<Openings>(r#"["80/foo"]"#).is_err());
}

#[test]
fn a_charm_that_declares_its_ports_opens_no_others() {
    let mut unit = unit();
    unit.declared = Some(vec![range("80-90/tcp")]);
    let (mut txn, mut context) = (HookTxn::default(), unit.context());
    txn.open_port(&mut context, range("85-90/tcp"), All)
        .unwrap();
    for other in ["85-91/tcp", "85/udp", "443/tcp"] {
        let error = txn.open_port(&mut context, range(other), All).unwrap_err();
        assert_eq!(error.code, CallErrorCode::Denied, "{other}");
    }
}

//! What a unit has open.

use super::*;

#[test]
fn a_range_is_open_for_several_endpoints_and_overlaps_no_other() {
    let mut openings = Openings::default();
    openings.open(range("80-90/tcp"), named("a")).unwrap();
    openings.open(range("80-90/tcp"), named("b")).unwrap();
    openings.open(range("80-90/udp"), all()).unwrap();
    openings.open(range("icmp"), named("a")).unwrap();
    let error = openings.open(range("85-95/tcp"), named("c")).unwrap_err();
    assert_eq!(error.code(), "port-range-overlaps");
    assert_eq!(
        openings.iter().next(),
        Some((range("80-90/tcp"), &Endpoints::of(["a", "b"])))
    );
    let error = openings.close(range("80/tcp"), &all(), []).unwrap_err();
    assert_eq!(error.code(), "port-range-is-part");
    openings.close(range("80-90/tcp"), &named("a"), []).unwrap();
    assert_eq!(
        openings.iter().next(),
        Some((range("80-90/tcp"), &named("b")))
    );
    openings.close(range("80-90/tcp"), &named("b"), []).unwrap();
    openings.close(range("9999/tcp"), &all(), []).unwrap();
    assert_eq!(openings.iter().count(), 2);
}

#[test]
fn what_is_open_for_all_and_closed_for_one_stays_open_for_the_others() {
    let mut openings = Openings::default();
    openings.open(range("80/tcp"), named("a")).unwrap();
    openings.open(range("80/tcp"), all()).unwrap();
    openings.open(range("80/tcp"), named("b")).unwrap();
    assert_eq!(openings.iter().next(), Some((range("80/tcp"), &all())));
    openings
        .close(range("80/tcp"), &named("a"), ["a", "b", "c"])
        .unwrap();
    assert_eq!(
        openings.iter().next(),
        Some((range("80/tcp"), &Endpoints::of(["b", "c"])))
    );
    openings
        .close(range("80/tcp"), &all(), ["a", "b", "c"])
        .unwrap();
    assert_eq!(openings, Openings::default());
}

#[test]
fn a_unit_opens_as_many_ranges_as_there_may_be() {
    let mut openings = Openings::default();
    for port in 0..crate::bounds::PORT_RANGES.most {
        openings
            .open(range(&format!("{}/tcp", 1000 + port)), all())
            .unwrap();
    }
    let error = openings.open(range("1/tcp"), all()).unwrap_err();
    assert_eq!(error.code(), "too-many-ports");
    openings.open(range("1000/tcp"), named("a")).unwrap();
}

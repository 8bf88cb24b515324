use proptest::prelude::*;

use super::*;

fn range(text: &str) -> PortRange {
    text.parse().unwrap()
}

/// What [`OpenPorts`] finds in logarithmic time, by looking at every pair.
fn overlap(left: &PortRange, right: &PortRange) -> bool {
    left.protocol == right.protocol && left.start <= right.end && right.start <= left.end
}

fn ranges() -> impl Strategy<Value = PortRange> {
    let protocol = prop_oneof![
        Just(Protocol::Tcp),
        Just(Protocol::Udp),
        Just(Protocol::Icmp)
    ];
    (protocol, 1_u16..60, 0_u16..8)
        .prop_map(|(protocol, start, more)| PortRange::new(protocol, start, start + more).unwrap())
}

proptest! {
    #[test]
    fn a_range_meets_what_it_shares_a_port_with(steps in prop::collection::vec((ranges(), any::<bool>()), 0..60)) {
        let mut open = OpenPorts::default();
        let mut plain: Vec<PortRange> = Vec::new();
        for (range, opens) in steps {
            let met = open.meets(&range).map(|(met, ())| met);
            prop_assert_eq!(met.is_some(), plain.iter().any(|other| overlap(other, &range)));
            prop_assert!(met.is_none_or(|met| plain.contains(&met) && overlap(&met, &range)));
            if opens && met.is_none() {
                open.insert(range, ());
                plain.push(range);
            } else if !opens {
                prop_assert_eq!(open.remove(&range), plain.contains(&range));
                plain.retain(|other| *other != range);
            }
            plain.sort();
            prop_assert_eq!(open.iter().collect::<Vec<_>>(), plain.clone());
        }
    }
}

#[test]
fn protocols_share_no_ports() {
    let open: OpenPorts = [range("80/tcp"), range("100-200/tcp"), range("icmp")]
        .into_iter()
        .collect();
    assert_eq!(
        open.meets(&range("150-300/tcp")),
        Some((range("100-200/tcp"), &()))
    );
    assert_eq!(
        open.meets(&range("1-65535/tcp")),
        Some((range("100-200/tcp"), &()))
    );
    assert_eq!(open.meets(&range("81-99/tcp")), None);
    assert_eq!(open.meets(&range("80/udp")), None);
    assert_eq!(open.meets(&range("icmp")), Some((range("icmp"), &())));
    assert_eq!(open.len(), 3);
}

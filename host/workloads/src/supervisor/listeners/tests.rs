use periapt_model::reach::{Endpoints, Network, Unit};

use super::*;

fn document(ingress: SocketAddr, ranges: &[&str], exposed: bool) -> Published {
    let mut unit = Unit::default();
    for range in ranges {
        let range = range.parse().unwrap();
        unit.openings.open(range, Endpoints::All).unwrap();
    }
    let name: UnitName = "docs/0".parse().unwrap();
    let mut network = Network::default();
    if exposed {
        let exposures = &mut network.exposures;
        exposures.expose(&"docs".parse().unwrap(), &Endpoints::All, Vec::new());
    }
    network.units.insert(name, unit);
    Published {
        name: "demo".parse().unwrap(),
        directory: "/".into(),
        ingress,
        network,
        addresses: BTreeMap::new(),
        traces: false,
    }
}

fn model() -> ModelUuid {
    "00000000-0000-4000-8000-000000000001".parse().unwrap()
}

fn set(listeners: &mut Listeners, document: &Published) -> bool {
    listeners.set([(&model(), document)].into_iter(), None)
}

#[test]
fn a_unit_has_so_many_ports_in_all() {
    let address = SocketAddr::from(([127, 0, 0, 1], 0));
    let ranges = ["80/tcp", "1000-1049/tcp", "2000-2029/tcp", "3000-3012/tcp"];
    let shown = shown(&document(address, &ranges, true));
    let listened: Vec<bool> = shown.iter().map(|(_, _, ports)| ports.is_ok()).collect();
    assert_eq!(listened, [true, true, false, true]);
}

#[test]
fn an_address_is_free_for_a_wider_one_at_once() {
    let mut listeners = Listeners::default();
    let any = SocketAddr::from(([127, 0, 0, 1], 0));
    set(&mut listeners, &document(any, &["80/tcp"], true));
    let first = listeners.open.values().next().unwrap();
    // As the gate has it.
    let share = first.listener.try_clone().unwrap();
    let wide = SocketAddr::from(([0, 0, 0, 0], first.address.port()));
    let document = document(wide, &["80/tcp"], true);
    set(&mut listeners, &document);
    assert_eq!(listeners.failed, BTreeMap::new());
    let answer = listeners.answer(1, &model(), &document);
    assert_eq!(answer.ingress, Some(wide));
    drop(share);
}

#[test]
fn what_failed_is_tried_again_and_what_shows_nothing_has_no_names() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap();
    let mut listeners = Listeners::default();
    set(&mut listeners, &document(address, &["80/tcp"], false));
    assert!(listeners.open.is_empty() && listeners.due().is_none());
    assert!(!set(&mut listeners, &document(address, &["80/tcp"], true)));
    let due = listeners.due().unwrap();
    assert!(!listeners.tick(None), "it is too early");
    assert_eq!(listeners.due(), Some(due));
    drop(taken);
    listeners.again = Some(Instant::now());
    assert!(listeners.tick(None));
    assert!(listeners.due().is_none() && listeners.open.len() == 1);
}

use super::*;
use crate::ports::PortRange;

mod exposures;
mod openings;
mod properties;

fn range(text: &str) -> PortRange {
    text.parse().unwrap()
}

fn cidr(text: &str) -> Cidr {
    text.parse().unwrap()
}

fn application(name: &str) -> ApplicationName {
    name.parse().unwrap()
}

fn named(name: &str) -> Endpoints {
    Endpoints::of([name])
}

fn all() -> Endpoints {
    Endpoints::All
}

fn unit(openings: &[(&str, Endpoints)]) -> Unit {
    let mut unit = Unit::default();
    for (ports, endpoints) in openings {
        unit.openings.open(range(ports), endpoints.clone()).unwrap();
    }
    unit
}

fn relation(ends: &[(&str, &str)]) -> Relation {
    let ends = ends.iter().map(|(name, endpoint)| End {
        application: application(name),
        endpoint: (*endpoint).to_owned(),
    });
    Relation {
        ends: ends.collect(),
        suspended: false,
        container: false,
    }
}

fn network(units: &[(&str, Unit)], relations: &[Relation]) -> Network {
    let units = units
        .iter()
        .map(|(name, unit)| (name.parse().unwrap(), unit.clone()));
    Network {
        units: units.collect(),
        relations: relations.to_vec(),
        ..Network::default()
    }
}

fn flows(network: &Network) -> Vec<String> {
    let flows = network.document().flows;
    flows
        .iter()
        .map(|flow| format!("{} {} {}", flow.from, flow.to, flow.ports))
        .collect()
}

fn ingress(network: &Network) -> Vec<String> {
    let ingress = network.document().ingress;
    ingress
        .iter()
        .map(|way| format!("{} {} {}", way.to, way.ports, way.from))
        .collect()
}

#[test]
fn units_of_a_relation_reach_what_is_open_for_its_endpoint() {
    let site = unit(&[
        ("80/tcp", named("website")),
        ("22/tcp", named("admin")),
        ("icmp", all()),
    ]);
    let units = [
        ("site/0", site),
        ("front/0", unit(&[("9/udp", all())])),
        ("other/0", Unit::default()),
    ];
    let related = relation(&[("front", "backend"), ("site", "website")]);
    let network = network(&units, &[related.clone(), related]);
    assert_eq!(
        flows(&network),
        [
            "front/0 site/0 80/tcp",
            "front/0 site/0 icmp",
            "site/0 front/0 9/udp"
        ]
    );
    assert_eq!(ingress(&network), Vec::<String>::new());
}

#[test]
fn peers_reach_one_another_and_a_suspended_relation_is_none() {
    let db = unit(&[("5432/tcp", named("replicas"))]);
    let units = [("db/0", db.clone()), ("db/1", db)];
    let mut network = network(&units, &[relation(&[("db", "replicas")])]);
    assert_eq!(
        flows(&network),
        ["db/0 db/1 5432/tcp", "db/1 db/0 5432/tcp"]
    );
    network.relations[0].suspended = true;
    assert_eq!(flows(&network), Vec::<String>::new());
}

#[test]
fn a_container_relation_reaches_no_further_than_its_principal() {
    let site = || unit(&[("80/tcp", all())]);
    let logs = |principal: &str| Unit {
        principal: Some(principal.parse().unwrap()),
        ..Unit::default()
    };
    let units = [
        ("site/0", site()),
        ("site/1", site()),
        ("logs/0", logs("site/0")),
        ("logs/1", logs("site/1")),
    ];
    let mut related = relation(&[("logs", "host"), ("site", "juju-info")]);
    related.container = true;
    let network = network(&units, &[related]);
    assert_eq!(
        flows(&network),
        ["logs/0 site/0 80/tcp", "logs/1 site/1 80/tcp"]
    );
}

#[test]
fn in_the_mode_model_all_is_open_inside_without_a_list() {
    let site = unit(&[("80/tcp", all())]);
    let mut network = network(
        &[("site/0", site), ("front/0", Unit::default())],
        &[relation(&[("front", "backend"), ("site", "website")])],
    );
    let before = network.document();
    network.mode = Mode::Model;
    let after = network.document();
    assert!(after.flows.is_empty());
    let difference = before.difference(&after);
    assert_eq!(difference.mode, Some(Mode::Model));
    assert_eq!(difference.close.len(), 1);
}

#[test]
fn units_have_addresses_of_the_machine_itself() {
    let text = |number| unit_address(number).map(|address| address.to_string());
    assert_eq!(text(1).as_deref(), Some("127.77.0.1"));
    assert_eq!(text(256).as_deref(), Some("127.77.1.0"));
    assert_eq!(text(UNIT_ADDRESSES).as_deref(), Some("127.77.255.254"));
    assert_eq!((text(0), text(UNIT_ADDRESSES + 1)), (None, None));
}

#[test]
fn a_document_is_written_down_and_read_again() {
    let site = unit(&[("80-90/tcp", all())]);
    let mut network = network(
        &[("site/0", site), ("front/0", Unit::default())],
        &[relation(&[("front", "backend"), ("site", "website")])],
    );
    network
        .exposures
        .expose(&application("site"), &all(), [cidr("10.0.0.0/8")]);
    let document = network.document();
    let text = serde_json::to_string(&document).unwrap();
    assert_eq!(
        text,
        r#"{"mode":"relations","flows":[{"from":"front/0","to":"site/0","ports":"80-90/tcp"}],"ingress":[{"to":"site/0","ports":"80-90/tcp","from":"10.0.0.0/8"}]}"#
    );
    assert_eq!(serde_json::from_str::<Document>(&text).unwrap(), document);
    let exposures = serde_json::to_string(&network.exposures).unwrap();
    assert_eq!(exposures, r#"{"site":{"":["10.0.0.0/8"]}}"#);
}

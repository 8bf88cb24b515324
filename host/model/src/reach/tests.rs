use std::net::IpAddr;

use proptest::prelude::*;

use super::*;
use crate::ports::PortRange;

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
fn ranges_of_addresses_are_read_without_the_bits_that_do_not_count() {
    assert_eq!(cidr("10.1.2.3/8").to_string(), "10.0.0.0/8");
    assert_eq!(cidr("fd00::1/16"), cidr("fd00::/16"));
    assert_eq!(cidr("1.2.3.4/32").to_string(), "1.2.3.4/32");
    assert_eq!(
        (cidr("0.0.0.0/0"), cidr("::/0")),
        (Cidr::ALL_V4, Cidr::ALL_V6)
    );
    for bad in [
        "",
        "10.0.0.0",
        "10.0.0/8",
        "10.0.0.0/33",
        "::/129",
        "x/8",
        "10.0.0.0/",
        "10.0.0.0/+8",
        "1.2.3.4/-1",
    ] {
        assert_eq!(
            bad.parse::<Cidr>().unwrap_err().code(),
            "cidr-invalid",
            "{bad}"
        );
    }
    let address = |text: &str| text.parse::<IpAddr>().unwrap();
    assert!(cidr("10.0.0.0/8").contains(address("10.255.0.1")));
    assert!(!cidr("10.0.0.0/8").contains(address("11.0.0.1")));
    assert!(!Cidr::ALL_V4.contains(address("::1")));
    assert!(Cidr::ALL_V6.contains(address("::1")));
}

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
fn expose_shows_what_is_open_to_everybody_or_to_some() {
    let site = unit(&[("80/tcp", all()), ("22/tcp", named("admin"))]);
    let mut network = network(
        &[("site/0", site), ("other/0", unit(&[("1/tcp", all())]))],
        &[],
    );
    let site = application("site");
    network.exposures.expose(&site, &all(), []);
    assert_eq!(
        ingress(&network),
        [
            "site/0 22/tcp 0.0.0.0/0",
            "site/0 22/tcp ::/0",
            "site/0 80/tcp 0.0.0.0/0",
            "site/0 80/tcp ::/0"
        ]
    );
    network
        .exposures
        .expose(&site, &all(), [cidr("10.0.0.0/24")]);
    assert_eq!(
        ingress(&network),
        ["site/0 22/tcp 10.0.0.0/24", "site/0 80/tcp 10.0.0.0/24"]
    );
    // An endpoint by name has addresses of its own instead of the wildcard's.
    network
        .exposures
        .expose(&site, &named("admin"), [cidr("192.168.0.0/24")]);
    assert_eq!(
        ingress(&network),
        [
            "site/0 22/tcp 192.168.0.0/24",
            "site/0 80/tcp 10.0.0.0/24",
            "site/0 80/tcp 192.168.0.0/24"
        ]
    );
    let exposed: Vec<&str> = network.exposures.of(&site).map(|(name, _)| name).collect();
    assert_eq!(exposed, ["", "admin"]);
    network.exposures.unexpose(&site, &named("admin")).unwrap();
    assert_eq!(
        ingress(&network),
        ["site/0 22/tcp 10.0.0.0/24", "site/0 80/tcp 10.0.0.0/24"]
    );
    network.exposures.unexpose(&site, &all()).unwrap();
    assert_eq!(ingress(&network), Vec::<String>::new());
    assert!(!network.exposures.is_exposed(&site));
}

#[test]
fn an_exposure_is_read_as_juju_writes_it_and_shown_so() {
    let read = |json: &str| Exposure::read(&serde_json::from_str(json).unwrap());
    let everybody = read("{}").unwrap();
    let shown = serde_json::to_string(&everybody.shown()).unwrap();
    assert_eq!(shown, r#"{"":{"expose-to-cidrs":["0.0.0.0/0","::/0"]}}"#);
    assert_eq!(Exposure::read(&everybody.shown()).unwrap(), everybody);
    let text = r#"{"admin":{},"web":{"expose-to-cidrs":["10.1.2.3/8"]}}"#;
    let some = read(text).unwrap();
    assert_eq!(some.sources(&all()).len(), 3);
    assert_eq!(
        some.sources(&named("web")).into_iter().collect::<Vec<_>>(),
        [cidr("10.0.0.0/8")]
    );
    let refused = |json: &str| read(json).unwrap_err().code();
    assert_eq!(refused(r#"{"":{"expose-to-spaces":["dmz"]}}"#), "no-spaces");
    assert_eq!(
        refused(r#"{"":{"expose-to-cidrs":["10"]}}"#),
        "cidr-invalid"
    );
    let many: Vec<String> = (0..1_001_u32)
        .map(|n| format!("{}/32", std::net::Ipv4Addr::from_bits(n)))
        .collect();
    let many = serde_json::json!({"": {"expose-to-cidrs": many}}).to_string();
    assert_eq!(refused(&many), "too-many-cidrs");
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
fn without_a_wildcard_only_named_endpoints_are_exposed() {
    let site = unit(&[("80/tcp", named("website")), ("22/tcp", named("admin"))]);
    let mut network = network(&[("site/0", site)], &[]);
    let site = application("site");
    network
        .exposures
        .expose(&site, &named("website"), [cidr("10.0.0.0/8")]);
    assert_eq!(ingress(&network), ["site/0 80/tcp 10.0.0.0/8"]);
    let error = network
        .exposures
        .unexpose(&site, &Endpoints::of(["website", "nosuch"]))
        .unwrap_err();
    assert_eq!(error.code(), "endpoint-not-exposed");
    assert!(
        error.to_string().ends_with("exposed are: website"),
        "{error}"
    );
    assert!(network.exposures.is_exposed(&site));
    network
        .exposures
        .unexpose(&site, &named("website"))
        .unwrap();
    assert!(!network.exposures.is_exposed(&site));
    assert_eq!(network.exposures, Exposures::default());
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

const APPLICATIONS: &[&str] = &["a", "b", "c"];
const ENDPOINTS: &[&str] = &["x", "y", "z"];

fn any_endpoints() -> impl Strategy<Value = Endpoints> {
    prop::collection::vec(prop::sample::select(ENDPOINTS), 0..3).prop_map(Endpoints::of)
}

fn any_relation() -> impl Strategy<Value = Relation> {
    let end = (
        prop::sample::select(APPLICATIONS),
        prop::sample::select(ENDPOINTS),
    );
    let ends = prop::collection::vec(end, 1..3);
    (ends, prop::bool::weighted(0.2), prop::bool::weighted(0.2)).prop_map(
        |(ends, suspended, container)| Relation {
            suspended,
            container,
            ..relation(&ends)
        },
    )
}

fn any_cidrs() -> impl Strategy<Value = Vec<Cidr>> {
    let cidrs = ["10.0.0.0/8", "192.168.0.0/16", "fd00::/8"].map(cidr);
    prop::collection::vec(prop::sample::select(cidrs.to_vec()), 0..3)
}

fn any_network() -> impl Strategy<Value = Network> {
    let ports = prop::sample::select(vec!["80/tcp", "80/udp", "1-10/tcp", "443/tcp", "icmp"]);
    let openings = prop::collection::vec((ports, any_endpoints()), 0..4);
    let unit = (prop::sample::select(APPLICATIONS), 0..3_u64, openings);
    let units = prop::collection::vec(unit, 0..8);
    let exposure = (
        prop::sample::select(APPLICATIONS),
        any_endpoints(),
        any_cidrs(),
    );
    let exposures = prop::collection::vec(exposure, 0..4);
    let relations = prop::collection::vec(any_relation(), 0..5);
    (units, relations, exposures, prop::bool::weighted(0.1)).prop_map(
        |(units, relations, exposures, model)| {
            let mut network = Network {
                mode: if model { Mode::Model } else { Mode::Relations },
                relations,
                ..Network::default()
            };
            for (name, number, openings) in units {
                let name = UnitName::new(&application(name), number);
                network.units.insert(name, self::unit(&openings));
            }
            for (name, endpoints, cidrs) in exposures {
                network
                    .exposures
                    .expose(&application(name), &endpoints, cidrs);
            }
            network
        },
    )
}

proptest! {
    #[test]
    fn the_difference_applied_to_the_old_is_the_new(old in any_network(), new in any_network()) {
        let (mut old, new) = (old.document(), new.document());
        let difference = old.difference(&new);
        prop_assert!(difference.open.is_disjoint(&difference.close));
        prop_assert_eq!(difference.is_empty(), old == new);
        let text = serde_json::to_string(&difference).unwrap();
        prop_assert_eq!(&serde_json::from_str::<Difference>(&text).unwrap(), &difference);
        old.apply(&difference);
        prop_assert_eq!(&old, &new);
        prop_assert!(old.difference(&new).is_empty());
    }

    /// In the words of the rule, for each flow and each way in.
    #[test]
    fn nothing_is_reachable_that_no_relation_or_exposure_grants(network in any_network()) {
        let document = network.document();
        for flow in &document.flows {
            let (from, to) = (flow.from.application(), flow.to.application());
            let unit = &network.units[&flow.to];
            let (_, endpoints) = unit.openings.iter().find(|(ports, _)| *ports == flow.ports).unwrap();
            let granted = network.relations.iter().any(|relation| {
                let at = |end: &End| end.application == to && endpoints.include(&end.endpoint);
                let peers = relation.ends.len() == 1;
                let other = |mine: usize| {
                    relation.ends.get(if peers { mine } else { 1 - mine }).unwrap().application == from
                };
                let mut ends = relation.ends.iter().enumerate();
                let here = !relation.container || flow.from == flow.to;
                !relation.suspended && here && ends.any(|(mine, end)| at(end) && other(mine))
            });
            prop_assert!(granted && flow.from != flow.to, "{flow:?}");
            prop_assert_eq!(network.mode, Mode::Relations);
        }
        for way in &document.ingress {
            let unit = &network.units[&way.to];
            let (_, endpoints) = unit.openings.iter().find(|(ports, _)| *ports == way.ports).unwrap();
            let exposed = network.exposures.of(&way.to.application()).any(|(endpoint, cidrs)| {
                cidrs.contains(&way.from) && (endpoint.is_empty() || endpoints.include(endpoint))
            });
            prop_assert!(exposed, "{way:?}");
        }
    }

    /// The two questions about one unit or address, and the list of all, say the same.
    #[test]
    fn whoever_asks_for_one_is_told_what_the_list_of_all_has(network in any_network()) {
        let document = network.document();
        let everybody: Vec<UnitName> = network.units.keys().cloned().collect();
        let within = |open: PortRange, asked: PortRange| {
            open.protocol == asked.protocol && open.start <= asked.start && open.end >= asked.end
        };
        for ports in ["80/tcp", "80/udp", "1/tcp", "10/tcp", "11/tcp", "5-9/tcp", "5-11/tcp", "icmp"].map(range) {
            for to in &everybody {
                for from in &everybody {
                    let listed = document.flows.iter().any(|flow| {
                        (&flow.from, &flow.to) == (from, to) && within(flow.ports, ports)
                    });
                    let open = network.mode == Mode::Model && from != to;
                    prop_assert_eq!(network.allows(from, to, ports), listed || open);
                }
                for from in ["10.1.2.3", "::ffff:10.1.2.3", "192.168.3.4", "fd00::1", "8.8.8.8"] {
                    let from: IpAddr = from.parse().unwrap();
                    let listed = document.ingress.iter().any(|way| {
                        way.to == *to && within(way.ports, ports) && way.from.contains(from.to_canonical())
                    });
                    prop_assert_eq!(network.admits(to, ports, from), listed);
                }
            }
        }
        let nobody: UnitName = "nobody/0".parse().unwrap();
        for unit in &everybody {
            prop_assert!(!network.allows(&nobody, unit, range("80/tcp")));
            prop_assert!(!network.allows(unit, &nobody, range("80/tcp")));
        }
        let text = serde_json::to_string(&network).unwrap();
        prop_assert_eq!(serde_json::from_str::<Network>(&text).unwrap(), network);
    }

    #[test]
    fn unexpose_takes_away_exactly_what_expose_gave(
        mut network in any_network(),
        name in prop::sample::select(APPLICATIONS),
        endpoint in prop::sample::select(ENDPOINTS),
        cidrs in any_cidrs(),
    ) {
        let name = application(name);
        network.exposures.unexpose(&name, &Endpoints::All).unwrap();
        let before = network.document();
        for way in &before.ingress {
            prop_assert_ne!(&way.to.application(), &name);
        }
        for endpoints in [Endpoints::All, named(endpoint)] {
            network.exposures.expose(&name, &endpoints, cidrs.clone());
            let difference = before.difference(&network.document());
            prop_assert!(difference.close_ingress.is_empty() && difference.open.is_empty());
            network.exposures.unexpose(&name, &endpoints).unwrap();
            prop_assert_eq!(network.document(), before.clone());
        }
    }

    #[test]
    fn the_order_of_what_is_said_does_not_matter(
        (network, relations) in any_network().prop_flat_map(|network| {
            let relations = Just(network.relations.clone()).prop_shuffle();
            (Just(network), relations)
        }),
    ) {
        let turned = relations.into_iter().map(|mut relation| {
            relation.ends.reverse();
            relation
        });
        let other = Network { relations: turned.collect(), ..network.clone() };
        prop_assert_eq!(network.document(), other.document());
    }
}

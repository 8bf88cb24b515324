//! What holds of any model.

use std::net::IpAddr;

use proptest::prelude::*;

use super::*;

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
                    let mut open = network.units[to].openings.iter();
                    let open = open.any(|(range, _)| within(range, ports));
                    let all = network.mode == Mode::Model && from != to && open;
                    prop_assert_eq!(network.allows(from, to, ports), listed || all);
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

    /// The option `reachability`: what relations grant is granted with `model` as well, and nobody outside
    /// reaches more or less.
    #[test]
    fn the_mode_model_grants_all_that_relations_grant(network in any_network()) {
        let with = |mode| Network { mode, ..network.clone() };
        let (few, all) = (with(Mode::Relations), with(Mode::Model));
        for ports in ["80/tcp", "80/udp", "5-9/tcp", "5-11/tcp", "icmp"].map(range) {
            for to in network.units.keys() {
                for from in network.units.keys() {
                    prop_assert!(!few.allows(from, to, ports) || all.allows(from, to, ports));
                }
            }
        }
        for flow in &few.document().flows {
            prop_assert!(all.allows(&flow.from, &flow.to, flow.ports));
        }
        prop_assert_eq!(few.ingress(), all.ingress());
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

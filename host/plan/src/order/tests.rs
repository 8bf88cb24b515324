use proptest::prelude::*;

use super::*;
use crate::layer::Layer;
use crate::plan::Layers;

fn plan(services: &str) -> Plan {
    let layer = Layer::parse(&format!("services: {{{services}}}")).unwrap();
    let mut layers = Layers::default();
    layers.add("base", layer, false).unwrap()
}

fn service(name: &str, keys: &str) -> String {
    format!("{name}: {{override: replace, command: run {keys}}}")
}

fn all(plan: &Plan) -> Vec<&str> {
    plan.services.keys().map(String::as_str).collect()
}

#[test]
fn independent_services_start_side_by_side_and_stop_in_reverse() {
    let plan = plan(
        &[
            service("database", ""),
            service("cache", ""),
            service("web", ", after: [database, cache]"),
            service("proxy", ", after: [web]"),
            service("first", ", before: [database]"),
        ]
        .join(", "),
    );
    let started = start(&plan, all(&plan));
    assert_eq!(
        started,
        [
            vec!["cache", "first"],
            vec!["database"],
            vec!["web"],
            vec!["proxy"]
        ]
    );
    let mut stopped = stop(&plan, all(&plan));
    stopped.reverse();
    assert_eq!(stopped, started);
}

#[test]
fn a_start_takes_what_is_required_along_and_a_stop_those_that_require_it() {
    let plan = plan(
        &[
            service("initdb", ", once: true"),
            service("postgres", ", requires-finished: [initdb]"),
            service("exporter", ", requires-ready: [postgres]"),
            service("helper", ", requires: [postgres], before: [postgres]"),
            service("other", ""),
        ]
        .join(", "),
    );
    assert_eq!(
        start(&plan, ["exporter"]),
        [["initdb"], ["postgres"], ["exporter"]]
    );
    assert_eq!(
        start(&plan, ["helper"]),
        [vec!["helper", "initdb"], vec!["postgres"]]
    );
    assert_eq!(
        stop(&plan, ["postgres"]),
        [vec!["exporter"], vec!["postgres"], vec!["helper"]]
    );
    assert_eq!(stop(&plan, ["initdb"]), [["initdb"]]);
    assert_eq!(start(&plan, ["nosuch"]), Vec::<Vec<String>>::new());
}

#[test]
fn who_waits_is_told_for_whom() {
    let plan = plan(
        &[
            service("initdb", ", once: true"),
            service("cache", ""),
            service("postgres", ", requires-finished: [initdb], after: [cache]"),
            service("exporter", ", requires-ready: [postgres]"),
        ]
        .join(", "),
    );
    let waits = |name, now: &[(&str, Current)]| {
        let now: BTreeMap<&str, Current> = now.iter().copied().collect();
        let waits = waits_for(&plan, name, |name| now.get(name).copied());
        waits
            .into_iter()
            .map(str::to_owned)
            .collect::<Vec<String>>()
    };
    use Current::{Active, Backoff, Failed, Finished, Starting};
    assert_eq!(
        waits("postgres", &[("cache", Starting)]),
        ["cache", "initdb"]
    );
    assert_eq!(
        waits("postgres", &[("cache", Active), ("initdb", Active)]),
        ["initdb"]
    );
    // One that failed had its chance.
    assert!(waits("postgres", &[("cache", Failed), ("initdb", Finished)]).is_empty());
    assert!(waits("postgres", &[("initdb", Finished)]).is_empty());
    assert_eq!(waits("exporter", &[("postgres", Backoff)]), ["postgres"]);
    assert!(waits("exporter", &[("postgres", Active)]).is_empty());
}

proptest! {
    /// Whatever services say of each other: either each stands in a group after all that come
    /// before it, or there is a circle, and it is one.
    #[test]
    fn each_starts_after_its_predecessors_or_there_is_a_cycle(
        edges in prop::collection::vec((0..8_usize, 0..8_usize, 0..4_usize), 0..16),
    ) {
        let mut plan = Plan::default();
        let name = |number: usize| format!("s{number}");
        for number in 0..8 {
            plan.services.insert(name(number), Service::default());
        }
        for (one, other, key) in edges {
            let service = plan.services.get_mut(&name(one)).unwrap();
            let list = match key {
                0 => &mut service.after,
                1 => &mut service.before,
                2 => &mut service.requires,
                _ => &mut service.requires_ready,
            };
            list.push(name(other));
        }
        let before = before(&plan);
        match cycle(&plan) {
            Some(circle) => {
                prop_assert!(circle.len() > 1);
                prop_assert_eq!(circle.first(), circle.last());
                for pair in circle.windows(2) {
                    prop_assert!(before[pair[0].as_str()].contains(pair[1].as_str()));
                }
            }
            None => {
                let mut started: BTreeSet<String> = BTreeSet::new();
                for group in start(&plan, plan.services.keys().map(String::as_str)) {
                    for name in &group {
                        prop_assert!(before[name.as_str()].iter().all(|name| started.contains(*name)));
                    }
                    started.extend(group);
                }
                prop_assert_eq!(started.len(), 8);
            }
        }
    }
}

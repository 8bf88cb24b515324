//! What relations are made of, on real charms: scopes, settings, addresses, containers.

#![allow(clippy::panic, reason = "tests")]

use crate::common::{
    Done, at_endpoint, charm, hooks, own_bag, relation_of, until_ran, until_ran_times, variant,
};
use periapt_testing::{Scenario, ScenarioError};
use periapt_wire::status::FullStatus;

const READY: &str = "start: status active ready";

async fn deploy(scenario: &Scenario, name: &str, units: u32, script: &str) -> Done {
    let script = [("script", script)];
    let deployed = scenario.deploy_with(charm("probe"), name, units, &script);
    deployed.await.map(|_| ())
}

async fn relation_is(scenario: &Scenario, relation: u64, wanted: &str) -> Done {
    let what = format!("the relation to be {wanted}");
    let seen = scenario.until(&what, |status| {
        let mut relations = status.relations.iter();
        relations.any(|found| found.id == relation && found.status.status == wanted)
    });
    seen.await.map(|_| ())
}

fn refused<T>(result: Result<T, ScenarioError>) -> String {
    match result {
        Ok(_) => panic!("it was not refused"),
        Err(error) => {
            let mut text = error.to_string();
            let mut cause = std::error::Error::source(&error);
            while let Some(error) = cause {
                text.push_str(&format!("\n{error}"));
                cause = error.source();
            }
            text
        }
    }
}

/// The units beside those of an application, by name.
fn beside(status: &FullStatus, application: &str) -> Vec<String> {
    let units = status.applications[application].units.iter().flatten();
    units
        .flat_map(|(_, unit)| unit.subordinates.iter().flatten())
        .map(|(name, _)| name.clone())
        .collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_suspended_relation_is_left_and_entered_anew() -> Done {
    let scenario = Scenario::start().await?;
    // Both are written once, at a time when the relation is there.
    let script = "start: status active ready\n\
        leader-elected: relation-set-app led yes in upstream\n\
        start: relation-set early yes in upstream";
    deploy(&scenario, "up", 0, script).await?;
    deploy(&scenario, "down", 0, READY).await?;
    let relation = scenario.integrate("up:upstream", "down:downstream").await?;
    scenario.add_units("down", 1).await?;
    scenario.add_units("up", 1).await?;
    until_ran(&scenario, "up/0", "upstream-relation-changed").await?;
    until_ran(&scenario, "down/0", "downstream-relation-changed").await?;
    let before = relation_of(&scenario, "down/0", "downstream").await?;
    assert_eq!(before.application_data["led"], "yes");
    let bag = own_bag(&scenario, "up/0", "upstream").await?;
    assert_eq!(bag["early"], "yes");

    scenario.suspend(relation.id, true).await?;
    until_ran(&scenario, "up/0", "upstream-relation-broken").await?;
    until_ran(&scenario, "down/0", "downstream-relation-broken").await?;
    relation_is(&scenario, relation.id, "suspended").await?;

    scenario.suspend(relation.id, false).await?;
    relation_is(&scenario, relation.id, "joined").await?;
    for (unit, endpoint) in [("up/0", "upstream"), ("down/0", "downstream")] {
        let joined = format!("{endpoint}-relation-joined");
        until_ran_times(&scenario, unit, &joined, 2).await?;
        let ran = at_endpoint(&scenario, unit, endpoint).await?;
        // How many changes there are to be told of in between is not promised.
        let others: Vec<&str> = ran
            .iter()
            .map(String::as_str)
            .filter(|hook| *hook != "changed")
            .collect();
        let whole = ["created", "joined", "departed", "broken"];
        assert_eq!(others[..4], whole, "{unit}: {ran:?}");
        assert_eq!(others[4..], ["created", "joined"], "{unit}: {ran:?}");
    }
    // A unit that enters begins with its addresses; what the application said still holds.
    let bag = own_bag(&scenario, "up/0", "upstream").await?;
    assert!(
        bag.contains_key("ingress-address") && !bag.contains_key("early"),
        "{bag:?}"
    );
    let after = relation_of(&scenario, "down/0", "downstream").await?;
    assert_eq!(after.application_data["led"], "yes");
    scenario.stop().await
}

#[tokio::test(flavor = "multi_thread")]
async fn two_applications_have_two_relations_that_know_nothing_of_each_other() -> Done {
    let scenario = Scenario::start().await?;
    let one = "start: status active ready\n\
        upstream-relation-joined: relation-set from one-upstream\n\
        downstream-relation-joined: relation-set from one-downstream";
    deploy(&scenario, "one", 1, one).await?;
    deploy(&scenario, "two", 1, READY).await?;
    // What fits is named where it has to be chosen.
    let said = refused(scenario.integrate("one", "two").await);
    for pair in ["one:upstream two:downstream", "two:upstream one:downstream"] {
        assert!(said.contains(pair), "{said}");
    }
    let first = scenario.integrate("one:upstream", "two").await?;
    let second = scenario.integrate("two:upstream", "one").await?;
    assert_ne!(first.id, second.id);
    for (unit, endpoint) in [
        ("one/0", "upstream"),
        ("one/0", "downstream"),
        ("two/0", "upstream"),
        ("two/0", "downstream"),
    ] {
        until_ran(&scenario, unit, &format!("{endpoint}-relation-changed")).await?;
    }
    for (endpoint, from) in [
        ("downstream", "one-upstream"),
        ("upstream", "one-downstream"),
    ] {
        let relation = relation_of(&scenario, "two/0", endpoint).await?;
        let of_one = relation.related_units.values().next();
        let said = of_one.and_then(|bag| bag.data.get("from").cloned());
        assert_eq!(said.as_deref(), Some(from), "at {endpoint}");
    }
    scenario.remove_relation(first.id, false).await?;
    until_ran(&scenario, "one/0", "upstream-relation-broken").await?;
    until_ran(&scenario, "two/0", "downstream-relation-broken").await?;
    relation_is(&scenario, second.id, "joined").await?;
    let other = at_endpoint(&scenario, "one/0", "downstream").await?;
    assert!(!other.iter().any(|hook| hook == "departed"), "{other:?}");
    scenario.stop().await
}

#[tokio::test(flavor = "multi_thread")]
async fn what_does_not_fit_names_what_there_is() -> Done {
    let scenario = Scenario::start().await?;
    let folder = tempfile::tempdir().unwrap();
    let narrow = "name: narrow\nsummary: takes one relation\ndescription: a test\n\
        requires:\n  upstream: {interface: probe, limit: 1}\n";
    let near = "name: near\nsummary: wants a subordinate\ndescription: another test\n\
        requires:\n  side: {interface: probe-side, scope: container}\n";
    scenario
        .deploy(variant("probe", narrow, folder.path()), "narrow", 0)
        .await?;
    scenario
        .deploy(variant("probe", near, folder.path()), "near", 0)
        .await?;
    for name in ["one", "two"] {
        deploy(&scenario, name, 0, READY).await?;
    }
    scenario.integrate("narrow", "one").await?;
    let said = refused(scenario.integrate("narrow", "two").await);
    assert!(
        said.contains("narrow:upstream one:downstream") && said.contains('1'),
        "the relation that takes the place is named: {said}"
    );
    let said = refused(scenario.integrate("narrow:upstream", "two:upstream").await);
    assert!(
        said.contains("upstream") && said.contains("requirer of probe"),
        "{said}"
    );
    // A container takes subordinates alone.
    let said = refused(scenario.integrate("near:side", "one:side").await);
    assert!(
        said.contains("near:side one:side") && said.contains("subordinate"),
        "{said}"
    );
    scenario
        .deploy(charm("probe-subordinate"), "aside", 0)
        .await?;
    let said = refused(scenario.integrate("near:side", "aside").await);
    assert!(said.contains("probe-side"), "{said}");
    scenario.integrate("one:side", "aside:side").await?;
    scenario.stop().await
}

#[tokio::test(flavor = "multi_thread")]
async fn addresses_are_published_on_entry_and_are_those_of_network_get() -> Done {
    let scenario = Scenario::start().await?;
    let script = "start: status active ready\nupstream-relation-created: network-get";
    deploy(&scenario, "up", 1, script).await?;
    deploy(&scenario, "down", 0, READY).await?;
    scenario.until_active("up").await?;
    scenario.integrate("up:upstream", "down:downstream").await?;
    until_ran(&scenario, "up/0", "upstream-relation-created").await?;
    let address = scenario.unit("up/0").await?.public_address;
    let address = address.unwrap_or_default();
    let bag = own_bag(&scenario, "up/0", "upstream").await?;
    assert_eq!(bag["ingress-address"], address, "{bag:?}");
    assert_eq!(bag["private-address"], address, "{bag:?}");
    assert!(bag["egress-subnets"].starts_with(&address), "{bag:?}");
    let log = scenario.log("up/0").await?;
    let told = log.iter().find(|line| line.starts_with("network: "));
    assert!(
        told.is_some_and(|told| told.contains(&address) && told.contains(&bag["egress-subnets"])),
        "{told:?}"
    );
    // A unit that comes later finds them before the other has said a word.
    scenario.add_units("down", 1).await?;
    until_ran(&scenario, "down/0", "downstream-relation-joined").await?;
    let seen = relation_of(&scenario, "down/0", "downstream").await?;
    let seen = seen.related_units.values().next();
    assert_eq!(
        seen.map(|bag| bag.data["ingress-address"].clone()),
        Some(address)
    );
    scenario.stop().await
}

#[tokio::test(flavor = "multi_thread")]
async fn peers_meet_one_another_and_part_without_an_end() -> Done {
    let scenario = Scenario::start().await?;
    let script = "start: status active ready\nring-relation-created: relation-set name mine";
    deploy(&scenario, "circle", 3, script).await?;
    scenario.until_active("circle").await?;
    for unit in ["circle/0", "circle/1", "circle/2"] {
        until_ran_times(&scenario, unit, "ring-relation-joined", 2).await?;
        let ring = relation_of(&scenario, unit, "ring").await?;
        let others: Vec<&str> = ring
            .related_units
            .keys()
            .map(|name| name.as_str())
            .collect();
        assert_eq!(others.len(), 2, "{unit}: {others:?}");
        assert!(!others.contains(&unit), "nobody is a peer of its own");
        for bag in ring.related_units.values() {
            assert_eq!(bag.data["name"], "mine");
        }
    }
    scenario.remove_unit("circle/1", false).await?;
    for unit in ["circle/0", "circle/2"] {
        until_ran(&scenario, unit, "ring-relation-departed").await?;
        let ring = at_endpoint(&scenario, unit, "ring").await?;
        let departed = ring.iter().filter(|hook| *hook == "departed");
        assert_eq!(departed.count(), 1, "{ring:?}");
        assert!(!ring.iter().any(|hook| hook == "broken"), "{ring:?}");
    }
    scenario
        .until("the unit to be gone", |status| {
            status.applications["circle"].units.iter().flatten().count() == 2
        })
        .await?;
    let log = scenario.log("circle/1").await?;
    assert!(
        !log.iter()
            .any(|line| line.contains("hook ring-relation-broken")),
        "a peer relation is never broken"
    );
    scenario.stop().await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_subordinate_brings_a_subordinate_of_its_own_and_both_go_together() -> Done {
    let scenario = Scenario::start().await?;
    let folder = tempfile::tempdir().unwrap();
    let third = "name: third\nsummary: beside a subordinate\ndescription: a test\n\
        subordinate: true\nprovides:\n  side: {interface: probe-side, scope: container}\n\
        requires:\n  host: {interface: juju-info, scope: container, optional: true}\n";
    deploy(&scenario, "main", 2, READY).await?;
    let script = [("script", READY)];
    let aside = charm("probe-subordinate");
    scenario.deploy_with(aside, "aside", 0, &script).await?;
    let third = variant("probe-subordinate", third, folder.path());
    scenario.deploy_with(third, "third", 0, &script).await?;
    // Without a principal under it nobody comes to life.
    scenario.integrate("third:side", "aside:side").await?;
    let status = scenario.status().await?;
    assert!(beside(&status, "main").is_empty());
    let relation = scenario.integrate("aside:host", "main:juju-info").await?;
    scenario
        .until("both beside each principal", |status| {
            let beside = beside(status, "main");
            let of = |name: &str| {
                let mut units: Vec<&str> = beside.iter().map(String::as_str).collect();
                units.retain(|unit| unit.starts_with(name));
                units.len()
            };
            of("aside/") == 2 && of("third/") == 2
        })
        .await?;
    scenario.until_active("aside").await?;
    scenario.until_active("third").await?;
    // In a container one sees the counterpart there and nobody else.
    for number in 0..2 {
        let unit = format!("third/{number}");
        until_ran(&scenario, &unit, "side-relation-changed").await?;
        let of_unit = scenario.unit(&unit).await?;
        let side = relation_of(&scenario, &unit, "side").await?;
        let others: Vec<String> = side.related_units.keys().map(ToString::to_string).collect();
        assert_eq!(others.len(), 1, "{unit}: {others:?}");
        let other = scenario.unit(&others[0]).await?;
        assert_eq!(other.principal, of_unit.principal);
        assert!(
            other
                .principal
                .is_some_and(|name| name.as_str().starts_with("main/")),
            "the container is the principal's"
        );
        let ran = hooks(&scenario, &unit).await?;
        let joined = ran.iter().filter(|hook| *hook == "side-relation-joined");
        assert_eq!(joined.count(), 1, "{ran:?}");
    }
    scenario.remove_relation(relation.id, false).await?;
    scenario
        .until("nobody to be beside the principals", |status| {
            beside(status, "main").is_empty()
        })
        .await?;
    let status = scenario.until_active("main").await?;
    assert_eq!(
        status.applications["main"].units.iter().flatten().count(),
        2
    );
    scenario.stop().await
}

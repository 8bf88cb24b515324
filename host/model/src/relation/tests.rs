use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;

use super::*;
use crate::Life;
use crate::charm::{CharmMetadata, Scope};
use crate::name::UnitName;

fn charm(yaml: &str) -> CharmMetadata {
    serde_saphyr::from_str(yaml).unwrap()
}

fn find(
    first: (&str, &CharmMetadata),
    second: (&str, &CharmMetadata),
) -> Result<Pair, EndpointError> {
    Pair::find(
        (&first.0.parse().unwrap(), first.1),
        (&second.0.parse().unwrap(), second.1),
    )
}

fn site() -> CharmMetadata {
    charm("{name: site, provides: {website: http}, peers: {cluster: site-peer}}")
}

fn front() -> CharmMetadata {
    charm("{name: front, requires: {website: {interface: http, limit: 2}, backup: http}}")
}

fn shipper() -> CharmMetadata {
    charm(
        "{name: shipper, subordinate: true, requires: {logs: {interface: juju-info, scope: container}}}",
    )
}

#[test]
fn names_are_read_with_and_without_an_endpoint() {
    let name: EndpointName = "site:website".parse().unwrap();
    assert_eq!(name.endpoint.as_deref(), Some("website"));
    assert_eq!(name.to_string(), "site:website");
    assert_eq!("site".parse::<EndpointName>().unwrap().endpoint, None);
    assert!("site:".parse::<EndpointName>().is_err());
    assert!(":website".parse::<EndpointName>().is_err());
}

#[test]
fn the_requirer_comes_first_in_the_key_whatever_the_order_of_the_names() {
    let (site, front) = (site(), front());
    for (first, second) in [
        (("front:website", &front), ("site", &site)),
        (("site", &site), ("front:website", &front)),
    ] {
        let pair = find(first, second).unwrap();
        assert_eq!(pair.to_string(), "front:website site:website");
        assert_eq!(pair.scope(), Scope::Global);
        assert_eq!(pair.requirer.limit, Some(2));
    }
}

#[test]
fn several_fitting_pairs_are_named() {
    let error = find(("front", &front()), ("site", &site())).unwrap_err();
    assert_eq!(error.code(), "endpoints-ambiguous");
    let text = error.to_string();
    assert!(text.contains("front:website site:website"), "{text}");
    assert!(text.contains("front:backup site:website"), "{text}");
}

#[test]
fn endpoints_that_do_not_fit_are_listed() {
    let error = find(("site", &site()), ("other", &site())).unwrap_err();
    assert_eq!(error.code(), "endpoints-do-not-fit");
    assert!(
        error.to_string().contains("website (provider of http)"),
        "{error}"
    );
    let error = find(("site:webpage", &site()), ("front", &front())).unwrap_err();
    assert_eq!(error.code(), "endpoint-not-found");
    assert!(error.to_string().contains("website"), "{error}");
}

#[test]
fn peers_are_not_integrated_by_hand() {
    let error = find(("site:cluster", &site()), ("other:cluster", &site())).unwrap_err();
    assert_eq!(error.code(), "endpoint-is-peer");
}

#[test]
fn a_principal_that_declares_nothing_provides_juju_info() {
    let bare = charm("{name: bare}");
    let pair = find(("shipper", &shipper()), ("bare", &bare)).unwrap();
    assert_eq!(pair.to_string(), "shipper:logs bare:juju-info");
    assert_eq!(pair.scope(), Scope::Container);
    assert!(pair.provider.is_implicit());
    let error = find(("shipper", &shipper()), ("other", &shipper())).unwrap_err();
    assert_eq!(error.code(), "endpoints-do-not-fit");
}

#[test]
fn declared_endpoints_come_before_the_implicit_one() {
    let both = charm("{name: both, requires: {info: juju-info, website: http}}");
    let pair = find(("both", &both), ("site", &site())).unwrap();
    assert_eq!(pair.to_string(), "both:website site:website");
}

#[test]
fn a_container_relation_needs_a_subordinate() {
    let near = charm("{name: near, requires: {website: {interface: http, scope: container}}}");
    let error = find(("near", &near), ("site", &site())).unwrap_err();
    assert_eq!(error.code(), "relation-needs-subordinate");
    let principal =
        charm("{name: principal, provides: {logs: {interface: logs, scope: container}}}");
    let taker = charm("{name: taker, subordinate: true, requires: {logs: logs}}");
    let pair = find(("principal", &principal), ("taker", &taker)).unwrap();
    assert_eq!(pair.scope(), Scope::Container);
}

fn unit(number: u8) -> UnitName {
    format!("site/{number}").parse().unwrap()
}

fn remote() -> RemoteRelation {
    RemoteRelation {
        endpoint: "website".to_owned(),
        remote_application: "other".parse().unwrap(),
        life: Life::Alive,
        suspended: false,
        peer: false,
        members: BTreeMap::new(),
        applications: BTreeMap::new(),
    }
}

/// Runs what is due until nothing is.
fn settle(
    mut local: Option<RelationState>,
    remote: &RemoteRelation,
    leaving: bool,
) -> (Option<RelationState>, Vec<String>) {
    let mut ran = Vec::new();
    while let Some(hook) = RelationState::next(local.as_ref(), 1, remote, leaving) {
        ran.push(shown(&hook));
        local = RelationState::after(local, &hook).unwrap();
        assert!(ran.len() < 100, "it never settles: {ran:?}");
        if local.is_none() {
            break;
        }
    }
    (local, ran)
}

fn shown(hook: &RelationHook) -> String {
    let kind = format!("{:?}", hook.kind).to_lowercase();
    match (&hook.unit, &hook.application) {
        (Some(unit), _) => format!("{kind} {unit}"),
        (_, Some(application)) => format!("{kind} {application}"),
        _ => kind,
    }
}

#[test]
fn a_relation_from_its_creation_to_its_end() {
    let mut remote = remote();
    remote.members.insert(unit(0), 1);
    remote.members.insert(unit(1), 1);
    remote.applications.insert("site".parse().unwrap(), 3);
    let (local, ran) = settle(None, &remote, false);
    assert_eq!(
        ran,
        [
            "created",
            "changed site",
            "joined site/0",
            "changed site/0",
            "joined site/1",
            "changed site/1"
        ]
    );
    remote.members.insert(unit(1), 9);
    let (local, ran) = settle(local, &remote, false);
    assert_eq!(ran, ["changed site/1"]);
    remote.suspended = true;
    let (local, ran) = settle(local, &remote, false);
    assert_eq!(ran, ["departed site/0", "departed site/1", "broken"]);
    assert_eq!(local, None);
    assert_eq!(RelationState::next(None, 1, &remote, false), None);
    remote.suspended = false;
    let (_, ran) = settle(None, &remote, false);
    assert_eq!(ran.first().map(String::as_str), Some("created"));
}

#[test]
fn a_peer_relation_is_never_broken() {
    let mut remote = remote();
    remote.peer = true;
    remote.members.insert(unit(0), 1);
    let (local, _) = settle(None, &remote, false);
    remote.life = Life::Dying;
    let (local, ran) = settle(local, &remote, true);
    assert_eq!(ran, ["departed site/0"]);
    assert!(local.is_some());
}

#[test]
fn versions_that_go_back_are_changes_too() {
    let mut remote = remote();
    remote.members.insert(unit(0), 7);
    let (local, _) = settle(None, &remote, false);
    remote.members.insert(unit(0), 2);
    assert_eq!(settle(local, &remote, false).1, ["changed site/0"]);
}

#[test]
fn who_came_and_went_in_between_is_not_heard_of() {
    let mut remote = remote();
    let (local, _) = settle(None, &remote, false);
    remote.members.insert(unit(0), 1);
    remote.members.remove(&unit(0));
    assert_eq!(settle(local, &remote, false).1, Vec::<String>::new());
}

#[test]
fn hooks_that_contradict_the_state_are_refused() {
    let hook = |kind, number: Option<u8>| RelationHook {
        kind,
        relation: 1,
        unit: number.map(unit),
        application: None,
        version: 1,
    };
    let created = RelationState::after(None, &hook(HookKind::Created, None)).unwrap();
    let joined = RelationState::after(created.clone(), &hook(HookKind::Joined, Some(0))).unwrap();
    assert!(RelationState::after(None, &hook(HookKind::Joined, Some(0))).is_err());
    assert!(RelationState::after(created.clone(), &hook(HookKind::Created, None)).is_err());
    assert!(RelationState::after(created.clone(), &hook(HookKind::Changed, Some(0))).is_err());
    assert!(RelationState::after(created.clone(), &hook(HookKind::Departed, Some(0))).is_err());
    assert!(RelationState::after(joined.clone(), &hook(HookKind::Departed, Some(0))).is_err());
    let changed = RelationState::after(joined, &hook(HookKind::Changed, Some(0))).unwrap();
    assert!(RelationState::after(changed.clone(), &hook(HookKind::Joined, Some(0))).is_err());
    assert!(RelationState::after(changed, &hook(HookKind::Broken, None)).is_err());
    assert!(RelationState::after(created, &hook(HookKind::Broken, None)).is_ok());
}

/// What happens around a unit while it works.
#[derive(Clone, Debug)]
enum Story {
    Enters(u8),
    Leaves(u8),
    Writes(u8),
    ApplicationWrites,
    Suspended(bool),
    /// The unit runs so many hooks.
    Works(u8),
    /// A hook runs, its commit is lost, and it runs again.
    HookLost,
    UnitDies,
    RelationDies,
}

fn story() -> impl Strategy<Value = Vec<Story>> {
    let step = prop_oneof![
        4 => (0..4u8).prop_map(Story::Enters),
        3 => (0..4u8).prop_map(Story::Leaves),
        4 => (0..4u8).prop_map(Story::Writes),
        1 => Just(Story::ApplicationWrites),
        1 => any::<bool>().prop_map(Story::Suspended),
        6 => (1..5u8).prop_map(Story::Works),
        2 => Just(Story::HookLost),
        1 => Just(Story::UnitDies),
        1 => Just(Story::RelationDies),
    ];
    prop::collection::vec(step, 1..40)
}

/// The guarantees, checked on the hooks as they are committed.
#[derive(Default)]
struct Guarantees {
    created: bool,
    members: BTreeSet<UnitName>,
    pair: Option<UnitName>,
}

impl Guarantees {
    fn see(&mut self, hook: &RelationHook) {
        if let Some(joined) = self.pair.take() {
            assert_eq!(hook.kind, HookKind::Changed, "after joined comes changed");
            assert_eq!(hook.unit.as_ref(), Some(&joined), "of the same unit");
        }
        match (hook.kind, &hook.unit) {
            (HookKind::Created, _) => {
                assert!(!self.created, "created once");
                self.created = true;
            }
            (HookKind::Joined, Some(unit)) => {
                assert!(
                    self.created && self.members.insert(unit.clone()),
                    "joined once"
                );
                self.pair = Some(unit.clone());
            }
            (HookKind::Changed, Some(unit)) => assert!(self.members.contains(unit)),
            (HookKind::Changed, None) => assert!(self.created),
            (HookKind::Departed, Some(unit)) => assert!(self.members.remove(unit)),
            (HookKind::Broken, _) => {
                assert!(self.members.is_empty(), "broken comes last");
                *self = Self::default();
            }
            other => panic!("no such hook: {other:?}"),
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    #[test]
    fn whatever_happens_the_order_holds_and_the_end_is_reached(story in story(), peer in any::<bool>()) {
        let mut remote = RemoteRelation { peer, ..remote() };
        let application: crate::ApplicationName = "site".parse().unwrap();
        let (mut version, mut leaving) = (0, false);
        let mut local: Option<RelationState> = None;
        let mut guarantees = Guarantees::default();
        let mut work = |local: &mut Option<RelationState>, remote: &RemoteRelation, leaving, hooks: u32| {
            for _ in 0..hooks {
                let Some(hook) = RelationState::next(local.as_ref(), 1, remote, leaving) else { return true };
                guarantees.see(&hook);
                *local = RelationState::after(local.take(), &hook).unwrap();
            }
            false
        };
        for step in story {
            version += 1;
            match step {
                Story::Enters(number) => { remote.members.entry(unit(number)).or_insert(version); }
                Story::Leaves(number) => { remote.members.remove(&unit(number)); }
                Story::Writes(number) => {
                    if let Some(seen) = remote.members.get_mut(&unit(number)) { *seen = version; }
                }
                Story::ApplicationWrites => { remote.applications.insert(application.clone(), version); }
                Story::Suspended(suspended) => remote.suspended = suspended && !peer,
                Story::Works(hooks) => { work(&mut local, &remote, leaving, u32::from(hooks)); }
                Story::HookLost => {
                    let first = RelationState::next(local.as_ref(), 1, &remote, leaving);
                    prop_assert_eq!(&first, &RelationState::next(local.as_ref(), 1, &remote, leaving));
                }
                Story::UnitDies => leaving = true,
                Story::RelationDies => remote.life = Life::Dying,
            }
        }
        prop_assert!(work(&mut local, &remote, leaving, 200), "it comes to rest");
        if local.is_some() && !leaving && remote.life == Life::Alive && !remote.suspended {
            let seen = local.map(|local| local.members).unwrap_or_default();
            prop_assert_eq!(seen, remote.members, "at rest everybody has been heard of");
        }
    }
}

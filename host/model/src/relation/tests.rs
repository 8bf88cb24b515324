use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use proptest::test_runner::TestCaseError;

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
    assert_eq!(error.refusal().code(), "endpoints-ambiguous");
    let text = error.to_string();
    assert!(text.contains("front:website site:website"), "{text}");
    assert!(text.contains("front:backup site:website"), "{text}");
}

#[test]
fn endpoints_that_do_not_fit_are_listed() {
    let error = find(("site", &site()), ("other", &site())).unwrap_err();
    assert_eq!(error.refusal().code(), "endpoints-do-not-fit");
    assert!(
        error.to_string().contains("website (provider of http)"),
        "{error}"
    );
    let error = find(("site:webpage", &site()), ("front", &front())).unwrap_err();
    assert_eq!(error.refusal().code(), "endpoint-not-found");
    assert!(error.to_string().contains("website"), "{error}");
}

#[test]
fn peers_are_not_integrated_by_hand() {
    let error = find(("site:cluster", &site()), ("other:cluster", &site())).unwrap_err();
    assert_eq!(error.refusal().code(), "endpoint-is-peer");
}

#[test]
fn a_principal_that_declares_nothing_provides_juju_info() {
    let bare = charm("{name: bare}");
    let pair = find(("shipper", &shipper()), ("bare", &bare)).unwrap();
    assert_eq!(pair.to_string(), "shipper:logs bare:juju-info");
    assert_eq!(pair.scope(), Scope::Container);
    assert!(pair.provider.is_implicit());
    let error = find(("shipper", &shipper()), ("other", &shipper())).unwrap_err();
    assert_eq!(error.refusal().code(), "endpoints-do-not-fit");
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
    assert_eq!(error.refusal().code(), "relation-needs-subordinate");
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

impl Story {
    /// As a line of the story.
    fn told(&self) -> String {
        match self {
            Story::Enters(number) => format!("{} enters", unit(*number)),
            Story::Leaves(number) => format!("{} leaves", unit(*number)),
            Story::Writes(number) => format!("{} writes", unit(*number)),
            Story::ApplicationWrites => "the leader of site writes".to_owned(),
            Story::Suspended(true) => "the relation is suspended".to_owned(),
            Story::Suspended(false) => "the relation is resumed".to_owned(),
            Story::Works(hooks) => format!("other/0 runs up to {hooks} hooks"),
            Story::HookLost => "other/0 loses the commit of a hook".to_owned(),
            Story::UnitDies => "other/0 is removed".to_owned(),
            Story::RelationDies => "the relation is removed".to_owned(),
        }
    }
}

/// The guarantees, checked on the hooks as they are committed.
#[derive(Default)]
struct Guarantees {
    created: bool,
    members: BTreeSet<UnitName>,
    pair: Option<UnitName>,
}

impl Guarantees {
    fn see(&mut self, hook: &RelationHook) -> Result<(), &'static str> {
        let must = |holds: bool, rule| if holds { Ok(()) } else { Err(rule) };
        if let Some(joined) = self.pair.take() {
            must(
                hook.kind == HookKind::Changed && hook.unit.as_ref() == Some(&joined),
                "after joined comes the changed of the same unit",
            )?;
        }
        match (hook.kind, &hook.unit) {
            (HookKind::Created, _) => {
                must(!self.created, "created comes once")?;
                self.created = true;
            }
            (HookKind::Joined, Some(unit)) => {
                must(self.created, "created comes before joined")?;
                must(self.members.insert(unit.clone()), "joined comes once")?;
                self.pair = Some(unit.clone());
            }
            (HookKind::Changed, Some(unit)) => {
                must(self.members.contains(unit), "changed is of who has joined")?;
            }
            (HookKind::Changed, None) => must(self.created, "created comes first")?,
            (HookKind::Departed, Some(unit)) => {
                must(self.members.remove(unit), "departed is of who has joined")?;
            }
            (HookKind::Broken, _) => {
                must(self.members.is_empty(), "broken comes last")?;
                *self = Self::default();
            }
            _ => must(false, "there is no such hook")?,
        }
        Ok(())
    }
}

/// A unit and what happens around its one relation, with the story so far.
struct Course {
    local: Option<RelationState>,
    remote: RemoteRelation,
    leaving: bool,
    guarantees: Guarantees,
    story: Vec<String>,
}

impl Course {
    fn fails(&self, wrong: &str) -> TestCaseError {
        TestCaseError::fail(format!("{wrong}\n  {}", self.story.join("\n  ")))
    }

    fn next(&self) -> Option<RelationHook> {
        RelationState::next(self.local.as_ref(), 1, &self.remote, self.leaving)
    }

    /// Whether the unit came to rest within so many hooks.
    fn work(&mut self, hooks: u32) -> Result<bool, TestCaseError> {
        for _ in 0..hooks {
            let Some(hook) = self.next() else {
                return Ok(true);
            };
            let about = hook.unit.as_ref().map(|unit| format!(" of {unit}"));
            let about = about.unwrap_or_default();
            self.story.push(format!(
                "  website-relation-{}{about}",
                format!("{:?}", hook.kind).to_lowercase()
            ));
            self.guarantees
                .see(&hook)
                .map_err(|wrong| self.fails(wrong))?;
            let after = RelationState::after(self.local.take(), &hook);
            self.local = after.map_err(|error| self.fails(&error.to_string()))?;
        }
        Ok(false)
    }

    fn take(&mut self, step: &Story, version: u64) -> Result<(), TestCaseError> {
        self.story.push(step.told());
        let remote = &mut self.remote;
        match step {
            Story::Enters(number) => {
                remote.members.entry(unit(*number)).or_insert(version);
            }
            Story::Leaves(number) => {
                remote.members.remove(&unit(*number));
            }
            Story::Writes(number) => {
                if let Some(seen) = remote.members.get_mut(&unit(*number)) {
                    *seen = version;
                }
            }
            Story::ApplicationWrites => {
                remote.applications.insert("site".parse().unwrap(), version);
            }
            Story::Suspended(suspended) => remote.suspended = *suspended && !remote.peer,
            Story::Works(hooks) => {
                self.work(u32::from(*hooks))?;
            }
            Story::HookLost => {
                if self.next() != self.next() {
                    return Err(self.fails("the same hook is chosen again"));
                }
            }
            Story::UnitDies => self.leaving = true,
            Story::RelationDies => remote.life = Life::Dying,
        }
        Ok(())
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20_000))]

    #[test]
    fn whatever_happens_the_order_holds_and_the_end_is_reached(story in story(), peer in any::<bool>()) {
        let mut course = Course {
            local: None,
            remote: RemoteRelation { peer, ..remote() },
            leaving: false,
            guarantees: Guarantees::default(),
            story: Vec::new(),
        };
        for (step, version) in story.iter().zip(1..) {
            course.take(step, version)?;
        }
        course.story.push("and from now on nothing happens".to_owned());
        if !course.work(200)? {
            return Err(course.fails("it comes to rest"));
        }
        let Course { local, remote, leaving, .. } = &course;
        let stays = !leaving && remote.life == Life::Alive && !remote.suspended;
        if let Some(local) = local && stays && local.members != remote.members {
            return Err(course.fails("at rest everybody has been heard of"));
        }
    }
}

//! What a hook is told of relations, goals and networks, from the unit's record and the
//! controller's answers.

use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;

use periapt_model::Tag;
use periapt_model::charm::CharmMetadata;
use periapt_model::hook::Info;
use periapt_model::relation::HookKind;
use periapt_model::uniter::OperationState;
use periapt_sandbox::{CallError, Goal, Goals, Member, Network, RelationInfo};
use periapt_wire::agent::uniter::{GoalState, GoalStatus};

const JUJU_INFO: &str = "juju-info";
const MICROSECONDS: i64 = 1_000_000;

/// The relations of the unit as `hook` is told of them: those recorded, and the hook's own. A
/// unit is a member from its joined hook on, and not any more in its departed one.
pub(crate) fn relations(recorded: &OperationState, hook: &Info) -> Vec<RelationInfo> {
    let mut relations: BTreeMap<u64, RelationInfo> = recorded
        .relations
        .iter()
        .map(|(id, seen)| {
            let remote = seen.remote_application.as_ref();
            let info = RelationInfo {
                id: *id,
                endpoint: seen.endpoint.clone(),
                remote_application: remote.map(ToString::to_string).unwrap_or_default(),
                members: seen.members.keys().map(ToString::to_string).collect(),
            };
            (*id, info)
        })
        .collect();
    if let Some(event) = &hook.relation {
        let id = event.hook.relation;
        let own = relations.entry(id).or_insert_with(|| RelationInfo {
            id,
            endpoint: event.endpoint.clone(),
            remote_application: event.remote_application.to_string(),
            members: Vec::new(),
        });
        if let Some(unit) = event.hook.unit.as_ref().map(ToString::to_string) {
            own.members.retain(|member| *member != unit);
            if event.hook.kind != HookKind::Departed {
                own.members.push(unit);
                own.members.sort();
            }
        }
    }
    relations.into_values().collect()
}

/// The endpoints of a charm, with the one that every charm provides.
pub(crate) fn endpoints(metadata: &CharmMetadata) -> BTreeSet<String> {
    let declared = metadata.provides.keys();
    let declared = declared.chain(metadata.requires.keys());
    let declared = declared.chain(metadata.peers.keys()).cloned();
    declared.chain([JUJU_INFO.to_owned()]).collect()
}

/// What of a charm can be bound to a network.
pub(crate) fn bindings(metadata: &CharmMetadata) -> BTreeSet<String> {
    let mut bindings = endpoints(metadata);
    bindings.extend(metadata.extra_bindings.keys().cloned());
    bindings
}

pub(super) fn tag(member: &Member) -> Result<Tag, CallError> {
    let (name, tag) = match member {
        Member::Unit(name) => (name, name.parse().map(Tag::Unit)),
        Member::Application(name) => (name, name.parse().map(Tag::Application)),
    };
    tag.map_err(|error| CallError::invalid(format!("\"{name}\": {error}")))
}

pub(super) fn goals(state: GoalState) -> Goals {
    let goals = |known: BTreeMap<String, GoalStatus>| {
        let goal = |(name, goal): (String, GoalStatus)| Goal {
            name,
            status: goal.status,
            since: goal.since.div_euclid(MICROSECONDS),
        };
        known.into_iter().map(goal).collect::<Vec<_>>()
    };
    let relations = state.relations.into_iter();
    Goals {
        units: goals(state.units),
        relations: relations
            .map(|(endpoint, there)| (endpoint, goals(there)))
            .collect(),
    }
}

/// All bindings are on the one network there is, that of the unit's machine.
pub(super) fn network(address: &str) -> Network {
    let bits = match address.parse() {
        Ok(IpAddr::V6(_)) => 128,
        _ => 32,
    };
    Network {
        bind_addresses: vec![address.to_owned()],
        ingress_addresses: vec![address.to_owned()],
        egress_subnets: vec![format!("{address}/{bits}")],
    }
}

//! What a hook is told of relations, goals and networks, from the unit's record and the
//! controller's answers.

use std::collections::BTreeMap;
use std::net::IpAddr;

use periapt_model::Tag;
use periapt_model::bounds::SETTINGS_READ_BYTES;
use periapt_model::hook::Info;
use periapt_model::relation::HookKind;
use periapt_model::uniter::OperationState;
use periapt_sandbox::{
    Bag, CallError, Goal, GoalStateAnswers, Goals, LeadershipAnswers, Member, Network,
    NetworkAnswers, RelationAnswers, RelationInfo, UnitAnswers,
};
use periapt_wire::agent::uniter::{
    GetGoalState, GetLeaderSettings, GetRelationSettings, GoalState, GoalStatus,
};

use super::UnitContext;

const MICROSECONDS: i64 = 1_000_000;

impl RelationAnswers for UnitContext {
    fn knows_endpoint(&self, name: &str) -> bool {
        self.endpoints.contains(name)
    }

    fn relations(&self) -> Vec<RelationInfo> {
        self.relations.clone()
    }

    fn relation_settings(&mut self, relation: u64, of: &Member) -> Result<Bag, CallError> {
        let asked = (relation, of.clone());
        if let Some(known) = self.settings.get(&asked) {
            return Ok(known);
        }
        let ask = GetRelationSettings {
            unit: self.unit.clone(),
            relation,
            of: tag(of)?,
        };
        let settings = match (&ask.of, self.settings.version(&asked)) {
            (Tag::Unit(member), Some(version)) => {
                let (shared, connection) = (self.shared_settings.clone(), self.connection.clone());
                let call = connection.call(&ask);
                self.ask(shared.read(relation, member.clone(), version, call))?
            }
            _ => self.call(&ask)?,
        };
        match self.settings.put(asked, settings.clone()) {
            true => Ok(settings),
            false => Err(CallError::limit(format!(
                "the hook would read more than the {} bytes of settings that one hook may",
                SETTINGS_READ_BYTES.most
            ))),
        }
    }
}

impl LeadershipAnswers for UnitContext {
    fn is_leader(&mut self) -> Result<bool, CallError> {
        let leadership = self.leadership.clone();
        self.wait(leadership.claim_leader())
    }

    fn leader_settings(&mut self) -> Result<Bag, CallError> {
        let unit = self.unit.clone();
        self.call(&GetLeaderSettings { unit })
    }
}

impl GoalStateAnswers for UnitContext {
    fn goal_state(&mut self) -> Result<Goals, CallError> {
        if let Some(known) = &self.goals {
            return Ok(known.clone());
        }
        let unit = self.unit.clone();
        let goals = goals(self.call(&GetGoalState { unit })?);
        self.goals = Some(goals.clone());
        Ok(goals)
    }
}

impl NetworkAnswers for UnitContext {
    fn network(&mut self, binding: &str) -> Result<Network, CallError> {
        if !self.bindings.contains(binding) {
            return Err(CallError::not_found(format!(
                "the charm declares no endpoint or binding \"{binding}\""
            )));
        }
        Ok(network(&self.private_address()?))
    }
}

/// The relations of the unit as `hook`, or a task, is told of them: those recorded, and the hook's own. A
/// unit is a member from its joined hook on, and not any more in its departed one.
pub(crate) fn relations(recorded: &OperationState, hook: Option<&Info>) -> Vec<RelationInfo> {
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
    if let Some(event) = hook.and_then(|hook| hook.relation.as_ref()) {
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

fn tag(member: &Member) -> Result<Tag, CallError> {
    let (name, tag) = match member {
        Member::Unit(name) => (name, name.parse().map(Tag::Unit)),
        Member::Application(name) => (name, name.parse().map(Tag::Application)),
    };
    tag.map_err(|error| CallError::invalid(format!("\"{name}\": {error}")))
}

fn goals(state: GoalState) -> Goals {
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
fn network(address: &str) -> Network {
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

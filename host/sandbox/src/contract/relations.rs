//! Relations, leadership, goal state and network: what a charm knows of others and tells them.

use super::periapt::charm::{goal_state, leadership, network, relation};
use super::{Answer, HookState};
use periapt_model::text;

use crate::context::{CallError, Goal, Settings};
use crate::txn::{OwnBag, find};

fn pairs(settings: Settings) -> Vec<(String, String)> {
    settings.into_iter().collect()
}

impl leadership::Host for HookState {
    fn is_leader(&mut self) -> Answer<bool> {
        self.context(|context| Ok(context.is_leader()?))
    }

    fn settings(&mut self) -> Answer<Vec<(String, String)>> {
        self.transaction(|txn, context| txn.leader_get(context).map(pairs))
    }

    fn set(&mut self, settings: Vec<(String, Option<String>)>) -> Answer<()> {
        self.transaction(|txn, context| txn.leader_set(context, settings))
    }
}

impl relation::Host for HookState {
    fn ids(&mut self, endpoint: String) -> Answer<Vec<String>> {
        self.context(|context| {
            let relations = context.relations().into_iter();
            let there: Vec<String> = relations
                .filter(|relation| relation.endpoint == endpoint)
                .map(|relation| relation.name())
                .collect();
            if there.is_empty() && !context.knows_endpoint(&endpoint) {
                let endpoint = text::clean_line_at_most(&endpoint, 100);
                let unknown = format!("the charm has no endpoint \"{endpoint}\"");
                return Err(CallError::not_found(unknown).into());
            }
            Ok(there)
        })
    }

    fn units(&mut self, relation: String) -> Answer<Vec<String>> {
        self.context(|context| Ok(find(context, &relation)?.members))
    }

    fn application(&mut self, relation: String) -> Answer<String> {
        self.context(|context| Ok(find(context, &relation)?.remote_application))
    }

    fn get(&mut self, relation: String, member: String) -> Answer<Vec<(String, String)>> {
        self.transaction(|txn, context| txn.relation_get(context, &relation, &member).map(pairs))
    }

    fn set(
        &mut self,
        relation: String,
        bag: relation::Bag,
        settings: Vec<(String, Option<String>)>,
    ) -> Answer<()> {
        let own = match bag {
            relation::Bag::Unit => OwnBag::Unit,
            relation::Bag::Application => OwnBag::Application,
        };
        self.transaction(|txn, context| txn.relation_set(context, &relation, own, settings))
    }

    fn model_uuid(&mut self, relation: String) -> Answer<String> {
        // Both ends of every relation are in one model.
        self.context(|context| {
            find(context, &relation)?;
            Ok(context.model_uuid())
        })
    }
}

fn goals(goals: Vec<Goal>) -> Vec<goal_state::Goal> {
    let goal = |goal: Goal| goal_state::Goal {
        name: goal.name,
        status: goal.status,
        since: goal.since,
    };
    goals.into_iter().map(goal).collect()
}

impl goal_state::Host for HookState {
    fn get(&mut self) -> Answer<goal_state::Goals> {
        self.context(|context| {
            let known = context.goal_state()?;
            let relations = known.relations.into_iter();
            Ok(goal_state::Goals {
                units: goals(known.units),
                relations: relations
                    .map(|(endpoint, there)| goal_state::EndpointGoals {
                        endpoint,
                        goals: goals(there),
                    })
                    .collect(),
            })
        })
    }
}

impl network::Host for HookState {
    fn get(&mut self, binding: String) -> Answer<network::Info> {
        self.context(|context| {
            let known = context.network(&binding)?;
            Ok(network::Info {
                bind_addresses: known.bind_addresses,
                ingress_addresses: known.ingress_addresses,
                egress_subnets: known.egress_subnets,
            })
        })
    }
}

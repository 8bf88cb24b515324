//! `goal-state`: what will be there once the model has settled.

use periapt_contract::CallError;

use super::{Permission::Everybody, Tool, When::Read};
use crate::world::periapt::charm::goal_state as wit;
use crate::world::{Answer, HookState};

pub(super) const TOOLS: &[Tool] = &[Tool::new(
    "goal-state",
    "goal-state",
    "get",
    Read,
    Everybody,
)];

/// A unit or an application that will be there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Goal {
    pub name: String,
    pub status: String,
    /// Seconds since the epoch.
    pub since: i64,
}

/// What will be there once the model has settled.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Goals {
    pub units: Vec<Goal>,
    /// By endpoint of the unit's charm.
    pub relations: Vec<(String, Vec<Goal>)>,
}

/// What an agent answers for `goal-state`.
pub trait GoalStateAnswers {
    fn goal_state(&mut self) -> Result<Goals, CallError> {
        Err(CallError::unanswered())
    }
}

impl wit::Host for HookState {
    fn get(&mut self) -> Answer<wit::Goals> {
        self.context(|context| {
            let known = context.goal_state()?;
            let relations = known.relations.into_iter();
            Ok(wit::Goals {
                units: goals(known.units),
                relations: relations
                    .map(|(endpoint, there)| wit::EndpointGoals {
                        endpoint,
                        goals: goals(there),
                    })
                    .collect(),
            })
        })
    }
}

fn goals(goals: Vec<Goal>) -> Vec<wit::Goal> {
    let goal = |goal: Goal| wit::Goal {
        name: goal.name,
        status: goal.status,
        since: goal.since,
    };
    goals.into_iter().map(goal).collect()
}

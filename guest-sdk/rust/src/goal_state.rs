//! What will be there once the model has settled.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::world::World;
use crate::world::bindings::periapt::charm::goal_state as wit;
use crate::{Context, HostError, Result};

/// A unit or application that is there or coming.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Goal {
    /// Of a unit or an application.
    pub name: String,
    /// Its status, `waiting`, `active`, `dying` and so on.
    pub status: String,
    /// Since when, in seconds since the epoch.
    pub since: i64,
}

/// What the model is heading for. A unit that is in here may not have started yet: a charm that
/// forms a cluster can wait for all of them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct GoalState {
    /// Units of the unit's own application, itself among them.
    pub units: Vec<Goal>,
    /// By endpoint of the charm, the applications at the other ends and their units.
    pub relations: BTreeMap<String, Vec<Goal>>,
}

/// What a charm may ask of the host about the goal state.
#[allow(missing_docs)]
pub trait GoalStateHost {
    fn goal_state(&self) -> Result<GoalState, HostError>;
}

impl GoalStateHost for World {
    fn goal_state(&self) -> Result<GoalState, HostError> {
        Ok(wit::get()?.into())
    }
}

impl<C> Context<'_, C> {
    /// What will be there once the model has settled.
    pub fn goal_state(&self) -> Result<GoalState> {
        Ok(self.host.goal_state()?)
    }
}

impl From<wit::Goal> for Goal {
    fn from(goal: wit::Goal) -> Self {
        Goal {
            name: goal.name,
            status: goal.status,
            since: goal.since,
        }
    }
}

impl From<wit::Goals> for GoalState {
    fn from(goals: wit::Goals) -> Self {
        let own = |goals: Vec<wit::Goal>| goals.into_iter().map(Goal::from).collect();
        GoalState {
            units: own(goals.units),
            relations: goals
                .relations
                .into_iter()
                .map(|one| (one.endpoint, own(one.goals)))
                .collect(),
        }
    }
}

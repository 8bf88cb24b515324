//! **unitassigner**: gives each new unit a machine.
//!
//! Trigger: units with a staged assignment. Action: it asks the controller to assign them, which
//! makes machines where needed. Effect: the unit shows its machine; a unit that cannot be
//! assigned shows an agent error with the reason, and the others are assigned all the same. It
//! never chooses the machine itself.

use periapt_engine::{Manifold, ResultExt, TaskWorker, WorkerResult};
use periapt_model::UnitName;
use periapt_model::status::{Agent, Status};
use periapt_wire::ApiConnection;
use periapt_wire::agent::unit_assigner::{AssignUnits, SetAgentStatus, WatchUnitAssignments};

use super::apicaller;
use crate::watching;

pub const NAME: &str = "unit-assigner";

/// Lends nothing.
pub fn manifold() -> Manifold {
    Manifold::new(|context| async move {
        let api: ApiConnection = context.get(apicaller::NAME)?;
        Ok(TaskWorker::spawn(move |worker| async move {
            let (watch, doing) = (WatchUnitAssignments {}, "watching unit assignments");
            watching::names(&worker, &api, watch, doing, |units| assign(&api, units)).await
        }))
    })
    .needs([apicaller::NAME])
}

async fn assign(api: &ApiConnection, units: Vec<UnitName>) -> WorkerResult {
    let answers = api.call(&AssignUnits { units }).await;
    for assigned in answers.while_doing("assigning units")? {
        let Some(reason) = assigned.error else {
            continue;
        };
        tracing::warn!(unit = %assigned.unit, %reason, "unit cannot be assigned");
        let call = SetAgentStatus {
            unit: assigned.unit,
            status: Status::new(Agent::Error, reason),
        };
        let set = api.call(&call).await;
        set.while_doing("setting the unit's status")?;
    }
    Ok(())
}

//! **unitassigner**: gives each new unit a machine.
//!
//! Trigger: units with a staged assignment. Action: it asks the controller to assign them, which
//! makes machines where needed. Effect: the unit shows its machine; a unit that cannot be
//! assigned shows an agent error with the reason, and the others are assigned all the same. It
//! never chooses the machine itself.

use periapt_engine::{Manifold, ResultExt, TaskWorker};
use periapt_model::UnitName;
use periapt_model::status::{Agent, Status};
use periapt_wire::ApiConnection;
use periapt_wire::agent::unit_assigner::{AssignUnits, SetAgentStatus, WatchUnitAssignments};

use super::apicaller;

pub const NAME: &str = "unit-assigner";

/// Lends nothing.
pub fn manifold() -> Manifold {
    Manifold::new(|context| async move {
        let api: ApiConnection = context.get(apicaller::NAME)?;
        Ok(TaskWorker::spawn(move |worker| async move {
            let watch = worker.or_dying(api.watch(&WatchUnitAssignments {})).await?;
            let mut watcher = watch.while_doing("watching unit assignments")?;
            loop {
                let units = worker
                    .or_dying(watcher.next())
                    .await?
                    .while_doing("watching unit assignments")?;
                let units: Vec<UnitName> =
                    units.iter().filter_map(|unit| unit.parse().ok()).collect();
                if units.is_empty() {
                    continue;
                }
                let answers = worker.or_dying(api.call(&AssignUnits { units })).await?;
                for assigned in answers.while_doing("assigning units")? {
                    let Some(reason) = assigned.error else {
                        continue;
                    };
                    tracing::warn!(unit = %assigned.unit, %reason, "unit cannot be assigned");
                    let status = Status::new(Agent::Error, reason);
                    let call = SetAgentStatus {
                        unit: assigned.unit,
                        status,
                    };
                    worker
                        .or_dying(api.call(&call))
                        .await?
                        .while_doing("setting the unit's status")?;
                }
            }
        }))
    })
    .needs([apicaller::NAME])
}

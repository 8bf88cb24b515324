//! `UnitAssigner`: units that wait for a machine.

use periapt_store::{Interest, namespace};
use periapt_wire::agent::unit_assigner::{AssignUnits, SetAgentStatus, WatchUnitAssignments};
use periapt_wire::rpc::Empty;

use super::watch;

handlers! { for periapt_wire::agent::unit_assigner:
    WatchUnitAssignments: |session, _| {
        let model = session.model()?;
        let source = watch::keys(session, Interest::model(model).all(namespace::UNIT_ASSIGNMENT));
        let staged = session.store().unit_assignments(model).await?;
        session.watch(source, watch::texts(&staged))
    };
    AssignUnits: |session, call| Ok(session.store().assign_units(session.model()?, &call.units).await?);
    SetAgentStatus: |session, call| {
        session.store().set_agent_status(session.model()?, &call.unit, call.status).await?;
        Ok(Empty {})
    };
}

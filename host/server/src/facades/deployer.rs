//! `Deployer`: the units of one machine.

use std::collections::BTreeMap;

use futures::future::BoxFuture;
use periapt_model::{Life, MachineId, UnitName};
use periapt_store::{Interest, namespace};
use periapt_wire::agent::deployer::{
    DeployedUnit, MachineUnits, RemoveUnit, SetDeployStatus, SetUnitStopped, WatchMachineUnits,
};
use periapt_wire::rpc::Empty;

use super::Names;
use crate::rpc::watcher::Source;
use crate::rpc::{RpcError, Session};

#[cfg(test)]
mod tests;

handlers! { for periapt_wire::agent::deployer:
    WatchMachineUnits: |session, call| {
        let model = session.model()?;
        let interest = Interest::model(model).key(namespace::MACHINE_UNITS, &call.machine);
        let subscription = session.store().changes().subscribe(interest);
        let known = wanted(session.store().machine_units(model, &call.machine).await?);
        let first = known.keys().map(UnitName::to_string).collect();
        let names = UnitsOfMachine { machine: call.machine, known };
        session.watch(Source::Named(Box::new(subscription), Box::new(names)), first)
    };
    MachineUnits: |session, call| Ok(session.store().machine_units(session.model()?, &call.machine).await?);
    SetDeployStatus: |session, call| {
        session.store().set_deploy_status(session.model()?, &call.unit, call.workload, call.agent).await?;
        Ok(Empty {})
    };
    SetUnitStopped: |session, call| {
        session.store().show_stopped(session.model()?, &call.unit).await?;
        Ok(Empty {})
    };
    RemoveUnit: |session, call| {
        session.store().remove_dead_unit(session.model()?, &call.unit).await?;
        Ok(Empty {})
    };
}

/// What a deployer acts on: the life of each unit and whether its agent is stopped.
type Wanted = BTreeMap<UnitName, (Life, bool)>;

fn wanted(units: Vec<DeployedUnit>) -> Wanted {
    units
        .into_iter()
        .map(|unit| (unit.unit, (unit.life, unit.stopped)))
        .collect()
}

/// Units that came, went, changed their life, or were stopped or started since the last look.
struct UnitsOfMachine {
    machine: MachineId,
    known: Wanted,
}

impl Names for UnitsOfMachine {
    fn look<'a>(
        &'a mut self,
        session: &'a Session,
    ) -> BoxFuture<'a, Result<Vec<String>, RpcError>> {
        Box::pin(async move {
            let now = wanted(
                session
                    .store()
                    .machine_units(session.model()?, &self.machine)
                    .await?,
            );
            let changed = differences(&self.known, &now);
            self.known = now;
            Ok(changed)
        })
    }
}

fn differences(before: &Wanted, now: &Wanted) -> Vec<String> {
    let gone = before.keys().filter(|unit| !now.contains_key(*unit));
    let changed = now
        .iter()
        .filter(|(unit, wanted)| before.get(*unit) != Some(*wanted))
        .map(|(unit, _)| unit);
    gone.chain(changed).map(UnitName::to_string).collect()
}

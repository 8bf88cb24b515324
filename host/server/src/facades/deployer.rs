//! `Deployer`: the units of one machine.

use std::collections::BTreeMap;

use futures::future::BoxFuture;
use periapt_model::{Life, MachineId, UnitName};
use periapt_store::{Interest, namespace};
use periapt_wire::agent::deployer::{
    DeployedUnit, MachineUnits, RemoveUnit, SetDeployStatus, WatchMachineUnits,
};
use periapt_wire::rpc::Empty;

use super::Names;
use crate::rpc::watcher::Source;
use crate::rpc::{RpcError, Session};

#[cfg(test)]
mod tests;

handlers! {
    WatchMachineUnits: |session, call| {
        let model = session.model()?;
        let interest = Interest::model(model).key(namespace::MACHINE_UNITS, &call.machine);
        let subscription = session.store().changes().subscribe(interest);
        let known = lives(session.store().machine_units(model, &call.machine).await?);
        let first = known.keys().map(UnitName::to_string).collect();
        let names = UnitsOfMachine { machine: call.machine, known };
        session.watch(Source::Named(Box::new(subscription), Box::new(names)), first)
    };
    MachineUnits: |session, call| Ok(session.store().machine_units(session.model()?, &call.machine).await?);
    SetDeployStatus: |session, call| {
        session.store().set_deploy_status(session.model()?, &call.unit, call.workload, call.agent).await?;
        Ok(Empty {})
    };
    RemoveUnit: |session, call| {
        session.store().remove_dead_unit(session.model()?, &call.unit).await?;
        Ok(Empty {})
    };
}

fn lives(units: Vec<DeployedUnit>) -> BTreeMap<UnitName, Life> {
    units
        .into_iter()
        .map(|unit| (unit.unit, unit.life))
        .collect()
}

/// Units that came, went or changed their life since the last look.
struct UnitsOfMachine {
    machine: MachineId,
    known: BTreeMap<UnitName, Life>,
}

impl Names for UnitsOfMachine {
    fn look<'a>(
        &'a mut self,
        session: &'a Session,
    ) -> BoxFuture<'a, Result<Vec<String>, RpcError>> {
        Box::pin(async move {
            let now = lives(
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

fn differences(before: &BTreeMap<UnitName, Life>, now: &BTreeMap<UnitName, Life>) -> Vec<String> {
    let gone = before.keys().filter(|unit| !now.contains_key(*unit));
    let changed = now
        .iter()
        .filter(|(unit, life)| before.get(*unit) != Some(*life))
        .map(|(unit, _)| unit);
    gone.chain(changed).map(UnitName::to_string).collect()
}

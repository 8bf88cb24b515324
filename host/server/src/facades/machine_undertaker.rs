//! `MachineUndertaker`: machines whose instance is gone.

use periapt_store::{Interest, namespace};
use periapt_wire::agent::machine_undertaker::{
    AllMachineRemovals, CompleteMachineRemovals, WatchMachineRemovals,
};
use periapt_wire::rpc::Empty;

use super::watch;

handlers! { for periapt_wire::agent::machine_undertaker:
    WatchMachineRemovals: |session, _| {
        let model = session.model()?;
        let source = watch::keys(session, Interest::model(model).all(namespace::MACHINE_REMOVAL));
        let removals = session.store().all_machine_removals(model).await?;
        session.watch(source, watch::texts(&removals))
    };
    AllMachineRemovals: |session, _| Ok(session.store().all_machine_removals(session.model()?).await?);
    CompleteMachineRemovals: |session, call| {
        session.store().complete_machine_removals(session.model()?, &call.machines).await?;
        Ok(Empty {})
    };
}

//! `Machiner`: a machine as its agent sees and reports it.

use periapt_store::{Interest, namespace};
use periapt_wire::agent::machiner::{
    EnsureMachinerDead, MachineLife, SetMachineStatus, WatchMachine,
};
use periapt_wire::rpc::Empty;

use super::watch;

handlers! { for periapt_wire::agent::machiner:
    MachineLife: |session, call| Ok(session.store().machine_life(session.model()?, &call.machine).await?);
    WatchMachine: |session, call| {
        let interest = Interest::model(session.model()?).key(namespace::MACHINE, &call.machine);
        session.watch(watch::notify(session, interest), Vec::new())
    };
    SetMachineStatus: |session, call| {
        let addresses = call.addresses.as_deref();
        session.store().set_machine_status(session.model()?, &call.machine, call.status, addresses).await?;
        Ok(Empty {})
    };
    EnsureMachinerDead: |session, call| {
        session.store().ensure_machiner_dead(session.model()?, &call.machine).await?;
        Ok(Empty {})
    };
}

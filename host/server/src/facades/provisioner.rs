//! `Provisioner`: machines that need an instance, and the agent that will host them.

use periapt_store::{Interest, namespace};
use periapt_wire::agent::provisioner::{
    EnsureMachineDead, GetMachines, MakeAgentCredential, MarkMachineForRemoval, SetInstanceInfo,
    SetInstanceStatuses, WatchMachines,
};
use periapt_wire::rpc::Empty;

use super::watch;

handlers! { for periapt_wire::agent::provisioner:
    WatchMachines: |session, _| {
        let model = session.model()?;
        let source = watch::keys(session, Interest::model(model).all(namespace::MACHINE));
        let machines = session.store().machine_ids(model).await?;
        session.watch(source, watch::texts(&machines))
    };
    GetMachines: |session, call| Ok(session.store().get_machines(session.model()?, &call.machines).await?);
    MakeAgentCredential: |session, call| Ok(session.store().make_agent_credential(session.model()?, &call.agent).await?);
    SetInstanceInfo: |session, call| {
        let store = session.store();
        store.set_instance_info(session.model()?, &call.machine, &call.agent, &call.instance_id, &call.addresses, &call.hardware).await?;
        Ok(Empty {})
    };
    SetInstanceStatuses: |session, call| {
        session.store().set_instance_statuses(session.model()?, call.statuses).await?;
        Ok(Empty {})
    };
    EnsureMachineDead: |session, call| {
        session.store().ensure_machine_dead(session.model()?, &call.machine).await?;
        Ok(Empty {})
    };
    MarkMachineForRemoval: |session, call| {
        session.store().mark_machine_for_removal(session.model()?, &call.machine).await?;
        Ok(Empty {})
    };
}

//! `MachineActions`: what people ask a machine to do.

use periapt_model::task::Receiver;
use periapt_store::{Interest, namespace};
use periapt_wire::agent::machine_actions::{
    BeginMachineTask, EndMachineTask, MachineTasks, WatchMachineTasks,
};
use periapt_wire::rpc::Empty;

use super::watch;

handlers! { for periapt_wire::agent::machine_actions:
    WatchMachineTasks: |session, call| {
        let key = Receiver::Machine(call.machine).to_string();
        let interest = Interest::model(session.model()?).key(namespace::TASK, key);
        session.watch(watch::notify(session, interest), Vec::new())
    };
    MachineTasks: |session, call| Ok(session.store().machine_tasks(session.model()?, &call.machine).await?);
    BeginMachineTask: |session, call| {
        Ok(session.store().begin_machine_task(session.model()?, &call.machine, call.task).await?)
    };
    EndMachineTask: |session, call| {
        session.store().end_machine_task(session.model()?, &call.machine, call.end, call.reboots).await?;
        Ok(Empty {})
    };
}

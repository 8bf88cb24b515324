//! `Reboot`: whether a machine is to start afresh, and that it does.

use periapt_store::{Interest, namespace};
use periapt_wire::agent::reboot::{ClearReboot, GetReboot, WatchReboot};
use periapt_wire::rpc::Empty;

use super::watch;

handlers! { for periapt_wire::agent::reboot:
    WatchReboot: |session, call| {
        let interest = Interest::model(session.model()?).key(namespace::REBOOT, &call.machine);
        session.watch(watch::notify(session, interest), Vec::new())
    };
    GetReboot: |session, call| Ok(session.store().reboots(session.model()?, &call.machine).await?);
    ClearReboot: |session, call| {
        session.store().clear_reboot(session.model()?, &call.machine).await?;
        Ok(Empty {})
    };
}

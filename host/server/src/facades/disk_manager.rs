//! `DiskManager`: block devices of the machine of an agent.

use periapt_wire::agent::disk_manager::SetBlockDevices;
use periapt_wire::rpc::Empty;

handlers! { for periapt_wire::agent::disk_manager:
    SetBlockDevices: |session, call| {
        session.store().set_block_devices(session.model()?, session.agent()?, call.devices).await?;
        Ok(Empty {})
    };
}

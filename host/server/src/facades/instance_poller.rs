//! `InstancePoller`: what providers say of instances.

use periapt_wire::agent::instance_poller::SetInstancesSeen;
use periapt_wire::rpc::Empty;

handlers! { for periapt_wire::agent::instance_poller:
    SetInstancesSeen: |session, call| {
        session.store().set_instances_seen(session.model()?, call.instances).await?;
        Ok(Empty {})
    };
}

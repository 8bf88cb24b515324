//! `Workloads`: what runs in the containers of units.

use periapt_wire::agent::workloads::{CountRequests, SetContainersSeen};
use periapt_wire::rpc::Empty;

handlers! { for workloads:
    SetContainersSeen: |session, call| {
        session.store().set_containers_seen(session.model()?, &call.unit, call.containers).await?;
        Ok(Empty {})
    };
    CountRequests: |session, call| {
        session.store().count_requests(session.model()?, call.records).await?;
        Ok(Empty {})
    };
}

//! `Workloads`: what runs in the containers of units.

use periapt_wire::agent::workloads::{CountRequests, ReportSpans, SetContainersSeen};
use periapt_wire::rpc::Empty;

handlers! { for periapt_wire::agent::workloads:
    SetContainersSeen: |session, call| {
        session.store().set_containers_seen(session.model()?, &call.unit, call.containers).await?;
        Ok(Empty {})
    };
    CountRequests: |session, call| {
        session.store().count_requests(session.model()?, call.records).await?;
        Ok(Empty {})
    };
    ReportSpans: |session, call| {
        session.state().observation().requests(session.model()?, call.records);
        Ok(Empty {})
    };
}

//! `LeadershipService`: which unit leads its application.

use periapt_store::lease::Namespace;
use periapt_wire::agent::leadership::{BlockUntilLeadershipReleased, ClaimLeadership};
use periapt_wire::rpc::Empty;

use super::lease_time;
use crate::rpc::RpcError;

handlers! { for periapt_wire::agent::leadership:
    ClaimLeadership: |session, call| {
        let application = call.unit.application();
        let duration = lease_time(call.duration_ms)?;
        let leases = session.state().leases();
        leases
            .claim(Namespace::ApplicationLeadership, session.model()?, application.as_str(), call.unit.as_str(), duration)
            .await
            .map_err(RpcError::of_lease)?;
        Ok(Empty {})
    };
    BlockUntilLeadershipReleased: |session, call| {
        let leases = session.state().leases();
        leases
            .wait_until_expired(Namespace::ApplicationLeadership, session.model()?, call.application.as_str())
            .await
            .map_err(RpcError::of_lease)?;
        Ok(Empty {})
    };
}

//! `Singular`: the lease that lets one controller act for a model or for all of it.

use periapt_model::{ModelUuid, Tag};
use periapt_store::lease::Namespace;
use periapt_wire::agent::singular::{Claim, Wait};
use periapt_wire::rpc::Empty;

use super::lease_time;
use crate::rpc::{RpcError, Session};

handlers! { for periapt_wire::agent::singular:
    Claim: |session, call| {
        let uuid = subject(session, &call.entity)?;
        // Another process of the controller claims for itself, over its own connection.
        if call.claimant != session.state().controller().claimant() {
            return Err(RpcError::denied());
        }
        let duration = lease_time(call.duration_ms)?;
        let leases = session.state().leases();
        leases
            .claim(Namespace::SingularController, &uuid, uuid.as_str(), &call.claimant, duration)
            .await
            .map_err(RpcError::of_lease)?;
        Ok(Empty {})
    };
    Wait: |session, call| {
        let uuid = subject(session, &call.entity)?;
        let leases = session.state().leases();
        leases.wait_until_expired(Namespace::SingularController, &uuid, uuid.as_str()).await.map_err(RpcError::of_lease)?;
        Ok(Empty {})
    };
}

/// A lease is about the connection's model or this controller, nothing else.
fn subject(session: &Session, entity: &Tag) -> Result<ModelUuid, RpcError> {
    match entity {
        Tag::Controller(uuid) if *uuid == session.state().controller().uuid => Ok(uuid.clone()),
        Tag::Model(uuid) if session.model().is_ok_and(|model| model == uuid) => Ok(uuid.clone()),
        _ => Err(RpcError::denied()),
    }
}

//! **singular**: the flag `is-responsible`, true in the one process of the controller that acts
//! for the model.
//!
//! Trigger: start, and half of the lease's time at the latest. Action: it claims the model's lease for this
//! process and renews it. Effect: the workers behind the flag run in one process at a
//! time. Refused, the flag is false until the lease is free, then it bounces to claim again. A
//! renewal that fails makes it bounce at once, so that the flag falls before the lease does.

use std::time::Duration;

use periapt_engine::flag::Flag;
use periapt_engine::{Manifold, Outputs, ResultExt, TaskWorker, WorkerError};
use periapt_model::Tag;
use periapt_wire::agent::singular::{Claim, Wait};
use periapt_wire::rpc::code;
use periapt_wire::{ApiConnection, CallError};
use serde_json::json;

use super::apicaller;
use crate::renewal;

pub const NAME: &str = "is-responsible-flag";

/// The same flag for the controller as a whole.
pub const PRIMARY: &str = "is-primary-controller-flag";

/// How long a claim holds (Juju's singular claimers use the same minute).
pub const LEASE: Duration = Duration::from_secs(60);

/// A flag for `claimant` and the lease of `entity`. Lends a [`Flag`].
pub fn manifold(entity: Tag, claimant: String) -> Manifold {
    Manifold::new(move |context| {
        let claim = Claim {
            entity: entity.clone(),
            claimant: claimant.clone(),
            duration_ms: u64::try_from(LEASE.as_millis()).unwrap_or(u64::MAX),
        };
        async move {
            let api: ApiConnection = context.get(apicaller::NAME)?;
            let clock = context.clock();
            let held = claimed(context.or_abort(api.call(&claim)).await?)?;
            Ok(TaskWorker::lending(
                Outputs::of(Flag(held)),
                move |worker| async move {
                    worker.set_report(json!({ "entity": claim.entity, "responsible": held }));
                    if !held {
                        let wait = Wait {
                            entity: claim.entity,
                        };
                        worker
                            .or_dying(api.call(&wait))
                            .await?
                            .while_doing("waiting for the lease")?;
                        return Err(WorkerError::Bounce);
                    }
                    loop {
                        let wait = renewal::wait(clock.now(), LEASE / 2);
                        worker.or_dying(clock.sleep(wait)).await?;
                        if worker.or_dying(api.call(&claim)).await?.is_err() {
                            return Err(WorkerError::Bounce);
                        }
                    }
                },
            ))
        }
    })
    .needs([apicaller::NAME])
}

fn claimed(answer: Result<periapt_wire::rpc::Empty, CallError>) -> Result<bool, WorkerError> {
    match answer {
        Ok(_) => Ok(true),
        Err(error) if error.is(code::LEASE_DENIED) => Ok(false),
        Err(error) => Err(error).while_doing("claiming the lease"),
    }
}

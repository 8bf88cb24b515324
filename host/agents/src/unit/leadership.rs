//! **leadership** (`leadership-tracker`): claims the leadership of the unit's application and
//! keeps it.
//!
//! Trigger: its start; then, as a leader, the time for the next renewal, and as a minion, the
//! release of the leadership. Action: claims it for twice the guarantee and renews each
//! guarantee at the latest. Effect: exactly one unit of the application runs `leader-elected` and is told that
//! it leads; when its agent freezes, another one leads a lease later.
//!
//! Time is measured on the agent's own monotonic clock, from before the claim was sent: what is
//! promised can only be too short. It never gives a lease back: when an agent stops, the lease
//! just expires, so that a restart does not change the leader.

use periapt_engine::{
    Manifold, Outputs, ResultExt, SharedClock, SharedWorker, TaskWorker, WorkerContext,
    WorkerResult,
};
use periapt_model::UnitName;
use periapt_uniter::Leadership;
use periapt_uniter::leadership::{ClaimRequest, GUARANTEE, LEASE, LeadershipSource, Standing};
use periapt_wire::agent::leadership::{BlockUntilLeadershipReleased, ClaimLeadership};
use periapt_wire::rpc::code;
use periapt_wire::{ApiConnection, CallError};
use serde_json::json;

use super::{UnitContext, agent, apicaller};
use crate::renewal;

pub const NAME: &str = "leadership-tracker";

/// Lends a [`Leadership`].
#[must_use]
pub fn manifold() -> Manifold {
    Manifold::new(|context| async move {
        let unit: UnitContext = context.get(agent::NAME)?;
        let connection: ApiConnection = context.get(apicaller::NAME)?;
        Ok(start(unit.unit, connection, context.clock()))
    })
    .needs([agent::NAME, apicaller::NAME])
}

/// Starts the tracker of one unit; it lends a [`Leadership`].
#[must_use]
pub fn start(unit: UnitName, connection: ApiConnection, clock: SharedClock) -> SharedWorker {
    let (handle, source) = Leadership::new(clock.clone());
    TaskWorker::lending(Outputs::of(handle), move |worker| async move {
        Tracker {
            unit,
            connection,
            clock,
            source,
        }
        .run(worker)
        .await
    })
}

struct Tracker {
    unit: UnitName,
    connection: ApiConnection,
    clock: SharedClock,
    source: LeadershipSource,
}

impl Tracker {
    async fn run(mut self, worker: WorkerContext) -> WorkerResult {
        let mut asking: Option<ClaimRequest> = None;
        let standing = self.source.standing.subscribe();
        // Made when somebody asks: a thousand trackers at rest need not keep it.
        worker.report_from(move || json!({ "leader": standing.borrow().is_leader() }));
        loop {
            let (before, turn) = (self.clock.monotonic(), self.clock.now());
            let claim = ClaimLeadership {
                unit: self.unit.clone(),
                duration_ms: u64::try_from(LEASE.as_millis()).unwrap_or(u64::MAX),
            };
            let won = match worker.or_dying(self.connection.call(&claim)).await? {
                Ok(_) => true,
                Err(error) if error.is(code::LEASE_DENIED) => false,
                Err(error) => return Err(error).while_doing("claiming leadership"),
            };
            self.source.standing.send_replace(if won {
                Standing::Leader { claimed_at: before }
            } else {
                Standing::Minion
            });
            if let Some(request) = asking.take() {
                // Who asked may have gone away meanwhile.
                let _ = request.send(won);
            }
            asking = if won {
                let renewal = before + renewal::wait(turn, LEASE - GUARANTEE);
                worker.or_dying(self.lead(renewal)).await?
            } else {
                worker
                    .or_dying(self.wait_for_release())
                    .await?
                    .while_doing("waiting for leadership")?;
                None
            };
        }
    }

    /// Answers until the claim has to be renewed, also when somebody asks too late for a whole
    /// guarantee; that request is handed on.
    async fn lead(&mut self, renewal: std::time::Duration) -> Option<ClaimRequest> {
        let wait = renewal.saturating_sub(self.clock.monotonic());
        let mut timer = self.clock.sleep(wait);
        loop {
            tokio::select! {
                biased;
                () = &mut timer => return None,
                request = self.source.claims.recv() => match request {
                    Some(request) if self.clock.monotonic() > renewal => return Some(request),
                    Some(request) => {
                        let _ = request.send(true);
                    }
                    // All handles are gone; the tracker is about to be stopped.
                    None => std::future::pending().await,
                },
            }
        }
    }

    async fn wait_for_release(&mut self) -> Result<(), CallError> {
        let release = BlockUntilLeadershipReleased {
            application: self.unit.application(),
        };
        let mut released = std::pin::pin!(self.connection.call(&release));
        loop {
            tokio::select! {
                released = &mut released => return released.map(|_| ()),
                Some(request) = self.source.claims.recv() => {
                    let _ = request.send(false);
                }
            }
        }
    }
}

//! What a uniter knows of its application's leadership: the handle that the tracker lends.
//!
//! The tracker itself, which claims and renews, is a worker of the unit's agent. It publishes
//! each change through [`LeadershipSource`]; the uniter and its hooks ask through
//! [`Leadership`].

use std::time::Duration;

use periapt_engine::SharedClock;
use tokio::sync::{mpsc, oneshot, watch};

/// Juju's guarantee: who is told that the unit leads may rely on it for this long.
pub const GUARANTEE: Duration = Duration::from_secs(30);
/// A claim lasts for twice the guarantee and is renewed after each guarantee, so that there is
/// always a whole one left when somebody asks.
pub const LEASE: Duration = Duration::from_secs(60);

/// What the tracker knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// No claim was answered yet.
    Unknown,
    Minion,
    /// Leader; the claim was sent at this monotonic time or later, so the lease lasts at least
    /// until [`LEASE`] after it.
    Leader {
        claimed_at: Duration,
    },
}

impl Standing {
    pub fn is_leader(self) -> bool {
        matches!(self, Standing::Leader { .. })
    }
}

/// A request for a claim; the answer is whether the unit leads for another guarantee.
pub type ClaimRequest = oneshot::Sender<bool>;

/// The tracker's end.
pub struct LeadershipSource {
    pub standing: watch::Sender<Standing>,
    pub claims: mpsc::Receiver<ClaimRequest>,
}

/// The handle. Clones ask the same tracker.
#[derive(Clone)]
pub struct Leadership {
    standing: watch::Receiver<Standing>,
    claims: mpsc::Sender<ClaimRequest>,
    clock: SharedClock,
}

impl Leadership {
    /// A handle and the tracker's end of it. `clock` is the one whose monotonic time the tracker
    /// publishes.
    pub fn new(clock: SharedClock) -> (Self, LeadershipSource) {
        let (standing, receiver) = watch::channel(Standing::Unknown);
        // One hook at a time asks, so the queue is short.
        let (sender, claims) = mpsc::channel(4);
        (
            Self {
                standing: receiver,
                claims: sender,
                clock,
            },
            LeadershipSource { standing, claims },
        )
    }

    /// Whether the unit leads for at least a guarantee from now on. Waits for a claim where what
    /// is known is not recent enough; no tracker means no.
    pub async fn claim_leader(&self) -> bool {
        let until = self.leads_until();
        if until.is_some_and(|until| self.clock.monotonic() <= until) {
            return true;
        }
        let (answer, answered) = oneshot::channel();
        self.claims.send(answer).await.is_ok() && answered.await.unwrap_or(false)
    }

    /// Until when the unit is known to lead, on the clock's monotonic time, whatever becomes of
    /// its lease; none if it is not.
    pub fn leads_until(&self) -> Option<Duration> {
        match *self.standing.borrow() {
            Standing::Leader { claimed_at } => Some(claimed_at + (LEASE - GUARANTEE)),
            Standing::Minion | Standing::Unknown => None,
        }
    }

    /// A receiver of its own of what the tracker publishes.
    pub fn subscribe(&self) -> watch::Receiver<Standing> {
        self.standing.clone()
    }
}

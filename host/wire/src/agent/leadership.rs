//! Leaders of applications.

use periapt_model::{ApplicationName, UnitName};

use crate::rpc::Empty;

crate::facade! { "periapt.LeadershipService" 1 for Agents {
    /// Error code `leadership claim denied` when another unit leads.
    [Tell] ClaimLeadership as ClaimLeadership { unit: UnitName, duration_ms: u64 } -> Empty;
    /// Returns when the application has no leader.
    [Wait] BlockUntilLeadershipReleased as BlockUntilLeadershipReleased { application: ApplicationName } -> Empty;
} }

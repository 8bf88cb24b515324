//! What is left to do after a removal.

use serde::{Deserialize, Serialize};

use crate::rpc::Watch;

crate::facade! { "periapt.Cleaner" 1 for Controller {
    [Watch] WatchCleanups as WatchCleanups {} -> Watch;
    /// Runs the due clean-ups in order; a failing one stays and does not stop later ones.
    /// Replies with how many remain and when the next is due.
    [Write] Cleanup as Cleanup {} -> CleanupReport;
} }

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct CleanupReport {
    pub remaining: u64,
    pub next_due: Option<i64>,
    pub errors: Vec<String>,
}

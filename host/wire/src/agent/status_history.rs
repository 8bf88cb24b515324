//! How much of the history of statuses is kept.

crate::facade! { "periapt.StatusHistory" 1 for Controller {
    /// Replies with the number of rows that went. Current statuses stay.
    [Write] Prune as PruneStatusHistory { max_age_ms: u64, max_size_mb: u64 } -> u64;
} }

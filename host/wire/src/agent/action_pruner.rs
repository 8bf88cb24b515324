//! How many operations are remembered.

crate::facade! { "periapt.ActionPruner" 1 for Controller {
    /// Replies with the number of operations that went. Those with a task that has not ended stay.
    [Write] Prune as PruneOperations { max_age_ms: u64, max_size_mb: u64 } -> u64;
} }

//! How long metrics of charms are kept.

crate::facade! { "periapt.MetricPruning" 1 for Controller {
    /// Replies with the number of values that went.
    [Write] Prune as PruneMetrics { max_age_ms: u64 } -> u64;
} }

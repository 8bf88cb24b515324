//! `MetricPruning`: forgetting old metrics.

use periapt_wire::agent::metric_pruning::PruneMetrics;

handlers! { for periapt_wire::agent::metric_pruning:
    PruneMetrics: |session, call| {
        Ok(session.store().prune_metrics(session.model()?, call.max_age_ms).await?)
    };
}

//! `ActionPruner`: forgetting old operations.

use periapt_wire::agent::action_pruner::PruneOperations;

handlers! { for periapt_wire::agent::action_pruner:
    PruneOperations: |session, call| {
        Ok(session.store().prune_operations(session.model()?, call.max_age_ms, call.max_size_mb).await?)
    };
}

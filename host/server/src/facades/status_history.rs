//! `StatusHistory`: forgetting old statuses.

use periapt_wire::agent::status_history::PruneStatusHistory;

handlers! { for periapt_wire::agent::status_history:
    PruneStatusHistory: |session, call| {
        Ok(session.store().prune_status_history(session.model()?, call.max_age_ms, call.max_size_mb).await?)
    };
}

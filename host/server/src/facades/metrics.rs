//! `Metrics`: what charms measure of their units.

use periapt_wire::agent::metrics::AddMetricBatches;
use periapt_wire::rpc::Empty;

handlers! { for periapt_wire::agent::metrics:
    AddMetricBatches: |session, call| {
        session.store().add_metrics(session.model()?, &call.unit, call.batches).await?;
        Ok(Empty {})
    };
}

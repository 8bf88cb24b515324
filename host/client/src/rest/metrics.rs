//! The methods about what charms measure of their units.

use periapt_wire::rest::{ListQuery, MetricInfo, paths};

use super::{RestClient, RestError};

impl RestClient {
    /// The newest metrics that fit the filters of `query`.
    pub async fn metrics(
        &self,
        model: &str,
        query: &ListQuery,
    ) -> Result<Vec<MetricInfo>, RestError> {
        self.list(&paths::MODEL_METRICS.at([model]), query).await
    }
}

//! The methods about what runs in the containers of units.

use periapt_wire::rest::{CheckInfo, ListQuery, ServiceInfo, paths};

use super::{RestClient, RestError};

impl RestClient {
    /// The services that fit the filters of `query`.
    pub async fn services(
        &self,
        model: &str,
        query: &ListQuery,
    ) -> Result<Vec<ServiceInfo>, RestError> {
        self.list(&paths::SERVICES.at([model]), query).await
    }

    /// The checks that fit the filters of `query`.
    pub async fn checks(
        &self,
        model: &str,
        query: &ListQuery,
    ) -> Result<Vec<CheckInfo>, RestError> {
        self.list(&paths::CHECKS.at([model]), query).await
    }
}

//! The methods about payloads.

use periapt_model::UnitName;
use periapt_wire::rest::{PayloadQuery, UnitPayloads, paths};

use super::{RestClient, RestError};

impl RestClient {
    /// The payloads of one unit, or of all units that have some, read page by page.
    pub async fn payloads(
        &self,
        model: &str,
        unit: Option<&UnitName>,
    ) -> Result<Vec<UnitPayloads>, RestError> {
        let query = PayloadQuery {
            unit: unit.map(UnitName::to_string),
            ..PayloadQuery::default()
        };
        self.list(&paths::PAYLOADS.at([model]), &query).await
    }
}

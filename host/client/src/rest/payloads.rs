//! The methods about payloads.

use periapt_model::UnitName;
use periapt_wire::rest::{Page, PayloadQuery, UnitPayloads, paths};
use reqwest::Method;

use super::{RestClient, RestError};

/// Units that the controller gives at once.
const LARGEST_PAGE: u64 = 1_000;

impl RestClient {
    /// The payloads of one unit, or of all units that have some, read page by page.
    pub async fn payloads(
        &self,
        model: &str,
        unit: Option<&UnitName>,
    ) -> Result<Vec<UnitPayloads>, RestError> {
        let mut query = PayloadQuery {
            unit: unit.map(UnitName::to_string),
            limit: Some(LARGEST_PAGE),
            after: None,
        };
        let mut all = Vec::new();
        loop {
            let page: Page<UnitPayloads> = self
                .json(Method::GET, &paths::PAYLOADS.at([model]), |request| {
                    request.query(&query)
                })
                .await?;
            all.extend(page.items);
            match page.next {
                Some(next) => query.after = Some(next),
                None => return Ok(all),
            }
        }
    }
}

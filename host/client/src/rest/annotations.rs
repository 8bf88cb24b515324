//! The methods about what people note of a model and of what is in it.

use periapt_wire::rest::{AnnotationQuery, EntityAnnotations, Page, SetAnnotations, paths};
use reqwest::Method;

use super::{RestClient, RestError};

/// Entities that the controller gives at once.
const LARGEST_PAGE: u64 = 1_000;

impl RestClient {
    /// What is noted of one entity, or of all of which something is, read page by page.
    pub async fn annotations(
        &self,
        model: &str,
        entity: Option<&str>,
    ) -> Result<Vec<EntityAnnotations>, RestError> {
        let mut query = AnnotationQuery {
            entity: entity.map(str::to_owned),
            limit: Some(LARGEST_PAGE),
            after: None,
        };
        let mut all = Vec::new();
        loop {
            let page: Page<EntityAnnotations> = self
                .json(Method::GET, &paths::ANNOTATIONS.at([model]), |request| {
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

    /// Notes something of an entity, or forgets it; what is noted of it then.
    pub async fn set_annotations(
        &self,
        model: &str,
        request: &SetAnnotations,
    ) -> Result<EntityAnnotations, RestError> {
        self.patch(&paths::ANNOTATIONS.at([model]), request).await
    }
}

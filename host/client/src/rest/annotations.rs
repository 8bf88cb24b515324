//! The methods about what people note of a model and of what is in it.

use periapt_wire::rest::{AnnotationQuery, EntityAnnotations, SetAnnotations, paths};

use super::{RestClient, RestError};

impl RestClient {
    /// What is noted of one entity, or of all of which something is, read page by page.
    pub async fn annotations(
        &self,
        model: &str,
        entity: Option<&str>,
    ) -> Result<Vec<EntityAnnotations>, RestError> {
        let query = AnnotationQuery {
            entity: entity.map(str::to_owned),
            ..AnnotationQuery::default()
        };
        self.list(&paths::ANNOTATIONS.at([model]), &query).await
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

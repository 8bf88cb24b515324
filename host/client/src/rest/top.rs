//! The method about what hooks use.

use periapt_wire::rest::{Top, TopQuery, paths};
use reqwest::Method;

use super::{RestClient, RestError};

impl RestClient {
    /// The units of a model whose hooks use most.
    pub async fn top(&self, model: &str, query: &TopQuery) -> Result<Top, RestError> {
        let path = paths::MODEL_TOP.at([model]);
        self.json(Method::GET, &path, |request| request.query(query))
            .await
    }
}

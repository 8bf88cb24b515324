//! What one process of a controller asks another. Nobody else has a use for it.

use bytes::Bytes;
use periapt_wire::rest::paths;
use reqwest::{Method, Response};
use serde::de::DeserializeOwned;

use super::{Authorization, RestClient, RestError, body, chain};

/// An answer that is still coming in.
#[derive(Debug)]
pub struct NodeAnswer(Response);

impl RestClient {
    /// Has another process of the controller answer the question that this secret takes. How long to wait is the
    /// caller's to say, for the answer as for each part of it.
    ///
    /// # Errors
    /// What the other process says, and that it says nothing.
    pub async fn ask_node(self, secret: String) -> Result<NodeAnswer, RestError> {
        let client = self.with(Authorization::Bearer(secret));
        let path = paths::NODE_QUESTION.at([]);
        let answer = client.send(Method::POST, &path, |request| request).await?;
        Ok(NodeAnswer(answer))
    }
}

impl NodeAnswer {
    /// How long it is as a whole, if that was said.
    pub fn bytes(&self) -> Option<u64> {
        self.0.content_length()
    }

    /// All of a short one.
    ///
    /// # Errors
    /// The connection broke, or it is no such answer.
    pub async fn json<T: DeserializeOwned>(self) -> Result<T, RestError> {
        body(self.0).await
    }

    /// The next bytes; none at the end.
    ///
    /// # Errors
    /// The connection broke.
    pub async fn part(&mut self) -> Result<Option<Bytes>, RestError> {
        let part = self.0.chunk().await;
        part.map_err(|error| RestError::Interrupted(chain(&error)))
    }
}

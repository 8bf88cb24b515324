//! The methods about charms: their archives go up and come down whole, or not at all.

use std::sync::Arc;

use bytes::Bytes;
use periapt_model::Digest;
use periapt_model::charm::{CharmInfo, CharmReadme};
use periapt_wire::rest::{CharmUpgrade, ListQuery, paths};
use periapt_wire::rpc::Empty;
use reqwest::{Body, Method};

use super::{RestClient, RestError, UPLOAD, chain};

/// Told how many bytes of how many have been handed to the connection.
pub type Progress = Arc<dyn Fn(u64, u64) + Send + Sync>;

/// Bytes handed over at a time, and between two reports of progress.
const UPLOAD_PART: usize = 64 << 10;

impl RestClient {
    pub async fn charms(&self, model: &str) -> Result<Vec<CharmInfo>, RestError> {
        self.list(&paths::CHARMS.at([model]), &ListQuery::default())
            .await
    }

    /// Has the controller look for newer revisions of the model's charms; the applications that have one.
    pub async fn update_charm_revisions(
        &self,
        model: &str,
    ) -> Result<Vec<CharmUpgrade>, RestError> {
        self.post(&paths::CHARM_REVISIONS.at([model]), &Empty {})
            .await
    }

    pub async fn charm(&self, model: &str, url: &str) -> Result<CharmInfo, RestError> {
        self.get(&paths::CHARM.at([model, url])).await
    }

    /// What a charm says about itself at length.
    pub async fn charm_readme(&self, model: &str, url: &str) -> Result<CharmReadme, RestError> {
        self.get(&paths::CHARM_README.at([model, url])).await
    }

    /// The archive of a charm, the bytes that were uploaded. What arrives otherwise is refused.
    pub async fn charm_archive(&self, model: &str, charm: &CharmInfo) -> Result<Bytes, RestError> {
        let url = charm.url.to_string();
        let path = paths::CHARM_ARCHIVE.at([model, &url]);
        let response = self.send(Method::GET, &path, |request| request.timeout(UPLOAD));
        let archive = response.await?.bytes().await;
        let archive = archive.map_err(|error| RestError::Interrupted(chain(&error)))?;
        let found = Digest::of(&archive).to_string();
        if found != charm.sha256 {
            return Err(RestError::Unexpected(format!(
                "the archive of {url} should have the SHA-256 {} and has {found}",
                charm.sha256
            )));
        }
        Ok(archive)
    }

    /// Uploads the bytes of a `.charm`. The same bytes again give the same charm. The answer
    /// comes once the charm is checked and compiled.
    pub async fn upload_charm(
        &self,
        model: &str,
        archive: Bytes,
        name: Option<&str>,
        progress: Option<Progress>,
    ) -> Result<CharmInfo, RestError> {
        let query: Vec<(&str, &str)> = name.map(|name| ("name", name)).into_iter().collect();
        // The controller refuses what arrives otherwise.
        let sha256 = Digest::of(&archive);
        let path = paths::CHARMS.at([model]);
        self.change(Method::POST, &path, |request| {
            request
                .timeout(UPLOAD)
                .query(&query)
                .query(&[("sha256", &sha256)])
                .header("content-type", "application/zip")
                .header("content-length", archive.len())
                .body(in_parts(archive.clone(), progress.clone()))
        })
        .await
    }
}

/// The bytes as a body that reports how far it has come.
pub(super) fn in_parts(bytes: Bytes, progress: Option<Progress>) -> Body {
    let Some(progress) = progress else {
        return Body::from(bytes);
    };
    let total = bytes.len();
    let mut rest = bytes;
    let parts = std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let part = rest.split_to(rest.len().min(UPLOAD_PART));
        progress((total - rest.len()) as u64, total as u64);
        Some(Ok::<_, std::convert::Infallible>(part))
    });
    Body::wrap_stream(futures::stream::iter(parts))
}

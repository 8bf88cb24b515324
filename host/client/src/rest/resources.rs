//! The methods about resources: files that go up beside a charm.

use bytes::Bytes;
use periapt_model::{ApplicationName, Digest};
use periapt_wire::rest::{ApplicationResources, AttachedResource, UploadedResource, paths};
use reqwest::Method;
use serde::de::DeserializeOwned;

use super::charms::{Progress, in_parts};
use super::{RestClient, RestError, UPLOAD};

impl RestClient {
    /// What an application's charm declares, with what is attached.
    pub async fn resources(
        &self,
        model: &str,
        name: &ApplicationName,
    ) -> Result<ApplicationResources, RestError> {
        let path = paths::APPLICATION_RESOURCES.at([model, name.as_str()]);
        self.get(&path).await
    }

    /// Attaches a file to an application. The same bytes again change nothing.
    pub async fn attach_resource(
        &self,
        model: &str,
        name: &ApplicationName,
        resource: &str,
        file: Bytes,
        progress: Option<Progress>,
    ) -> Result<AttachedResource, RestError> {
        let path = paths::APPLICATION_RESOURCE.at([model, name.as_str(), resource]);
        self.send_file(Method::PUT, &path, file, progress).await
    }

    /// Uploads a file for a deployment or a refresh that is to come.
    pub async fn upload_resource(
        &self,
        model: &str,
        file: Bytes,
        progress: Option<Progress>,
    ) -> Result<UploadedResource, RestError> {
        let path = paths::RESOURCES.at([model]);
        self.send_file(Method::POST, &path, file, progress).await
    }

    async fn send_file<T: DeserializeOwned>(
        &self,
        method: Method,
        path: &[&str],
        file: Bytes,
        progress: Option<Progress>,
    ) -> Result<T, RestError> {
        // The controller refuses what arrives otherwise.
        let sha256 = Digest::of(&file);
        self.change(method, path, |request| {
            request
                .timeout(UPLOAD)
                .query(&[("sha256", &sha256)])
                .header("content-type", "application/octet-stream")
                .header("content-length", file.len())
                .body(in_parts(file.clone(), progress.clone()))
        })
        .await
    }
}

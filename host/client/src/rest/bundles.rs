//! The methods about bundles: what is missing of one in a model, doing it, and what the model has become since.

use std::time::Duration;

use periapt_wire::rest::{
    BundleApply, BundleDrift, BundleExport, BundlePlan, BundleQuery, BundleWait, DeployBundle,
    Page, paths,
};
use reqwest::Method;

use super::{ANSWER, RestClient, RestError};

impl RestClient {
    /// Plans a bundle and, unless it is a dry run, has the controller carry the plan out. Answered before it has.
    pub async fn deploy_bundle(
        &self,
        model: &str,
        request: &DeployBundle,
    ) -> Result<BundlePlan, RestError> {
        self.post(&paths::BUNDLES.at([model]), request).await
    }

    /// A page of the bundles that were applied, newest first.
    pub async fn bundles(
        &self,
        model: &str,
        query: &BundleQuery,
    ) -> Result<Page<BundleApply>, RestError> {
        self.json(Method::GET, &paths::BUNDLES.at([model]), |request| {
            request.query(query)
        })
        .await
    }

    /// One of them, at once or when it has ended or come further, as `query` says.
    pub async fn bundle(
        &self,
        model: &str,
        apply: u64,
        query: &BundleWait,
    ) -> Result<BundleApply, RestError> {
        let wait = Duration::from_secs(query.wait.unwrap_or_default());
        self.json(
            Method::GET,
            &paths::BUNDLE.at([model, &apply.to_string()]),
            |request| request.timeout(ANSWER.saturating_add(wait)).query(query),
        )
        .await
    }

    /// The model as a bundle.
    pub async fn export_bundle(&self, model: &str) -> Result<BundleExport, RestError> {
        self.get(&paths::BUNDLE_EXPORT.at([model])).await
    }

    /// What became of the model since a bundle was applied to it last.
    pub async fn bundle_drift(&self, model: &str) -> Result<BundleDrift, RestError> {
        self.get(&paths::BUNDLE_DRIFT.at([model])).await
    }
}

//! The methods about what applications are granted.

use periapt_model::ApplicationName;
use periapt_wire::rest::{CapabilityQuery, ChangeGrants, Grants, paths};
use reqwest::Method;

use super::{RestClient, RestError};

impl RestClient {
    /// The capabilities of an application, with what was decided about each.
    pub async fn grants(&self, model: &str, name: &ApplicationName) -> Result<Grants, RestError> {
        let path = paths::APPLICATION_GRANTS.at([model, name.as_str()]);
        self.get(&path).await
    }

    /// The capabilities of a charm, as they would be if it were deployed, or if an application got it.
    pub async fn charm_capabilities(
        &self,
        model: &str,
        charm: &str,
        application: Option<&ApplicationName>,
    ) -> Result<Grants, RestError> {
        let query = CapabilityQuery {
            application: application.map(ToString::to_string),
        };
        let path = paths::CHARM_CAPABILITIES.at([model, charm]);
        self.json(Method::GET, &path, |request| request.query(&query))
            .await
    }

    pub async fn grant_capabilities(
        &self,
        model: &str,
        name: &ApplicationName,
        request: &ChangeGrants,
    ) -> Result<Grants, RestError> {
        let path = paths::APPLICATION_GRANTS.at([model, name.as_str()]);
        self.post(&path, request).await
    }

    pub async fn revoke_capabilities(
        &self,
        model: &str,
        name: &ApplicationName,
        request: &ChangeGrants,
    ) -> Result<Grants, RestError> {
        let path = paths::APPLICATION_GRANTS_REVOKE.at([model, name.as_str()]);
        self.post(&path, request).await
    }
}

//! The methods about what machines have to be like.

use periapt_model::ApplicationName;
use periapt_wire::rest::{ApplicationInfo, ModelConstraints, SetConstraints, paths};

use super::{RestClient, RestError};

impl RestClient {
    /// Of machines that are made for an application's units; the application with those that hold now.
    pub async fn set_constraints(
        &self,
        model: &str,
        name: &ApplicationName,
        request: &SetConstraints,
    ) -> Result<ApplicationInfo, RestError> {
        let path = paths::APPLICATION_CONSTRAINTS.at([model, name.as_str()]);
        self.put(&path, request).await
    }

    pub async fn model_constraints(&self, model: &str) -> Result<ModelConstraints, RestError> {
        self.get(&paths::MODEL_CONSTRAINTS.at([model])).await
    }

    pub async fn set_model_constraints(
        &self,
        model: &str,
        request: &SetConstraints,
    ) -> Result<ModelConstraints, RestError> {
        self.put(&paths::MODEL_CONSTRAINTS.at([model]), request)
            .await
    }
}

//! The methods about what holds of applications beside their options.

use periapt_model::ApplicationName;
use periapt_wire::rest::{ApplicationInfo, SetMinUnits, SetTrust, paths};

use super::{RestClient, RestError};

impl RestClient {
    /// How many units an application has at the least; 0 for no minimum.
    pub async fn set_min_units(
        &self,
        model: &str,
        name: &ApplicationName,
        request: &SetMinUnits,
    ) -> Result<ApplicationInfo, RestError> {
        let path = paths::APPLICATION_MIN_UNITS.at([model, name.as_str()]);
        self.put(&path, request).await
    }

    /// Trusts an application with the cloud's credential, or takes that back.
    pub async fn set_trust(
        &self,
        model: &str,
        name: &ApplicationName,
        request: &SetTrust,
    ) -> Result<ApplicationInfo, RestError> {
        let path = paths::APPLICATION_TRUST.at([model, name.as_str()]);
        self.put(&path, request).await
    }
}

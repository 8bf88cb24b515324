//! The methods about what holds of applications beside their options.

use periapt_model::{ApplicationName, UnitName};
use periapt_wire::rest::{
    ApplicationInfo, Scaled, SetMeterStatus, SetMinUnits, SetScale, SetTrust, paths,
};
use periapt_wire::rpc::Empty;

use super::units::parts;
use super::{RestClient, RestError};

impl RestClient {
    /// How many units an application is to have; more are added, or the youngest begin to go.
    pub async fn scale(
        &self,
        model: &str,
        name: &ApplicationName,
        request: &SetScale,
    ) -> Result<Scaled, RestError> {
        let path = paths::APPLICATION_SCALE.at([model, name.as_str()]);
        self.put(&path, request).await
    }

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

    /// Gives all units that an application has now a meter status.
    pub async fn set_application_meter_status(
        &self,
        model: &str,
        name: &ApplicationName,
        request: &SetMeterStatus,
    ) -> Result<Empty, RestError> {
        let path = paths::APPLICATION_METER_STATUS.at([model, name.as_str()]);
        self.put(&path, request).await
    }

    pub async fn set_unit_meter_status(
        &self,
        model: &str,
        unit: &UnitName,
        request: &SetMeterStatus,
    ) -> Result<Empty, RestError> {
        let (application, number) = parts(unit);
        let path = paths::UNIT_METER_STATUS.at([model, &application, &number]);
        self.put(&path, request).await
    }
}

//! The methods about applications.

use periapt_model::{ApplicationName, MachineId, UnitName};
use periapt_wire::rest::{
    AddUnits, ApplicationConfig, ApplicationInfo, ConfigChange, Deploy, Expose, HistoryEntry,
    ListQuery, Refresh, Removal, Unexpose, paths,
};

use super::{Removing, RestClient, RestError};

impl RestClient {
    pub async fn applications(&self, model: &str) -> Result<Vec<ApplicationInfo>, RestError> {
        let path = paths::APPLICATIONS.at([model]);
        self.list(&path, &ListQuery::default()).await
    }

    pub async fn deploy(&self, model: &str, deploy: &Deploy) -> Result<ApplicationInfo, RestError> {
        self.post(&paths::APPLICATIONS.at([model]), deploy).await
    }

    pub async fn application(
        &self,
        model: &str,
        name: &ApplicationName,
    ) -> Result<ApplicationInfo, RestError> {
        self.get(&paths::APPLICATION.at([model, name.as_str()]))
            .await
    }

    pub async fn remove_application(
        &self,
        model: &str,
        name: &ApplicationName,
        removing: Removing,
    ) -> Result<Removal, RestError> {
        self.delete(&paths::APPLICATION.at([model, name.as_str()]), removing)
            .await
    }

    pub async fn application_config(
        &self,
        model: &str,
        name: &ApplicationName,
    ) -> Result<ApplicationConfig, RestError> {
        self.get(&paths::APPLICATION_CONFIG.at([model, name.as_str()]))
            .await
    }

    pub async fn set_application_config(
        &self,
        model: &str,
        name: &ApplicationName,
        change: &ConfigChange,
    ) -> Result<ApplicationConfig, RestError> {
        self.patch(
            &paths::APPLICATION_CONFIG.at([model, name.as_str()]),
            change,
        )
        .await
    }

    pub async fn expose(
        &self,
        model: &str,
        name: &ApplicationName,
        request: &Expose,
    ) -> Result<ApplicationInfo, RestError> {
        let path = paths::APPLICATION_EXPOSE.at([model, name.as_str()]);
        self.post(&path, request).await
    }

    pub async fn unexpose(
        &self,
        model: &str,
        name: &ApplicationName,
        request: &Unexpose,
    ) -> Result<ApplicationInfo, RestError> {
        let path = paths::APPLICATION_UNEXPOSE.at([model, name.as_str()]);
        self.post(&path, request).await
    }

    pub async fn refresh(
        &self,
        model: &str,
        name: &ApplicationName,
        refresh: &Refresh,
    ) -> Result<ApplicationInfo, RestError> {
        self.post(
            &paths::APPLICATION_REFRESH.at([model, name.as_str()]),
            refresh,
        )
        .await
    }

    /// Adds units, on the machines of `placement` in their order, then on new ones.
    pub async fn add_units(
        &self,
        model: &str,
        name: &ApplicationName,
        count: u32,
        placement: &[MachineId],
    ) -> Result<Vec<UnitName>, RestError> {
        let request = AddUnits {
            count,
            placement: placement.to_vec(),
            attach_storage: Vec::new(),
        };
        self.add_units_with(model, name, &request).await
    }

    /// Adds units with all that may be said of them.
    pub async fn add_units_with(
        &self,
        model: &str,
        name: &ApplicationName,
        request: &AddUnits,
    ) -> Result<Vec<UnitName>, RestError> {
        let path = paths::APPLICATION_UNITS.at([model, name.as_str()]);
        self.post(&path, request).await
    }

    pub async fn application_history(
        &self,
        model: &str,
        name: &ApplicationName,
        limit: Option<u64>,
    ) -> Result<Vec<HistoryEntry>, RestError> {
        self.history(
            &paths::APPLICATION_HISTORY.at([model, name.as_str()]),
            limit,
        )
        .await
    }
}

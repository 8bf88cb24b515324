//! The methods about units, the machines they are on, and the agents that run them.

use periapt_model::{MachineId, UnitName};
use periapt_wire::rest::{
    AddMachines, HistoryEntry, ListQuery, MachineInfo, Removal, ResolveRequest, UnitInfo, Why,
    paths,
};
use periapt_wire::rpc::Empty;

use super::{Removing, RestClient, RestError};

impl RestClient {
    /// The units that fit the filters of `query`.
    pub async fn units(&self, model: &str, query: &ListQuery) -> Result<Vec<UnitInfo>, RestError> {
        self.list(&paths::UNITS.at([model]), query).await
    }

    /// The machines that fit the filters of `query`.
    pub async fn machines(
        &self,
        model: &str,
        query: &ListQuery,
    ) -> Result<Vec<MachineInfo>, RestError> {
        self.list(&paths::MACHINES.at([model]), query).await
    }

    pub async fn machine(
        &self,
        model: &str,
        machine: &MachineId,
    ) -> Result<MachineInfo, RestError> {
        let id = machine.as_str().replace('/', "-");
        self.get(&paths::MACHINE.at([model, &id])).await
    }

    /// Adds machines that no unit asked for.
    pub async fn add_machines(
        &self,
        model: &str,
        request: &AddMachines,
    ) -> Result<Vec<MachineInfo>, RestError> {
        self.post(&paths::MACHINES.at([model]), request).await
    }

    /// With `force`, units on the machine are removed along with it.
    pub async fn remove_machine(
        &self,
        model: &str,
        machine: &MachineId,
        removing: Removing,
    ) -> Result<Removal, RestError> {
        let id = machine.as_str().replace('/', "-");
        self.delete(&paths::MACHINE.at([model, &id]), removing)
            .await
    }

    pub async fn unit(&self, model: &str, unit: &UnitName) -> Result<UnitInfo, RestError> {
        let (application, number) = parts(unit);
        self.get(&paths::UNIT.at([model, &application, &number]))
            .await
    }

    /// The chain of causes behind the last thing that a unit did.
    pub async fn why(&self, model: &str, unit: &UnitName) -> Result<Why, RestError> {
        let (application, number) = parts(unit);
        self.get(&paths::UNIT_WHY.at([model, &application, &number]))
            .await
    }

    pub async fn remove_unit(
        &self,
        model: &str,
        unit: &UnitName,
        removing: Removing,
    ) -> Result<Removal, RestError> {
        let (application, number) = parts(unit);
        self.delete(&paths::UNIT.at([model, &application, &number]), removing)
            .await
    }

    /// Marks a failed hook as dealt with, to be run again with `retry`, else to be skipped.
    pub async fn resolved(
        &self,
        model: &str,
        unit: &UnitName,
        retry: bool,
    ) -> Result<Empty, RestError> {
        let (application, number) = parts(unit);
        let path = paths::UNIT_RESOLVED.at([model, &application, &number]);
        self.post(&path, &ResolveRequest { retry }).await
    }

    /// Stops the agent of a unit, until it is started.
    pub async fn stop_unit(&self, model: &str, unit: &UnitName) -> Result<Empty, RestError> {
        self.run_unit(paths::UNIT_STOP, model, unit).await
    }

    /// Starts the agent of a unit that was stopped.
    pub async fn start_unit(&self, model: &str, unit: &UnitName) -> Result<Empty, RestError> {
        self.run_unit(paths::UNIT_START, model, unit).await
    }

    async fn run_unit(
        &self,
        path: paths::Path<3>,
        model: &str,
        unit: &UnitName,
    ) -> Result<Empty, RestError> {
        let (application, number) = parts(unit);
        let path = path.at([model, &application, &number]);
        self.post(&path, &Empty {}).await
    }

    /// Starts the agent of a model that ended for good.
    pub async fn start_agent(&self, model: &str) -> Result<Empty, RestError> {
        self.post(&paths::MODEL_AGENT_START.at([model]), &Empty {})
            .await
    }

    pub async fn unit_history(
        &self,
        model: &str,
        unit: &UnitName,
        limit: Option<u64>,
    ) -> Result<Vec<HistoryEntry>, RestError> {
        let (application, number) = parts(unit);
        self.history(
            &paths::UNIT_HISTORY.at([model, &application, &number]),
            limit,
        )
        .await
    }

    pub async fn machine_history(
        &self,
        model: &str,
        machine: &MachineId,
        limit: Option<u64>,
    ) -> Result<Vec<HistoryEntry>, RestError> {
        self.history(
            &paths::MACHINE_HISTORY.at([model, &machine.as_str().replace('/', "-")]),
            limit,
        )
        .await
    }
}

pub(super) fn parts(unit: &UnitName) -> (String, String) {
    (unit.application().to_string(), unit.number().to_string())
}
